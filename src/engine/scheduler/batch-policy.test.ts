import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startPassCost, stepPassCost } from '../pass-cost.ts';
import { isLong, promptBudget, sharePrompt } from './batch-policy.ts';

const beside = (decoding: number, shortWaits = false) => ({ decoding, shortWaits });
const unknown = { decoding: startPassCost(), prompts: startPassCost() };

test('prompts get the whole step when nothing decodes; long ones less when something does', () => {
  assert.deepEqual(promptBudget(512, beside(0), unknown), { free: 512, long: 512 });
  assert.deepEqual(promptBudget(512, beside(3), unknown), { free: 509, long: 128 });
  assert.deepEqual(promptBudget(16, beside(3), unknown), { free: 13, long: 13 });
  assert.deepEqual(promptBudget(4, beside(8), unknown), { free: 0, long: 0 });
  assert.deepEqual(promptBudget(256, beside(0, true), unknown), { free: 256, long: 128 });
});

test('beside decoding sequences a step lasts two and a half times as long', () => {
  const decoding = stepPassCost(startPassCost(), { tokens: 8, ms: 100 });
  const long = (ms: number, batchTokens = 256) => {
    const prompts = stepPassCost(startPassCost(), { tokens: 100, ms });
    return promptBudget(batchTokens, beside(8), { decoding, prompts }).long;
  };
  assert.equal(long(300), 50);
  assert.equal(long(50), 128);
  assert.equal(long(9000), 4);
  assert.equal(long(9000, 10), 2);
});

test('short prompts take what is free, long ones their part of it', () => {
  assert.deepEqual([isLong(256), isLong(257)], [false, true]);
  const budget = { free: 200, long: 50 };
  assert.deepEqual(sharePrompt(budget, 120, false), { share: 120, left: { free: 80, long: 50 } });
  assert.deepEqual(sharePrompt(budget, 900, false), { share: 200, left: { free: 0, long: 50 } });
  assert.deepEqual(sharePrompt(budget, 900, true), { share: 50, left: { free: 150, long: 0 } });
  assert.deepEqual(sharePrompt({ free: 10, long: 50 }, 900, true).share, 10);
});
