import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRandom } from '../../../test/support/random-numbers.ts';
import { bestHypotheses, startBeams, stepBeams } from './beam-search.ts';
import type { BeamRules, BeamSearch, Candidate, Hypothesis } from './beam-search.ts';
import { randomTree, searchAll, searchPlainly, widestLevel } from './random-tree.test-support.ts';
import type { Tree, TreeShape } from './random-tree.test-support.ts';

const lengthPenalties = [-1, 0, 0.5, 1, 2];
const stoppings = [true, false, 'never'] as const;

const rulesOf = (some: Partial<BeamRules>): BeamRules => ({
  width: 2,
  lengthPenalty: 1,
  earlyStopping: false,
  maxTokens: 5,
  choices: 1,
  ...some,
});

interface Run {
  readonly hypotheses: readonly Hypothesis<readonly number[]>[];
  readonly steps: number;
}

/** Drives a search to its end and checks each step; a beam's state is its tokens. */
function search(tree: Tree, rules: BeamRules, candidates: number): Run {
  let now = startBeams<readonly number[]>(rules, []);
  for (let steps = 1; ; steps++) {
    const rows = now.live.map(({ state }) => tree.candidates(state).slice(0, candidates));
    const before = now.live;
    const step = stepBeams(now, rows, (tokens, { token }) => {
      const extended = [...tokens, token];
      return { state: extended, ends: tree.ends(extended) };
    });
    now = step.search;
    assert.equal(step.done, now.live.length === 0);
    assert.equal(step.parents.length, now.live.length);
    for (const [index, { state, length, sum }] of now.live.entries()) {
      assert.equal(length, steps);
      assert.deepEqual(state.slice(0, -1), before[step.parents[index]!]!.state);
      if (index > 0) assert.ok(now.live[index - 1]!.sum >= sum);
    }
    assert.ok(now.live.length <= rules.width && now.finished.length <= rules.width);
    if (step.done) return { hypotheses: bestHypotheses(now), steps };
    assert.ok(steps < rules.maxTokens, 'it ends');
  }
}

const plain = ({ hypotheses }: Run) =>
  hypotheses.map(({ tokens, score, finish }) => ({ tokens, score, finish }));

function randomShape(random: () => number, more: Partial<TreeShape> = {}): TreeShape {
  return {
    vocabSize: 2 + Math.floor(random() * 3),
    grain: 0,
    banned: random() < 0.3 ? 0.2 : 0,
    endTokens: random() < 0.9 ? 1 : 0,
    endsAtPair: random() < 0.3,
    ...more,
  };
}

describe('a beam as wide as the tree', () => {
  test('finds what exhaustive search finds, however it stops', () => {
    const random = createRandom(1);
    let compared = 0;
    for (let seed = 0; seed < 60; seed++) {
      const tree = randomTree(seed, randomShape(random));
      const maxTokens = 1 + Math.floor(random() * 4);
      for (const lengthPenalty of lengthPenalties) {
        const rules = rulesOf({ lengthPenalty, maxTokens });
        const all = searchAll(tree, rules);
        const width = Math.max(1, all.length);
        for (const earlyStopping of stoppings) {
          const run = search(tree, { ...rules, width, choices: width, earlyStopping }, 2 * width);
          assert.deepEqual(plain(run), all);
          compared += all.length;
        }
      }
    }
    assert.ok(compared > 5000, `${compared} hypotheses`);
  });

  test('needs to be only as wide as a level of it where the bound is exact', () => {
    const random = createRandom(2);
    let stopped = 0;
    for (let seed = 0; seed < 80; seed++) {
      const tree = randomTree(seed, randomShape(random, { endTokens: 1 }));
      const maxTokens = 2 + Math.floor(random() * 3);
      const width = Math.max(1, widestLevel(tree, maxTokens));
      const choices = 1 + Math.floor(random() * Math.min(3, width));
      for (const lengthPenalty of lengthPenalties) {
        const rules = rulesOf({ lengthPenalty, maxTokens, width, choices, earlyStopping: 'never' });
        const wanted = searchAll(tree, rules).slice(0, choices);
        const run = search(tree, rules, 2 * width);
        assert.deepEqual(plain(run), wanted);
        if (run.steps < maxTokens) stopped++;
        if (lengthPenalty > 0) continue;
        assert.deepEqual(
          plain(search(tree, { ...rules, earlyStopping: false }, 2 * width)),
          wanted,
        );
      }
    }
    assert.ok(stopped > 20, `${stopped} searches stopped early`);
  });
});

describe('a narrow beam', () => {
  test('finds what a plain beam finds, ties included', () => {
    const random = createRandom(3);
    for (let seed = 0; seed < 400; seed++) {
      const vocabSize = 3 + Math.floor(random() * 7);
      const shape = randomShape(random, { vocabSize, grain: random() < 0.5 ? 0.5 : 0 });
      const tree = randomTree(seed, shape);
      const width = 1 + Math.floor(random() * 5);
      const choices = 1 + Math.floor(random() * width);
      const maxTokens = 1 + Math.floor(random() * 9);
      for (const lengthPenalty of lengthPenalties) {
        for (const earlyStopping of stoppings) {
          const rules = { width, choices, maxTokens, lengthPenalty, earlyStopping };
          // The end token and the pair may both end a beam.
          const run = search(tree, rules, width + Math.max(width, 2));
          assert.deepEqual(plain(run), searchPlainly(tree, rules), JSON.stringify({ seed, rules }));
        }
      }
    }
  });

  test('tells scores that can be computed again, best first, and at most what was asked for', () => {
    const random = createRandom(4);
    let told = 0;
    for (let seed = 0; seed < 300; seed++) {
      const tree = randomTree(seed, randomShape(random, { vocabSize: 6, endTokens: 2 }));
      const width = 2 + Math.floor(random() * 4);
      const choices = 1 + Math.floor(random() * width);
      const lengthPenalty = 4 * random() - 2;
      const earlyStopping = stoppings[Math.floor(random() * 3)]!;
      const rules = { width, choices, maxTokens: 12, lengthPenalty, earlyStopping };
      const { hypotheses } = search(tree, rules, 2 * width);
      assert.ok(hypotheses.length <= choices);
      told += hypotheses.length;
      for (const [index, { tokens, logprobs, score, finish, state }] of hypotheses.entries()) {
        assert.deepEqual(state, tokens);
        assert.equal(finish, tree.ends(tokens) ? 'end' : 'length');
        if (finish === 'length') assert.equal(tokens.length, 12);
        const again = tokens.map((token, place) => {
          const row = tree.candidates(tokens.slice(0, place));
          return row.find((candidate) => candidate.token === token)!.logprob;
        });
        assert.deepEqual(logprobs, again);
        const sum = again.reduce((total, logprob) => total + logprob, 0);
        assert.equal(score, sum / tokens.length ** lengthPenalty);
        if (index > 0) assert.ok(hypotheses[index - 1]!.score >= score);
      }
    }
    assert.ok(told > 300, `${told} hypotheses`);
  });
});

const end = 0;
const row = (...logprobs: number[]): Candidate[] =>
  logprobs
    .map((logprob, token) => ({ token, logprob }))
    .toSorted((one, other) => other.logprob - one.logprob);

/** One step in which token 0 ends, the same row for every beam. */
function stepAll(now: BeamSearch<null>, candidates: Candidate[]) {
  const rows = now.live.map(() => candidates);
  return stepBeams(now, rows, (state, { token }) => ({ state, ends: token === end }));
}

describe('when it stops', () => {
  /** Token 0 ends badly, token 1 goes on well. */
  const rows = { first: row(-3, -0.1, -4), later: row(-3, -0.1, -9) };
  const stepsOf = (some: Partial<BeamRules>): number => {
    let now = stepAll(startBeams(rulesOf({ maxTokens: 20, ...some }), null), rows.first);
    let steps = 1;
    for (; !now.done; steps++) now = stepAll(now.search, rows.later);
    return steps;
  };

  test('true: as soon as `width` hypotheses are finished, though the live one is better', () => {
    assert.equal(stepsOf({ earlyStopping: true }), 2);
    assert.equal(stepsOf({ earlyStopping: true, width: 1 }), 20);
  });

  test('false: when the best live beam, as long as it is now, is no better than the worst kept', () => {
    // With no penalty the kept ones stay at -3 and -3.1, which the live beam reaches in step 31.
    assert.equal(stepsOf({ earlyStopping: false, lengthPenalty: 0, maxTokens: 50 }), 31);
    assert.equal(stepsOf({ earlyStopping: false, lengthPenalty: 1, maxTokens: 50 }), 50);
  });

  test('never: when no live beam can be better, told by the greatest length', () => {
    // Two finished at step 1 and 2; the best has -3. A live beam has -0.1 a token.
    const never = { earlyStopping: 'never', lengthPenalty: 0 } as const;
    assert.equal(stepsOf({ ...never, maxTokens: 50 }), 30);
    assert.equal(stepsOf({ ...never, lengthPenalty: 1, maxTokens: 50 }), 50);
    assert.equal(stepsOf({ ...never, choices: 2, maxTokens: 50 }), 31);
  });

  test('when there is nothing to go on with', () => {
    const start = startBeams(rulesOf({ width: 3, choices: 3 }), null);
    const only = stepAll(start, [{ token: end, logprob: 0 }]);
    assert.ok(only.done);
    assert.deepEqual(
      bestHypotheses(only.search).map(({ tokens, score }) => [tokens, score]),
      [[[end], 0]],
    );
    const nothing = stepAll(start, []);
    assert.ok(nothing.done);
    assert.deepEqual(bestHypotheses(nothing.search), []);
  });

  test('at once where the first token is the last one', () => {
    const step = stepAll(startBeams(rulesOf({ maxTokens: 1, choices: 2 }), null), rows.first);
    assert.deepEqual(
      bestHypotheses(step.search).map(({ tokens, finish }) => [tokens, finish]),
      [
        [[1], 'length'],
        [[end], 'end'],
      ],
    );
  });
});

test('an end that is not among the best `width` continuations is no hypothesis', () => {
  const start = startBeams(rulesOf({ width: 1 }), null);
  assert.equal(stepAll(start, row(-2, -1)).search.finished.length, 0);
  assert.equal(stepAll(start, row(-1, -2)).search.finished.length, 1);
});

test('equal continuations go by parent, then by their place in the list', () => {
  const start = startBeams(rulesOf({ width: 2 }), null);
  const first = stepAll(start, row(-9, -1, -1, -1)).search;
  assert.deepEqual(
    first.live.map(({ path }) => path?.candidate.token),
    [1, 2],
  );
  const second = stepAll(first, row(-9, -1, -1));
  assert.deepEqual(second.parents, [0, 0]);
  const apart = stepBeams(first, [row(-9, -2, -3), row(-9, -2)], (state) => ({
    state,
    ends: false,
  }));
  assert.deepEqual(apart.parents, [0, 1]);
});

test('scores beyond all numbers are still in order', () => {
  for (const lengthPenalty of [-5000, 5000]) {
    const start = startBeams(rulesOf({ lengthPenalty, width: 3, choices: 3, maxTokens: 2 }), null);
    const [certain, rest] = [stepAll(start, row(-800, 0, -800)), row(-1, 0, -1)];
    const scores = bestHypotheses(stepAll(certain.search, rest).search).map(({ score }) => score);
    assert.equal(Math.abs(scores[0]!), 0);
    assert.ok(scores.length === 3 && scores.every((score) => score <= 0), scores.join());
  }
});

test('a search is not changed by a step, and lists must fit the beams', () => {
  const start = startBeams(rulesOf({}), null);
  const before = JSON.stringify(start);
  stepAll(start, row(-1, -2));
  assert.equal(JSON.stringify(start), before);
  assert.throws(() => stepBeams(start, [], (state) => ({ state, ends: false })), {
    reason: 'internal',
  });
});
