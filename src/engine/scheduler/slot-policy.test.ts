import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lowestFreeSlot, planMoves } from './slot-policy.ts';

test('the lowest free slot is taken', () => {
  assert.equal(lowestFreeSlot([true, false, false]), 1);
  assert.equal(lowestFreeSlot([true, true]), null);
});

test('holes are closed by the highest sequence', () => {
  assert.deepEqual(planMoves([true, false, true, false, true]), [{ from: 4, to: 1 }]);
  assert.deepEqual(planMoves([false, false, true, true]), [
    { from: 3, to: 0 },
    { from: 2, to: 1 },
  ]);
});

test('any table is without a hole after its moves', () => {
  for (let pattern = 0; pattern < 256; pattern += 1) {
    const taken = Array.from({ length: 8 }, (_, slot) => (pattern & (1 << slot)) !== 0);
    const count = taken.filter(Boolean).length;
    for (const { from, to } of planMoves(taken)) {
      assert.ok(taken[from] === true && taken[to] === false && from > to);
      taken[from] = false;
      taken[to] = true;
    }
    assert.deepEqual(taken.indexOf(false), count === 8 ? -1 : count);
    assert.equal(taken.lastIndexOf(true), count - 1);
  }
});
