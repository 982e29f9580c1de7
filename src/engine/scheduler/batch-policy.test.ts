import assert from 'node:assert/strict';
import { test } from 'node:test';

import { promptBudget, sharePrefill } from './batch-policy.ts';

const needs = (...left: number[]) => left.map((tokens) => ({ left: tokens }));

test('prompts get the whole step when nothing decodes, else a part of what is left', () => {
  assert.equal(promptBudget(512, 0), 512);
  assert.equal(promptBudget(512, 3), 128);
  assert.equal(promptBudget(16, 3), 13);
  assert.equal(promptBudget(4, 8), 0);
});

test('prompts are served oldest first', () => {
  assert.deepEqual(sharePrefill(509, needs(600)), [509]);
  assert.deepEqual(sharePrefill(512, needs(100, 500, 7)), [100, 412, 0]);
  assert.deepEqual(sharePrefill(0, needs(5)), [0]);
  assert.deepEqual(sharePrefill(512, []), []);
});
