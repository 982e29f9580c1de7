import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startPassCost, stepPassCost } from '../pass-cost.ts';
import { promptBudget, sharePrefill } from './batch-policy.ts';

const unknown = { decoding: startPassCost(), prompts: startPassCost() };

test('prompts get the whole step when nothing decodes, else a part of what is left', () => {
  assert.equal(promptBudget(512, 0, unknown), 512);
  assert.equal(promptBudget(512, 3, unknown), 128);
  assert.equal(promptBudget(16, 3, unknown), 13);
  assert.equal(promptBudget(4, 8, unknown), 0);
});

test('beside decoding sequences a step lasts at most two and a half times as long', () => {
  const decoding = stepPassCost(startPassCost(), { tokens: 8, ms: 60 });
  const costing = (ms: number) => ({
    decoding,
    prompts: stepPassCost(startPassCost(), { tokens: 100, ms }),
  });
  assert.equal(promptBudget(256, 8, costing(180)), 50);
  assert.equal(promptBudget(256, 8, costing(50)), 128);
  assert.equal(promptBudget(256, 8, costing(9000)), 16);
  assert.equal(promptBudget(20, 8, costing(9000)), 12);
});

test('prompts are served in order', () => {
  assert.deepEqual(sharePrefill(509, [600]), [509]);
  assert.deepEqual(sharePrefill(512, [100, 500, 7]), [100, 412, 0]);
  assert.deepEqual(sharePrefill(0, [5]), [0]);
  assert.deepEqual(sharePrefill(512, []), []);
});
