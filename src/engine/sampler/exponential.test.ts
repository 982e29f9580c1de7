/** The fast e^x against Math.exp. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exponential } from './exponential.ts';
import { createDice } from './random-rows.test-support.ts';

test('equals Math.exp to 14 digits', () => {
  const dice = createDice(1);
  for (let round = 0; round < 20_000; round++) {
    const x = -55 * dice.uniform();
    const expected = Math.exp(x);
    assert.ok(Math.abs(exponential(x) - expected) <= 1e-14 * expected, `e^${x}`);
  }
});

test('is exact at both ends', () => {
  assert.equal(exponential(0), 1);
  assert.equal(exponential(-56), 0);
  assert.equal(exponential(-Infinity), 0);
});
