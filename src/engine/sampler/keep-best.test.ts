/** Selection against sorting everything, on values that make the bins narrow, wide, or useless. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keepBest, keepUpTo } from './keep-best.ts';
import { createDice, type Dice } from './random-rows.test-support.ts';
import { currentWorkspace, loadRow } from './workspace.ts';

const shapes: Readonly<Record<string, (dice: Dice, i: number) => number>> = {
  normal: (dice) => dice.normal(),
  'one far above a crowd': (dice, i) => (i === 70 ? 1e30 : dice.uniform() * 1e-3),
  'a crowd near zero': (dice) => dice.uniform() * 10 ** dice.whole(-44, 0),
  'every power of two': (dice) => 2 ** dice.whole(-140, 100) * dice.pick([-1, 1]),
  'few values': (dice) => dice.pick([-0, 0, 1, 1.5]),
  'one value': () => -3,
  neighbours: (dice) => 1 + dice.whole(0, 3) * 2 ** -23,
};

for (const [name, shape] of Object.entries(shapes)) {
  test(`keeps what a sort would: ${name}`, () => {
    const dice = createDice(name.length);
    for (let round = 0; round < 60; round++) {
      const size = dice.pick([1, 2, 5, 128, 129, 700, 5000]);
      loadRow(new Float32Array(size));
      const { ids, logits, weights } = currentWorkspace();
      for (let i = 0; i < size; i++) {
        ids[i] = i + 5;
        logits[i] = shape(dice, i);
        // Whole numbers, equal for equal logits, so that sums are exact in every order.
        weights[i] = 1 + (Math.abs(Math.trunc(logits[i]! * 1000)) % 7);
      }
      const values = Array.from(logits.subarray(0, size));
      const heavy = Array.from(weights.subarray(0, size));
      const order = [...values.keys()].sort((a, b) => values[b]! - values[a]! || a - b);
      const total = heavy.reduce((sum, weight) => sum + weight, 0);
      const mass = dice.pick([0, 1, dice.whole(1, total), total, total + 1]);
      let reached = 0;
      let count = 0;
      do reached += heavy[order[count++]!]!;
      while (reached < mass && count < size);
      const kept = order.slice(0, count).map((i) => i + 5);
      const left = keepUpTo(size, mass);
      assert.deepEqual(
        Array.from(ids.subarray(0, left)),
        kept.sort((a, b) => a - b),
      );
      assert.deepEqual(
        Array.from(logits.subarray(0, left)),
        kept.map((id) => values[id - 5]),
      );
      const fewer = dice.whole(1, left);
      const best = order.slice(0, fewer).map((i) => i + 5);
      assert.deepEqual(
        Array.from(ids.subarray(0, keepBest(left, fewer))),
        best.sort((a, b) => a - b),
      );
    }
  });
}
