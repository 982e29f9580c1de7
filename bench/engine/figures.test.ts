import assert from 'node:assert/strict';
import { test } from 'node:test';

import { summarise, toFigures, type Goal } from './figures.ts';

const figure = (goal: Goal | null, ours: number[], theirs: number[]) => ({
  label: 'speed',
  unit: 'tok/s',
  goal,
  values: { ours, theirs },
});

test('a goal on the ratio looks at ours over the first rival', () => {
  const goal = { of: 'ratio', bound: 'at least', value: 1 } as const;
  const better = summarise(figure(goal, [10, 12, 30], [10, 10, 10]));
  assert.deepEqual(better.medians, { ours: 12, theirs: 10 });
  assert.deepEqual(better.ratios, { theirs: 1.2 });
  assert.equal(better.met, true);
  assert.equal(summarise(figure(goal, [9], [10])).met, false);
  assert.equal(summarise(figure({ ...goal, bound: 'at most' }, [9], [10])).met, true);
});

test('a goal on our own value looks at no rival; what was not measured meets no goal', () => {
  const goal = { of: 'value', bound: 'at most', value: 3 } as const;
  assert.equal(summarise(figure(goal, [2], [1])).met, true);
  assert.equal(summarise(figure(goal, [4], [100])).met, false);
  assert.equal(summarise(figure(goal, [], [])).met, false);
  assert.equal(summarise(figure(null, [4], [1])).met, null);
});

test('samples become figures, label by label', () => {
  const samples = new Map([
    ['ours', [{ a: 1, b: 2 }]],
    ['theirs', [{ a: 3, b: 4 }]],
  ]);
  assert.deepEqual(toFigures(samples, { b: { unit: 'ms' } }), [
    { label: 'b', unit: 'ms', goal: null, values: { ours: [2], theirs: [4] } },
  ]);
});
