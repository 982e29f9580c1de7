/** The sampler against the plain reference, and each rule of docs/sampling.md by itself. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { Sampling } from '../protocol.ts';
import { checkSampling } from './check-sampling.ts';
import { createSampler } from './create-sampler.ts';
import {
  createDice,
  plainVocabulary,
  randomInput,
  randomRow,
  vocabularyOf,
} from './random-rows.test-support.ts';
import {
  seededSampling,
  referenceDistribution,
  referenceLogits,
  referenceLogprobs,
} from './reference-sampler.test-support.ts';
import type { ReferenceInput } from './reference-sampler.test-support.ts';
import type { Sampler, SamplerContext } from './sampler.ts';

const plainContext: SamplerContext = {
  vocabulary: plainVocabulary(4),
  promptTokens: [],
  choice: 0,
  needLogprob: false,
};

function samplerOf(changes: Partial<Sampling>, context: Partial<SamplerContext> = {}): Sampler {
  return createSampler({ ...seededSampling, ...changes }, { ...plainContext, ...context });
}

function fast({ logits, sampling, context, output }: ReferenceInput): number[] {
  const sampler = createSampler(sampling, context);
  for (const token of output) sampler.skip(token);
  const probabilities = Array.from(logits, () => 0);
  for (const { token, probability } of sampler.distribution(logits)) {
    probabilities[token] = probability;
  }
  return probabilities;
}

function isEdited(input: ReferenceInput): boolean {
  const edited = referenceLogits(input);
  return edited.some((logit, id) => logit !== input.logits[id]);
}

describe('the sampler and the reference', () => {
  for (const [size, rounds] of [
    [8, 3000],
    [200, 1000],
    [3000, 50],
  ] as const) {
    test(`agree on ${rounds} random rows of ${size}`, () => {
      const dice = createDice(size);
      let compared = 0;
      for (let round = 0; round < rounds; round++) {
        const input = randomInput(dice, size);
        const { sampling } = input;
        if (!referenceLogits(input).some((logit) => logit > -Infinity)) continue;
        const { probabilities, margin } = referenceDistribution(input);
        const edited = isEdited(input);
        if (margin < (edited ? 1e-3 : 1e-9)) continue;
        compared++;
        const actual = fast(input);
        const tolerance = edited ? 1e-3 : 1e-10;
        for (const [id, expected] of probabilities.entries()) {
          const difference = Math.abs(actual[id]! - expected);
          if (difference <= tolerance * expected + 1e-15) continue;
          assert.fail(
            `round ${round}, token ${id}: ${actual[id]} instead of ${expected} for ${JSON.stringify(sampling)}`,
          );
        }
      }
      assert.ok(compared > rounds * 0.8, `only ${compared} of ${rounds} were far from a threshold`);
    });
  }

  test('agree on raw log-probabilities and their order', () => {
    const dice = createDice(5);
    for (let round = 0; round < 500; round++) {
      const logits = randomRow(dice, 100);
      const sampling = { temperature: 0, topLogprobs: 20, badTokenIds: [3], repetitionPenalty: 2 };
      const { token, logprob, top } = samplerOf(sampling, {
        vocabulary: plainVocabulary(100),
      }).sample(logits);
      const expected = referenceLogprobs(logits);
      const order = expected.map((_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);
      assert.deepEqual(
        top?.map((entry) => entry.token),
        order.slice(0, 20),
      );
      assert.ok(Math.abs(logprob! - expected[token]!) < 1e-9);
      for (const entry of top ?? [])
        assert.ok(Math.abs(entry.logprob - expected[entry.token]!) < 1e-9);
    }
  });
});

describe('greedy', () => {
  test('takes the best token, the lowest ID on ties', () => {
    const row = Float32Array.of(1, 3, 3, 2);
    for (const changes of [{ temperature: 0 }, { temperature: 9e-6 }, { topK: 1 }]) {
      assert.equal(samplerOf(changes).sample(row).token, 1);
    }
  });

  test('takes no draw and never writes to the logits', () => {
    const row = Float32Array.of(1, 3, -2, 2);
    const sampler = samplerOf({
      temperature: 0,
      badTokenIds: [1],
      logitBias: [[0, 5]],
      repetitionPenalty: 3,
      minTokens: 5,
      stopTokenIds: [3],
      topLogprobs: 2,
    });
    sampler.sample(row);
    assert.deepEqual(Array.from(row), [1, 3, -2, 2]);
  });
});

describe('filters', () => {
  const even = new Float32Array(6);
  const context = { vocabulary: plainVocabulary(6) };
  const ids = (changes: Partial<Sampling>, row: Float32Array): number[] =>
    samplerOf(changes, context)
      .distribution(row)
      .map(({ token }) => token);

  test('top_k keeps exactly k, the lower IDs among equals', () => {
    assert.deepEqual(ids({ topK: 2 }, even), [0, 1]);
    assert.deepEqual(ids({ topK: 3 }, Float32Array.of(0, 0, 5, 0, 0, 5)), [0, 2, 5]);
    assert.deepEqual(ids({ topK: 3 }, Float32Array.of(-0, 0, 0, -0, 0, 0)), [0, 1, 2]);
  });

  test('top_p keeps the smallest set that reaches p, and always the best', () => {
    assert.deepEqual(ids({ topP: 0 }, even), [0]);
    assert.deepEqual(ids({ topP: 0.5 }, even), [0, 1, 2]);
    assert.deepEqual(ids({ topP: 0.51 }, even), [0, 1, 2, 3]);
    assert.deepEqual(ids({ topP: 0 }, Float32Array.of(0, 0, 0, 9, 0, 9)), [3]);
  });

  test('min_p is relative to the best, after temperature', () => {
    const row = Float32Array.of(0, Math.log(0.5), Math.log(0.2), Math.log(0.05), -50, 0);
    assert.deepEqual(ids({ minP: 0.1 }, row), [0, 1, 2, 5]);
    assert.deepEqual(ids({ minP: 1 }, row), [0, 5]);
    assert.deepEqual(ids({ minP: 0.1, temperature: 2 }, row), [0, 1, 2, 3, 5]);
  });

  test('min_p holds to the last bit of a logit', () => {
    const dice = createDice(12);
    const seen = new Set<boolean>();
    for (let round = 0; round < 500; round++) {
      const minP = dice.uniform();
      const shift = dice.pick([0, 0, 1000, -1000]);
      const edge = Math.fround(shift + Math.log(minP));
      const row = Float32Array.of(shift, edge, shift - 100, shift - 100, shift - 100, shift - 100);
      const stays = edge >= shift + Math.log(minP);
      assert.deepEqual(ids({ minP }, row), stays ? [0, 1] : [0], `${minP}, ${shift}`);
      seen.add(stays);
    }
    assert.equal(seen.size, 2);
  });

  test('top_p measures what min_p and top_k left', () => {
    // Alone the best has 0.4 of the mass; among the two best it has 0.57.
    const row = Float32Array.from([0.4, 0.3, 0.1, 0.1, 0.05, 0.05], Math.log);
    assert.deepEqual(ids({ topP: 0.55 }, row), [0, 1]);
    assert.deepEqual(ids({ topP: 0.55, topK: 2 }, row), [0]);
    assert.deepEqual(ids({ topP: 0.55, minP: 0.5 }, row), [0]);
  });
});

describe('dynamic top_p', () => {
  const even = new Float32Array(10);
  const context = { vocabulary: plainVocabulary(10) };
  const kept = (changes: Partial<Sampling>, output: readonly number[]): number => {
    const sampler = samplerOf(changes, context);
    for (const token of output) sampler.skip(token);
    return sampler.distribution(even).length;
  };

  test('p falls by the decay to the floor, token by token', () => {
    const falling = { topP: 0.8, topPDecay: 0.5, topPMin: 0.15 };
    assert.deepEqual(
      [0, 1, 2, 3, 9].map((length) =>
        kept(
          falling,
          Array.from({ length }, () => 1),
        ),
      ),
      [8, 4, 2, 2, 2],
    );
  });

  test('a reset token brings back the first p, for one token', () => {
    const falling = { topP: 0.8, topPDecay: 0.5, topPMin: 0, topPResetIds: [7, 3] };
    assert.equal(kept(falling, [1, 1, 7]), 8);
    assert.equal(kept(falling, [1, 1, 3, 1]), 4);
    assert.equal(kept({ ...falling, topP: 1 }, [1]), 5);
  });

  test('a floor alone counts from the second token on, and may raise p', () => {
    assert.equal(kept({ topP: 0.2, topPMin: 0.5 }, []), 2);
    assert.equal(kept({ topP: 0.2, topPMin: 0.5 }, [1]), 5);
  });

  test('a decay of 0 leaves the best token', () => {
    assert.equal(kept({ topP: 1, topPDecay: 0 }, [1]), 1);
  });
});

describe('tokens that were chosen elsewhere', () => {
  test('what follows is the same as behind the same tokens, chosen here', () => {
    const dice = createDice(31);
    for (let round = 0; round < 300; round++) {
      const { sampling, context } = randomInput(dice, 40);
      const rows = Array.from({ length: 12 }, () => randomRow(dice, 40));
      const [alone, given] = [createSampler(sampling, context), createSampler(sampling, context)];
      const chosen = rows.map((row) => choiceOrNothing(alone, row));
      if (chosen.includes(-1)) continue;
      const split = dice.whole(1, 11);
      for (const token of chosen.slice(0, split)) given.skip(token);
      assert.deepEqual(
        rows.slice(split).map((row) => given.sample(row).token),
        chosen.slice(split),
      );
    }
  });

  test('a token that is banned or unknown to the phrases may be given', () => {
    const sampler = samplerOf({ temperature: 0, badTokenIds: [1], minTokens: 2 });
    sampler.skip(1);
    assert.equal(sampler.sample(Float32Array.of(0, 9, 3, 1)).token, 2);
  });
});

function choiceOrNothing(sampler: Sampler, row: Float32Array): number {
  try {
    return sampler.sample(row).token;
  } catch (error) {
    assert.ok(error instanceof ParlanceError);
    return -1;
  }
}

describe('the log-probability that ranks choices', () => {
  test('is there when it is needed, the same as when it is asked for', () => {
    const dice = createDice(8);
    for (let round = 0; round < 200; round++) {
      const row = randomRow(dice, 50);
      const changes = { seed: String(round), frequencyPenalty: 1, badTokenIds: [4], topP: 0.9 };
      const vocabulary = plainVocabulary(50);
      const asked = samplerOf({ ...changes, topLogprobs: 0 }, { vocabulary }).sample(row);
      const needed = samplerOf(changes, { vocabulary, needLogprob: true }).sample(row);
      const neither = samplerOf(changes, { vocabulary }).sample(row);
      assert.deepEqual(needed, { ...asked, top: null });
      assert.deepEqual(neither, { token: asked.token, logprob: null, top: null });
    }
  });

  test('many tokens that are equally good are ranked by ID', () => {
    const row = new Float32Array(5000).fill(1);
    const vocabulary = plainVocabulary(5000);
    const { top } = samplerOf({ temperature: 0, topLogprobs: 4 }, { vocabulary }).sample(row);
    assert.deepEqual(
      top?.map(({ token }) => token),
      [0, 1, 2, 3],
    );
    assert.ok(Math.abs((top?.[3]?.logprob ?? 0) + Math.log(5000)) < 1e-12);
  });
});

describe('edits', () => {
  test('banned tokens are never chosen, whatever their bias', () => {
    const sampler = samplerOf({ badTokenIds: [2], logitBias: [[2, 100]] });
    const row = Float32Array.of(0, 0, 90, 0);
    for (let i = 0; i < 200; i++) assert.notEqual(sampler.sample(row).token, 2);
  });

  test('a bias of -100 is an addition, not a ban', () => {
    const sampler = samplerOf({ temperature: 0, logitBias: [[2, -100]] });
    assert.equal(sampler.sample(Float32Array.of(0, 0, 150, 0)).token, 2);
    assert.equal(sampler.sample(Float32Array.of(0, 0, 99, 0)).token, 0);
  });

  test('min_tokens masks every end token until so many were generated', () => {
    for (const ignoreEos of [false, true]) {
      const sampler = samplerOf(
        { temperature: 0, minTokens: 2, stopTokenIds: [3], ignoreEos },
        { vocabulary: plainVocabulary(4, [2]) },
      );
      const row = Float32Array.of(0, 1, 8, 9);
      const tokens = [1, 2, 3].map(() => sampler.sample(row).token);
      assert.deepEqual(tokens, [1, 1, 3]);
    }
  });

  test('the mask gives way where only an end token is possible', () => {
    const sampler = samplerOf(
      { temperature: 0, minTokens: 5 },
      { vocabulary: plainVocabulary(4, [2]) },
    );
    const row = Float32Array.of(-Infinity, -Infinity, 1, -Infinity);
    assert.equal(sampler.sample(row).token, 2);
  });

  test('repetition counts prompt and output once, frequency and presence the output only', () => {
    const row = Float32Array.of(4, 4, -4, 4);
    const repetition = samplerOf(
      { temperature: 0, repetitionPenalty: 2 },
      { promptTokens: [0, 0] },
    );
    assert.deepEqual(
      [1, 2, 3, 4].map(() => repetition.sample(row).token),
      [1, 3, 0, 0],
    );
    const frequency = samplerOf({ temperature: 0, frequencyPenalty: 1 }, { promptTokens: [0, 0] });
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map(() => frequency.sample(Float32Array.of(4, 2.5, -4, -4)).token),
      [0, 0, 1, 0, 1, 0, 1],
    );
    const presence = samplerOf({ temperature: 0, presencePenalty: 1 });
    assert.deepEqual(
      [1, 2, 3].map(() => presence.sample(Float32Array.of(4, 3.5, -4, -4)).token),
      [0, 1, 0],
    );
  });

  test('extreme repetition penalties give no NaN and ban nothing', () => {
    const row = Float32Array.of(2, 1, 0, -1);
    const zero = samplerOf({ repetitionPenalty: 0 }, { promptTokens: [1] });
    assert.deepEqual(zero.distribution(row), [{ token: 1, probability: 1 }]);
    const onlyNegative = samplerOf({ repetitionPenalty: 0 }, { promptTokens: [3] });
    const [first, , third, fourth] = onlyNegative.distribution(row);
    assert.ok(first!.probability > third!.probability);
    assert.ok(Math.abs(fourth!.probability - third!.probability) < 1e-12);
    const huge = samplerOf({ repetitionPenalty: 1e300 }, { promptTokens: [0, 1, 2, 3] });
    assert.equal(huge.sample(Float32Array.of(-1, -2, -3, -4)).token, 0);
  });
});

describe('broken and impossible input', () => {
  const reasonOf = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      assert.ok(error instanceof ParlanceError);
      return error.reason;
    }
    return 'nothing thrown';
  };

  test('NaN, infinities and a wrong length are catalogued errors', () => {
    for (const changes of [
      { temperature: 0 },
      {},
      { topK: 2 },
      { topP: 0.5 },
      { topLogprobs: 3 },
    ]) {
      for (const bad of [NaN, Infinity]) {
        for (const place of [0, 3]) {
          const row = Float32Array.of(1, 2, 3, 4);
          row[place] = bad;
          assert.equal(
            reasonOf(() => samplerOf(changes).sample(row)),
            'internal',
          );
        }
      }
      assert.equal(
        reasonOf(() => samplerOf(changes).sample(new Float32Array(3))),
        'internal',
      );
      const nothing = new Float32Array(4).fill(-Infinity);
      assert.equal(
        reasonOf(() => samplerOf(changes).sample(nothing)),
        'internal',
      );
    }
  });

  test('IDs outside the vocabulary and a ban of everything are refused', () => {
    const check = (changes: Partial<Sampling>) =>
      checkSampling({ ...seededSampling, ...changes }, 4);
    assert.equal(
      reasonOf(() => check({ badTokenIds: [4] })),
      'invalid_token_id',
    );
    assert.equal(
      reasonOf(() => check({ stopTokenIds: [-1] })),
      'invalid_token_id',
    );
    assert.equal(
      reasonOf(() => check({ logitBias: [[1.5, 1]] })),
      'invalid_token_id',
    );
    assert.equal(
      reasonOf(() => check({ topPResetIds: [0, 4] })),
      'invalid_token_id',
    );
    assert.equal(
      reasonOf(() => check({ badTokenIds: [0, 1, 2, 3] })),
      'invalid_value',
    );
    assert.equal(
      reasonOf(() => check({ bad: ['fine', ''] })),
      'invalid_value',
    );
    const logitBias = Array.from({ length: 100_000 }, (_, i) => [i & 3, 1] as const);
    assert.equal(
      reasonOf(() => check({ logitBias, bad: ['fine'], topPResetIds: [0, 3] })),
      'nothing thrown',
    );
    assert.equal(
      reasonOf(() => check({ logitBias: [...logitBias, [4, 1]] })),
      'invalid_token_id',
    );
  });

  test('phrases that ban everything leave the end, and an error where that is banned too', () => {
    const vocabulary = vocabularyOf(
      ['a', 'b', 'a', '</s>'].map((piece) => new TextEncoder().encode(piece)),
      [3],
    );
    const row = Float32Array.of(5, 4, 3, -9);
    const bad = ['a', 'b'];
    assert.equal(samplerOf({ bad }, { vocabulary }).sample(row).token, 3);
    assert.equal(samplerOf({ bad, minTokens: 3 }, { vocabulary }).sample(row).token, 3);
    assert.equal(
      reasonOf(() => samplerOf({ bad, badTokenIds: [3] }, { vocabulary }).sample(row)),
      'internal',
    );
  });

  test('a token that the model excludes has a finite log-probability', () => {
    const row = Float32Array.of(1, -Infinity, 2, 3);
    const { top } = samplerOf({ temperature: 0, topLogprobs: 4 }).sample(row);
    assert.equal(top?.at(-1)?.token, 1);
    assert.equal(top?.at(-1)?.logprob, -9999);
  });

  test('asking for no best tokens still gives the chosen one its log-probability', () => {
    const { logprob, top } = samplerOf({ topLogprobs: 0 }).sample(new Float32Array(4));
    assert.ok(Math.abs(logprob! - Math.log(0.25)) < 1e-12);
    assert.deepEqual(top, []);
  });
});
