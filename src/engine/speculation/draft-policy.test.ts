import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRandom } from '../../../test/support/random-numbers.ts';
import { passMilliseconds, startPassCost, stepPassCost } from '../pass-cost.ts';
import type { PassCost } from '../pass-cost.ts';
import {
  acceptanceOf,
  chooseDrafts,
  mostDraftTokens,
  startAcceptance,
  stepAcceptance,
} from './draft-policy.ts';
import type { Acceptance, DraftChance } from './draft-policy.ts';

/** A machine on which a pass takes a fixed time and one for each token. */
const machine =
  (fixed: number, each: number) =>
  (tokens: number): number =>
    fixed + each * tokens;

function learned(truth: (tokens: number) => number): PassCost {
  let cost = startPassCost();
  for (const tokens of [1, 2, 4, 8, 9, 16, 32, 64, 128]) {
    cost = stepPassCost(cost, { tokens, ms: truth(tokens) });
  }
  return cost;
}

const settled = (rate: number): Acceptance => ({
  taken: 20 * rate,
  judged: 20,
  idle: 0,
  patience: 32,
});
const choose = (cost: PassCost, sequences: readonly DraftChance[], tokens = sequences.length) =>
  chooseDrafts({ tokens, room: 512, decoding: sequences.length, cost }, sequences);
const alone = (cost: PassCost, rate: number, available = 99) =>
  choose(cost, [{ acceptance: settled(rate), available }])[0];

describe('how many drafts are verified', () => {
  const cheap = learned(machine(6, 0.1));
  const dear = learned(machine(1, 5));

  test('many where wide passes cost little, none where a token costs what a pass costs', () => {
    assert.equal(alone(cheap, 0.95), mostDraftTokens);
    assert.equal(alone(dear, 0.95), 0);
    assert.equal(alone(cheap, 0), 0);
  });

  test('fewer the dearer they are, and never more than there are', () => {
    const counts = [0.1, 0.5, 1, 2, 4].map((each) => alone(learned(machine(6, each)), 0.8)!);
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => other - one),
    );
    assert.ok(new Set(counts).size > 2, counts.join());
    assert.equal(alone(cheap, 0.95, 3), 3);
    assert.equal(alone(cheap, 0.95, 0), 0);
  });

  test('none in a full pass, none before a pass was timed', () => {
    const sequences = [{ acceptance: startAcceptance(), available: 8 }];
    const pass = { tokens: 1, room: 0, decoding: 1, cost: cheap };
    assert.deepEqual(chooseDrafts(pass, sequences), [0]);
    assert.deepEqual(chooseDrafts({ ...pass, room: 2 }, sequences), [2]);
    assert.deepEqual(chooseDrafts({ ...pass, room: 9, cost: startPassCost() }, sequences), [0]);
    assert.deepEqual(chooseDrafts(pass, []), []);
  });

  test('the likelier draft goes first', () => {
    const sequences = [0.2, 0.9, 0.5].map((rate) => ({ acceptance: settled(rate), available: 8 }));
    const counts = choose(learned(machine(12, 1)), sequences);
    assert.ok(counts[1]! > counts[2]! && counts[2]! >= counts[0]!, counts.join());
  });

  test('no less than 5 percent is gained, and no other choice gains more', () => {
    const random = createRandom(10);
    let some = 0;
    for (let round = 0; round < 300; round++) {
      const slopes = Array.from({ length: 12 }, () => 3 * random() ** 2);
      const truth = (tokens: number): number =>
        5 + slopes.slice(0, tokens).reduce((sum, slope) => sum + slope, 0);
      let cost = startPassCost();
      for (let tokens = 1; tokens <= 12; tokens++) {
        cost = stepPassCost(cost, { tokens, ms: truth(tokens) });
      }
      const sequences = [0, 1].map(() => ({
        acceptance: settled(random()),
        available: Math.floor(6 * random()),
      }));
      const rateOf = (counts: readonly number[]): number => {
        const tokens = counts.map((count, index) => {
          const each = acceptanceOf(sequences[index]!.acceptance);
          return Array.from({ length: count + 1 }, (_, place) => each ** place);
        });
        const expected = tokens.flat().reduce((sum, probability) => sum + probability, 0);
        return expected / passMilliseconds(cost, tokens.flat().length)!;
      };
      const counts = choose(cost, sequences);
      const all = Array.from({ length: 6 }, (_, first) =>
        Array.from({ length: 6 }, (_unused, second) => [first, second]),
      )
        .flat()
        .filter((one) => one.every((count, index) => count <= sequences[index]!.available));
      const most = Math.max(...all.map(rateOf));
      const plain = rateOf([0, 0]);
      if (counts.every((count) => count === 0)) assert.ok(most <= 1.05 * plain + 1e-12);
      else assert.ok(Math.abs(rateOf(counts) - most) < 1e-12 && most > 1.05 * plain, `${counts}`);
      if (counts.some((count) => count > 0)) some++;
    }
    assert.ok(some > 50 && some < 250, `${some} rounds with drafts`);
  });
});

describe('what is known of a sequence', () => {
  test('tokens behind the first wrong one say nothing', () => {
    const one = stepAcceptance(startAcceptance(), 8, 0);
    assert.deepEqual([one.taken, one.judged], [0, 1]);
    const three = stepAcceptance(startAcceptance(), 8, 2);
    assert.ok(three.taken < 2 && three.taken > 1.8 && three.judged > 2.8 && three.judged < 3);
    const all = stepAcceptance(startAcceptance(), 3, 3);
    assert.equal(all.taken, all.judged);
  });

  test('the estimate comes near the truth, and follows it', () => {
    const random = createRandom(11);
    let state = startAcceptance();
    for (const rate of [0.9, 0.2, 0.7]) {
      let sum = 0;
      for (let step = 0; step < 400; step++) {
        let accepted = 0;
        while (accepted < 4 && random() < rate) accepted++;
        state = stepAcceptance(state, 4, accepted);
        if (step >= 100) sum += acceptanceOf(state) / 300;
        assert.ok(acceptanceOf(state) > 0 && acceptanceOf(state) < 1);
      }
      assert.ok(Math.abs(sum - rate) < 0.05, `${sum} for ${rate}`);
    }
  });
});

/** A sequence alone on a machine, for so many steps; drafts are right with a probability that may change. */
function live(
  truth: (tokens: number) => number,
  steps: number,
  rateAt: (step: number) => number,
  known = learned(truth),
) {
  const random = createRandom(12);
  let cost = known;
  let acceptance = startAcceptance();
  const choices: number[] = [];
  let [tokens, ms] = [0, 0];
  for (let step = 0; step < steps; step++) {
    const [count] = choose(cost, [{ acceptance, available: 8 }]);
    let accepted = 0;
    while (accepted < count! && random() < rateAt(step)) accepted++;
    acceptance = stepAcceptance(acceptance, count!, accepted);
    choices.push(count!);
    tokens += accepted + 1;
    ms += truth(count! + 1);
    cost = stepPassCost(cost, { tokens: count! + 1, ms: truth(count! + 1) });
  }
  return { choices, speed: tokens / ms };
}

describe('over many steps', () => {
  const truth = machine(5, 1.5);
  const plainSpeed = 1 / truth(1);

  test('useless drafts cost next to nothing, and are tried ever more rarely', () => {
    const { choices, speed } = live(truth, 4000, () => 0);
    assert.ok(speed > 0.99 * plainSpeed, `${speed / plainSpeed}`);
    const tried = choices.flatMap((count, step) => (count > 0 ? [step] : []));
    assert.ok(tried.length >= 15 && tried.length < 40, `${tried.length} times`);
    assert.ok(tried.at(-1)! > 3700);
  });

  test('good drafts come near the best that there is', () => {
    const { speed } = live(truth, 2000, () => 0.9);
    const best = Math.max(
      ...Array.from({ length: 9 }, (_, count) => (1 - 0.9 ** (count + 1)) / 0.1 / truth(count + 1)),
    );
    assert.ok(
      speed > 0.95 * best && best > 1.5 * plainSpeed,
      `${speed / best} ${best / plainSpeed}`,
    );
  });

  test('what no pass has cost yet is found out by trying', () => {
    const { choices } = live(truth, 300, () => 0.95, startPassCost());
    assert.ok(choices.includes(mostDraftTokens), choices.join());
  });

  test('drafts that become good are found out', () => {
    const { choices } = live(truth, 1600, (step) => (step < 1000 ? 0 : 0.95));
    const back = choices.findIndex((count, step) => step >= 1000 && count > 2);
    assert.ok(back !== -1 && back < 1300, `${back}`);
    const late = choices.slice(1400);
    assert.ok(late.reduce((sum, count) => sum + count, 0) > 4 * late.length);
  });

  test('one idle sequence at a time is tried', () => {
    const sequences = [40, 90, 90].map((idle) => ({
      acceptance: { taken: 0, judged: 20, idle, patience: 32 },
      available: 5,
    }));
    assert.deepEqual(choose(learned(machine(1, 5)), sequences), [0, 2, 0]);
  });
});
