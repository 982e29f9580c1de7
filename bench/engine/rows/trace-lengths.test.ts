import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sampleLengths } from './trace-lengths.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test('the means are those of the trace, within sampling error', () => {
  const lengths = sampleLengths(1, 100_000, 1_000_000);
  // The standard error of a mean is 0.4% here; prompts are cut at 1,000, which takes 0.3 tokens away.
  assert.ok(Math.abs(mean(lengths.map(({ output }) => output)) - 214.5) < 4);
  assert.ok(Math.abs(mean(lengths.map(({ prompt }) => prompt)) - 31 - 69.5) < 2);
});

test('the same seed gives the same lengths, within the bounds', () => {
  const lengths = sampleLengths(7, 1000, 50);
  assert.deepEqual(lengths, sampleLengths(7, 1000, 50));
  assert.notDeepEqual(lengths, sampleLengths(8, 1000, 50));
  assert.ok(lengths.every(({ output }) => output >= 1 && output <= 50));
});
