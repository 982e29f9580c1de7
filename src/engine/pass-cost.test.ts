import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRandom } from '../../test/support/random-numbers.ts';
import { passMilliseconds, startPassCost, stepPassCost, tokensWithin } from './pass-cost.ts';
import type { PassCost } from './pass-cost.ts';

const learn = (...passes: (readonly [tokens: number, ms: number])[]): PassCost =>
  passes.reduce((cost, [tokens, ms]) => stepPassCost(cost, { tokens, ms }), startPassCost());

const near = (got: number | null, wanted: number, share: number, what = ''): void => {
  assert.ok(got !== null && Math.abs(got - wanted) <= share * wanted, `${what} ${got}, ${wanted}`);
};

describe('the cost of a pass', () => {
  test('nothing is known at first, and what teaches nothing changes nothing', () => {
    const start = startPassCost();
    assert.equal(passMilliseconds(start, 1), null);
    for (const [tokens, ms] of [
      [0, 5],
      [1, 0],
      [1, -1],
      [1, NaN],
      [1, Infinity],
      [NaN, 1],
    ] as const) {
      assert.equal(stepPassCost(start, { tokens, ms }), start);
    }
  });

  test('known widths as they were, a line between them, a proportion below', () => {
    const cost = learn([2, 8], [100, 204], [6, 10]);
    assert.equal(passMilliseconds(cost, 2), 8);
    assert.equal(passMilliseconds(cost, 6), 10);
    assert.equal(passMilliseconds(cost, 100), 204);
    assert.equal(passMilliseconds(cost, 4), 9);
    near(passMilliseconds(cost, 53), 107, 1e-9);
    assert.equal(passMilliseconds(cost, 1), 4);
  });

  test('a line goes on above, though never down and never above proportion', () => {
    const cost = learn([1, 6], [3, 8]);
    assert.equal(passMilliseconds(cost, 9), 14);
    assert.equal(passMilliseconds(learn([1, 6], [3, 5]), 9), 5);
    assert.equal(passMilliseconds(learn([1, 6], [3, 30]), 9), 90);
    assert.equal(passMilliseconds(learn([1, 6], [3, 8], [4, 40]), 8), 80);
    assert.equal(
      passMilliseconds(learn([1, 6], [40, 60], [80, 110], [100, 130]), 200),
      (7 * 100) / 6 + 130,
    );
    assert.equal(passMilliseconds(learn([3, 8], [4, 9]), 8), 18);
    assert.equal(passMilliseconds(learn([3, 8]), 9), 24);
  });

  test('narrow passes need not be on a line', () => {
    const cost = learn([1, 6], [2, 11], [4, 12], [8, 13], [9, 30]);
    assert.deepEqual(
      [1, 2, 4, 8, 9].map((tokens) => passMilliseconds(cost, tokens)),
      [6, 11, 12, 13, 30],
    );
  });

  test('a few slow passes do not count, a lasting change does', () => {
    const steady = learn([1, 400], [1, 7], [1, 7], [1, 7]);
    assert.equal(passMilliseconds(steady, 1), 7);
    const slow = (times: number) => Array.from({ length: times }, () => [1, 20] as const);
    const fast = Array.from({ length: 9 }, () => [1, 7] as const);
    assert.equal(passMilliseconds(learn(...fast, ...slow(4)), 1), 7);
    assert.equal(passMilliseconds(learn(...fast, ...slow(5)), 1), 20);
  });

  test('a state is not changed by a step', () => {
    const before = learn([1, 7], [30, 60]);
    const kept = structuredClone(before);
    stepPassCost(before, { tokens: 1, ms: 9 });
    assert.deepEqual(before, kept);
  });
});

test('noisy passes of a machine with a bend at 8 tokens are learned within 10 percent', () => {
  const random = createRandom(6);
  const truth = (tokens: number): number =>
    6 + 0.8 * Math.min(tokens, 8) + 2 * Math.max(0, tokens - 8);
  for (let round = 0; round < 20; round++) {
    let cost = startPassCost();
    for (let pass = 0; pass < 1500; pass++) {
      const tokens = 1 + Math.floor(random() ** 3 * 512);
      const noise = random() < 0.1 ? 3 + 5 * random() : 0.98 + 0.04 * random();
      cost = stepPassCost(cost, { tokens, ms: truth(tokens) * noise });
    }
    for (const tokens of [1, 2, 3, 5, 8, 9, 12, 16, 20, 40, 100, 300, 500]) {
      near(passMilliseconds(cost, tokens), truth(tokens), 0.1, `${tokens} tokens:`);
    }
    assert.ok(cost.typical.length < 32);
    assert.ok([...cost.recent.values()].every((passes) => passes.length <= 9));
  }
});

test('the classes follow each other without a gap', () => {
  const cost = learn(
    ...Array.from({ length: 2048 }, (_, index) => [index + 1, index + 1] as const),
  );
  const keys = [...cost.recent.keys()];
  assert.deepEqual(
    keys,
    keys.map((_, index) => index + 1),
  );
  const widest = [...cost.recent.values()].map((passes) => passes.at(-1)!.tokens);
  assert.deepEqual(widest.slice(14, 24), [15, 16, 24, 32, 48, 64, 96, 128, 192, 256]);
});

test('what fits into a time: a number that fits while one more does not', () => {
  assert.equal(tokensWithin(startPassCost(), 5, 64), 64);
  const cost = learn([1, 6], [8, 20], [128, 260]);
  assert.equal(tokensWithin(cost, 5, 512), 0);
  assert.equal(tokensWithin(cost, 6, 512), 1);
  assert.equal(tokensWithin(cost, 20, 512), 8);
  assert.equal(tokensWithin(cost, 1e9, 512), 512);
  assert.equal(tokensWithin(cost, 1e9, 0), 0);
  const random = createRandom(7);
  for (let round = 0; round < 300; round++) {
    const passes = Array.from(
      { length: 1 + Math.floor(6 * random()) },
      () => [1 + Math.floor(200 * random()), 1 + 300 * random()] as const,
    );
    const learned = learn(...passes);
    const [ms, most] = [400 * random(), Math.floor(300 * random())];
    const fit = tokensWithin(learned, ms, most);
    if (fit > 0) assert.ok(passMilliseconds(learned, fit)! <= ms);
    if (fit < most) assert.ok(passMilliseconds(learned, fit + 1)! > ms);
  }
});
