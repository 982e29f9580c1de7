/** The compiled passes, each against the same in plain JavaScript. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { kernels } from './kernels.ts';
import { createDice, randomRow } from './random-rows.test-support.ts';
import { currentWorkspace, gatherFrom, loadRow, scanRow, sumWeights } from './workspace.ts';

test('weights are e^x to 14 digits, exact at 0, and stay at e^-700 below it', () => {
  const dice = createDice(1);
  for (const spread of [0.001, 1, 37, 700, 1e6]) {
    const row = Float32Array.from({ length: 5000 }, () => -spread * dice.uniform());
    row[0] = 0;
    row[1] = -Infinity;
    const { values } = loadRow(row);
    const { at, weights } = currentWorkspace();
    kernels.weigh(at.row, values.length, 0, 1, at.weights);
    assert.equal(weights[0], 1);
    for (const [id, logit] of row.entries()) {
      const expected = Math.exp(Math.max(logit, -700));
      const weight = weights[id]!;
      assert.ok(Math.abs(weight - expected) <= 1e-14 * expected, `e^${logit}: ${weight}`);
    }
  }
});

test('weights take the temperature in Float64', () => {
  const row = Float32Array.of(3, 2.5, -1);
  loadRow(row);
  const { at, weights } = currentWorkspace();
  kernels.weigh(at.row, 3, 3, 1 / 0.7, at.weights);
  for (const [id, logit] of row.entries()) {
    assert.ok(Math.abs(weights[id]! / Math.exp((logit - 3) / 0.7) - 1) < 1e-14);
  }
});

test('the best token is the first of the largest, in rows of every length', () => {
  const dice = createDice(2);
  for (let round = 0; round < 2000; round++) {
    const row = randomRow(dice, dice.whole(1, 300));
    const { best, max } = scanRow(loadRow(row));
    const largest = Math.max(...row);
    // Adding 0 makes -0 the same as 0.
    assert.equal(max + 0, largest + 0);
    assert.equal(best, largest === -Infinity ? -1 : row.indexOf(largest));
  }
});

test('a NaN or +Infinity anywhere is an error that names the token', () => {
  for (const size of [1, 63, 64, 65, 200]) {
    for (const bad of [NaN, Infinity, -NaN]) {
      for (let place = 0; place < size; place++) {
        const row = new Float32Array(size).fill(-1);
        row[place] = bad;
        assert.throws(() => scanRow(loadRow(row)), new RegExp(`token ${place},`));
      }
    }
  }
});

test('what is at or above a floor is gathered in order', () => {
  const dice = createDice(3);
  for (let round = 0; round < 2000; round++) {
    const row = randomRow(dice, dice.whole(1, 300));
    const floor = dice.pick([row[dice.whole(0, row.length - 1)]!, Math.fround(dice.normal() * 5)]);
    if (floor === -Infinity) continue;
    const { values } = loadRow(row);
    scanRow({ values });
    const size = gatherFrom(row.length, floor);
    const expected = [...row.keys()].filter((id) => row[id]! >= floor);
    const { ids, logits } = currentWorkspace();
    assert.deepEqual(Array.from(ids.subarray(0, size)), expected);
    assert.deepEqual(
      Array.from(logits.subarray(0, size)),
      expected.map((id) => row[id]),
    );
  }
});

/** Puts random entries into the workspace; returns them as they are there. */
function fillEntries(dice: ReturnType<typeof createDice>, size: number) {
  loadRow(new Float32Array(size));
  const { ids, logits, weights } = currentWorkspace();
  for (let i = 0; i < size; i++) {
    ids[i] = i * 3;
    logits[i] = dice.pick([-1, 0, 0.5, dice.normal()]);
    weights[i] = dice.uniform();
  }
  weights.fill(0, size, size + 16);
  return readEntries(size);
}

function readEntries(size: number) {
  const { ids, logits, weights } = currentWorkspace();
  return Array.from({ length: size }, (_, i) => ({
    id: ids[i]!,
    logit: logits[i]!,
    weight: weights[i]!,
  }));
}

test('light entries are dropped, and those behind a cut', () => {
  const dice = createDice(4);
  for (let round = 0; round < 3000; round++) {
    const size = dice.whole(1, 70);
    const least = dice.pick([0.01, 0.5, 0.99, 2]);
    const entries = fillEntries(dice, size);
    const { at } = currentWorkspace();
    const heavy = kernels.keepHeavy(at.ids, at.logits, at.weights, size, least);
    assert.deepEqual(
      readEntries(heavy),
      entries.filter(({ weight }) => weight >= least),
    );
    const others = fillEntries(dice, size);
    const cut = dice.pick(others);
    const best = kernels.keepBest(at.ids, at.logits, at.weights, size, cut.logit, cut.id);
    assert.deepEqual(
      readEntries(best),
      others.filter(({ logit, id }) => logit > cut.logit || (logit === cut.logit && id <= cut.id)),
    );
  }
});

test('sums do not depend on what was there before', () => {
  const dice = createDice(5);
  for (let round = 0; round < 500; round++) {
    const entries = fillEntries(dice, dice.whole(1, 100));
    const plain = entries.reduce((sum, { weight }) => sum + weight, 0);
    const first = sumWeights(entries.length);
    assert.ok(Math.abs(first - plain) < 1e-12);
    currentWorkspace().weights.fill(9, entries.length, entries.length + 20);
    assert.equal(sumWeights(entries.length), first);
  }
});
