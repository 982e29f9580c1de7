import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sharePrefill } from './batch-policy.ts';

const needs = (...left: number[]) => left.map((tokens) => ({ left: tokens }));

test('prompts share what the decoding sequences leave, oldest first', () => {
  assert.deepEqual(sharePrefill(512, 3, needs(600)), [509]);
  assert.deepEqual(sharePrefill(512, 0, needs(100, 500, 7)), [100, 412, 0]);
  assert.deepEqual(sharePrefill(4, 8, needs(5)), [0]);
  assert.deepEqual(sharePrefill(512, 3, []), []);
});
