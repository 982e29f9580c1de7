import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseSlot, planMoves } from './slot-policy.ts';

const patterns = Array.from({ length: 256 }, (_, pattern) =>
  Array.from({ length: 8 }, (_slot, slot) => (pattern & (1 << slot)) !== 0),
);
const free = { taken: false, lastUse: null };
const taken = { taken: true, lastUse: null };
const left = (lastUse: number) => ({ taken: false, lastUse });

function gaps(slots: readonly boolean[]): number {
  const first = slots.indexOf(true);
  return first === -1
    ? 0
    : slots.slice(first, slots.lastIndexOf(true)).filter((one) => !one).length;
}

test('holes are closed with the fewest moves, wherever the block then lies', () => {
  assert.deepEqual(planMoves([true, false, true, true, false]), [{ from: 3, to: 1 }]);
  assert.deepEqual(planMoves([false, false, true, true]), []);
  assert.deepEqual(planMoves([true, false, false, true]), [{ from: 3, to: 1 }]);
});

test('any table is without a hole after its moves', () => {
  for (const pattern of patterns) {
    const now = [...pattern];
    for (const { from, to } of planMoves(pattern)) {
      assert.ok(now[from] === true && now[to] === false);
      now[from] = false;
      now[to] = true;
    }
    assert.equal(gaps(now), 0);
    assert.equal(now.filter(Boolean).length, pattern.filter(Boolean).length);
  }
});

test('a new sequence takes the slot that needs the fewest moves', () => {
  for (const pattern of patterns) {
    const chosen = chooseSlot(pattern.map((one) => ({ taken: one, lastUse: null })));
    if (chosen === null) {
      assert.ok(pattern.every(Boolean));
      continue;
    }
    assert.equal(pattern[chosen], false);
    const movesWith = (slot: number) => planMoves(pattern.with(slot, true)).length;
    const best = Math.min(...pattern.flatMap((one, slot) => (one ? [] : [movesWith(slot)])));
    assert.equal(movesWith(chosen), best);
  }
});

test('among slots that are as near, the one that holds nothing, then the oldest content', () => {
  assert.equal(chooseSlot([left(3), left(1), left(2)]), 1);
  assert.equal(chooseSlot([left(3), free, left(1)]), 1);
  assert.equal(chooseSlot([left(1), taken, left(9), free]), 0);
  assert.equal(chooseSlot([taken, taken]), null);
});
