/** What is drawn: frequencies by a chi-squared test with fixed seeds, and reproducibility. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Sampling } from '../protocol.ts';
import { createSampler } from './create-sampler.ts';
import { createUniform } from './random.ts';
import {
  createDice,
  plainVocabulary,
  randomRow,
  vocabularyOf,
} from './random-rows.test-support.ts';
import { seededSampling, referenceDistribution } from './reference-sampler.test-support.ts';

const draws = 20_000;
const size = 12;
const context = {
  vocabulary: plainVocabulary(size),
  promptTokens: [],
  choice: 0,
  needLogprob: false,
};
const logits = Float32Array.from({ length: size }, (_, id) => ((id * 7) % size) / 4);

/** The value that chi-squared passes with probability 0.001 (Wilson and Hilferty, 1931). */
function chiSquaredLimit(freedom: number): number {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 3.09 * Math.sqrt(spread)) ** 3;
}

/** Of the counted draws against what the reference says they should be. */
function chiSquared(counts: readonly number[], probabilities: readonly number[]) {
  let statistic = 0;
  let freedom = -1;
  for (const [id, probability] of probabilities.entries()) {
    if (probability === 0) {
      assert.equal(counts[id], 0, `token ${id} is impossible`);
      continue;
    }
    statistic += (counts[id]! - probability * draws) ** 2 / (probability * draws);
    freedom++;
  }
  return { statistic, limit: chiSquaredLimit(Math.max(freedom, 1)) };
}

describe('frequencies of 20,000 draws', () => {
  const pieces = ['a', 'b', 'c', 'ab', 'bc', 'ca', ' a', ' b', 'aa', 'bb', 'cc', 'abc'];
  const texts = {
    ...context,
    promptTokens: [3, 3, 9],
    vocabulary: vocabularyOf(
      pieces.map((piece) => new TextEncoder().encode(piece)),
      [9],
      new Set(),
    ),
  };
  /** Each draw comes behind these tokens, so that what depends on them is measured too. */
  const cases: (readonly [changes: Partial<Sampling>, output?: readonly number[]])[] = [
    [{}],
    [{ temperature: 0.5 }],
    [{ temperature: 4 }],
    [{ topK: 4 }],
    [{ topP: 0.7 }],
    [{ minP: 0.3 }],
    [{ temperature: 0.8, topK: 8, topP: 0.9, minP: 0.05 }],
    [{ topP: 0.9, topPDecay: 0.8, topPMin: 0.3 }, [1, 2, 3]],
    [{ topP: 0.9, topPDecay: 0.5, topPResetIds: [2] }, [1, 1, 2]],
    [{ topP: 0.3, topPMin: 0.6 }, [1]],
    [{ frequencyPenalty: 0.7 }, [1, 1, 2, 7]],
    [{ presencePenalty: 1.5 }, [1, 1, 2, 7]],
    [{ repetitionPenalty: 1.6 }, [1, 1, 2, 7]],
    [{ frequencyPenalty: -0.5, presencePenalty: 0.4, repetitionPenalty: 0.8 }, [1, 1, 2, 7]],
    [{ logitBias: [[3, 2]] }],
    [{ badTokenIds: [5, 11] }],
    [{ bad: ['ab', 'cc'] }, [1, 0]],
    [{ minTokens: 3, stopTokenIds: [4] }, [1, 1]],
    [{ logitBias: [[3, 2]], badTokenIds: [5], bad: ['bb'], temperature: 1.3, topP: 0.95 }, [1]],
    [
      {
        temperature: 1.5,
        minP: 0.02,
        topK: 9,
        topP: 0.95,
        topPDecay: 0.95,
        topPMin: 0.8,
        frequencyPenalty: 0.3,
        presencePenalty: 0.2,
        repetitionPenalty: 1.1,
        logitBias: [[8, 1]],
        bad: ['aaa'],
        minTokens: 9,
      },
      [0, 6, 2],
    ],
  ];
  for (const [changes, output = []] of cases) {
    test(`${JSON.stringify(changes)} behind ${output.length} tokens`, () => {
      const sampling = { ...seededSampling, ...changes, seed: '2026' };
      const { probabilities } = referenceDistribution({
        logits,
        sampling,
        context: texts,
        output,
      });
      assert.ok(probabilities.filter((probability) => probability > 0).length > 1);
      const counts = probabilities.map(() => 0);
      for (let choice = 0; choice < draws; choice++) {
        const sampler = createSampler(sampling, { ...texts, choice });
        for (const token of output) sampler.skip(token);
        const { token } = sampler.sample(logits);
        counts[token] = counts[token]! + 1;
      }
      const { statistic, limit } = chiSquared(counts, probabilities);
      assert.ok(statistic < limit, `chi-squared ${statistic} is over ${limit}`);
    });
  }

  test('and one stream drawn from again and again', () => {
    const sampling = { ...seededSampling, temperature: 1.2, topP: 0.98, seed: '4' };
    const { probabilities } = referenceDistribution({ logits, sampling, context, output: [] });
    const sampler = createSampler(sampling, context);
    const counts = probabilities.map(() => 0);
    for (let i = 0; i < draws; i++) {
      const { token } = sampler.sample(logits);
      counts[token] = counts[token]! + 1;
    }
    const { statistic, limit } = chiSquared(counts, probabilities);
    assert.ok(statistic < limit, `chi-squared ${statistic} is over ${limit}`);
  });
});

describe('reproducibility', () => {
  const tokens = (changes: Partial<Sampling>, choice: number): number[] => {
    const sampler = createSampler({ ...seededSampling, ...changes }, { ...context, choice });
    const dice = createDice(9);
    return Array.from({ length: 60 }, () => sampler.sample(randomRow(dice, size)).token);
  };

  test('the same seed and choice draw the same, others do not', () => {
    const seeds = ['0', '1', '-1', '9223372036854775807', '-9223372036854775808'];
    const runs = seeds.flatMap((seed) =>
      [0, 1, 2].map((choice) => tokens({ seed }, choice).join()),
    );
    const again = seeds.flatMap((seed) =>
      [0, 1, 2].map((choice) => tokens({ seed }, choice).join()),
    );
    assert.deepEqual(runs, again);
    assert.equal(new Set(runs).size, runs.length);
    assert.notEqual(tokens({ seed: null }, 0).join(), tokens({ seed: null }, 0).join());
  });

  test('two samplers that take turns do not disturb each other', () => {
    const rows = Array.from({ length: 40 }, (_, i) => randomRow(createDice(i), size));
    const make = (seed: string) =>
      createSampler({ ...seededSampling, seed, topP: 0.9, repetitionPenalty: 1.2 }, context);
    const alone = rows.map(
      (
        (sampler) => (row: Float32Array) =>
          sampler.sample(row).token
      )(make('7')),
    );
    const [first, second] = [make('7'), make('8')];
    const inCompany = rows.map((row) => {
      second.sample(row);
      return first.sample(row).token;
    });
    assert.deepEqual(inCompany, alone);
  });

  test('a token costs one draw, whatever the filters leave of it', () => {
    const uniform = createUniform('5', 0);
    for (let i = 0; i < 3; i++) uniform();
    const expected = Math.floor(uniform() * size);
    const sampler = createSampler({ ...seededSampling, seed: '5' }, context);
    const certain = new Float32Array(size);
    certain[4] = 1000;
    for (let i = 0; i < 3; i++) assert.equal(sampler.sample(certain).token, 4);
    assert.equal(sampler.sample(new Float32Array(size)).token, expected);
  });

  test('tokens and log-probabilities are the same bits on every machine', () => {
    const sampling = { ...seededSampling, seed: '6', temperature: 0.7, topP: 0.9, topLogprobs: 0 };
    const vocabulary = plainVocabulary(5000);
    const sampler = createSampler(sampling, { ...context, vocabulary });
    const uniform = createUniform('77', 0);
    const drawn = Array.from({ length: 6 }, () => {
      const row = Float32Array.from({ length: 5000 }, () => 16 * uniform() - 8);
      const { token, logprob } = sampler.sample(row);
      return [token, logprob];
    });
    assert.deepEqual(drawn, [
      [1623, -5.79050852990291],
      [1065, -7.159406623686348],
      [689, -6.731035520538562],
      [3592, -5.686850866431424],
      [3881, -6.509925688211791],
      [3809, -6.464157753290008],
    ]);
  });

  test('the random stream stays as it is from version to version', () => {
    const uniform = createUniform('42', 0);
    const other = createUniform('42', 1);
    assert.deepEqual(
      [uniform(), uniform(), other()],
      [0.4137016681565887, 0.003983993377814743, 0.14471658056240788],
    );
  });
});

describe('the uniform numbers', () => {
  test('fill [0, 1) evenly', () => {
    const uniform = createUniform('-3', 2);
    const counts = Array.from({ length: 64 }, () => 0);
    for (let i = 0; i < 64_000; i++) {
      const bin = Math.floor(uniform() * 64);
      counts[bin] = counts[bin]! + 1;
    }
    const statistic = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    assert.ok(statistic < chiSquaredLimit(63), `chi-squared ${statistic}`);
  });
});
