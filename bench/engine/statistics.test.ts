import assert from 'node:assert/strict';
import { test } from 'node:test';

import { median, medianRatio, percentile } from './statistics.ts';

test('the middle value, whatever the order, and the mean of two middles', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 2, 9]), 3);
  assert.ok(Number.isNaN(median([])));
});

test('percentiles are values that were there, nearest rank', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  assert.equal(percentile(values, 0.5), 100);
  assert.equal(percentile(values, 0.99), 198);
  assert.equal(percentile([7], 0.99), 7);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test('ratios are of the same run', () => {
  assert.equal(medianRatio([9, 5, 1], [10, 5, 2]), 0.9);
});
