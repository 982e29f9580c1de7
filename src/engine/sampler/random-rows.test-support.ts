/**
 * Reproducible random inputs for the sampler's tests: logit rows of several shapes, vocabularies,
 * parameter sets, contexts. Nothing but tests uses it.
 */

import type { Vocabulary } from '../llama/decoder.ts';
import type { Sampling } from '../protocol.ts';
import { createUniform } from './random.ts';
import { seededSampling } from './reference-sampler.test-support.ts';
import type { ReferenceInput } from './reference-sampler.test-support.ts';

export interface Dice {
  readonly uniform: () => number;
  /** A whole number in [low, high]. */
  readonly whole: (low: number, high: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly normal: () => number;
}

export function createDice(seed: number): Dice {
  const uniform = createUniform(String(seed), 0);
  const whole = (low: number, high: number): number =>
    low + Math.floor(uniform() * (high - low + 1));
  return {
    uniform,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

const noBytes = new Uint8Array(0);

/** A vocabulary of these pieces; `control` tokens have no bytes unless special ones are shown. */
export function vocabularyOf(
  pieces: readonly Uint8Array[],
  eosIds: readonly number[] = [],
  control: ReadonlySet<number> = new Set(eosIds),
): Vocabulary {
  return {
    size: pieces.length,
    eosIds,
    bosId: null,
    bosToken: null,
    eosToken: null,
    tokenize: () => {
      throw new Error('the sampler has nothing to tokenise');
    },
    piece: (token, special) => (control.has(token) && !special ? noBytes : pieces[token]!),
  };
}

/** A vocabulary whose pieces do not matter. */
export function plainVocabulary(size: number, eosIds: readonly number[] = []): Vocabulary {
  return vocabularyOf(
    Array.from({ length: size }, (_, id) => Uint8Array.of(id & 255, id >> 8)),
    eosIds,
    new Set(),
  );
}

/** Pieces of one to four letters of a tiny alphabet, so that phrases of it come up all the time. */
export function randomVocabulary(dice: Dice, size: number): Vocabulary {
  const control = new Set<number>();
  const pieces = Array.from({ length: size }, (_, id) => {
    if (dice.uniform() < 0.1) control.add(id);
    return Uint8Array.from({ length: dice.whole(1, 4) }, () => dice.pick([97, 98, 32]));
  });
  return vocabularyOf(pieces, [dice.whole(0, size - 1)], control);
}

/** A phrase of the alphabet of `randomVocabulary`. */
export function randomPhrase(dice: Dice, longest: number): string {
  return Array.from({ length: dice.whole(1, longest) }, () => dice.pick(['a', 'b', ' '])).join('');
}

/** Normal, flat, peaked, negative, or full of ties; sometimes with tokens that the model excludes. */
export function randomRow(dice: Dice, size: number): Float32Array {
  const spread = dice.pick([0.01, 1, 3, 10]);
  const shift = dice.pick([-30, 0, 8]);
  const grain = dice.pick([0, 0, 0, 0.5]);
  const row = Float32Array.from({ length: size }, () => {
    const logit = shift + spread * dice.normal();
    return grain === 0 ? logit : Math.round(logit / grain) * grain;
  });
  if (dice.uniform() < 0.1) row[dice.whole(0, size - 1)] = -Infinity;
  return row;
}

export function randomInput(dice: Dice, size: number): ReferenceInput {
  const id = (): number => dice.whole(0, size - 1);
  const ids = (most: number): number[] => Array.from({ length: dice.whole(0, most) }, id);
  const sometimes = <T>(value: () => T, neutral: T): T =>
    dice.uniform() < 0.5 ? value() : neutral;
  const sampling: Sampling = {
    ...seededSampling,
    temperature: dice.pick([0, 0.1, 0.7, 1, 1, 1.5, 4]),
    topP: sometimes(() => dice.pick([0, 0.1, 0.5, 0.9, 0.99]), 1),
    topPMin: sometimes(() => dice.pick([0.05, 0.3, 0.8]), 0),
    topPDecay: sometimes(() => dice.pick([0, 0.5, 0.9, 0.99]), 1),
    topPResetIds: sometimes(() => ids(4), []),
    topK: sometimes(() => dice.pick([1, 2, 5, 40, 150, size, size + 5]), 0),
    minP: sometimes(() => dice.pick([0.01, 0.05, 0.3, 1]), 0),
    frequencyPenalty: sometimes(() => dice.uniform() * 4 - 2, 0),
    presencePenalty: sometimes(() => dice.uniform() * 4 - 2, 0),
    repetitionPenalty: sometimes(() => dice.pick([0.5, 1.1, 1.3, 5]), 1),
    logitBias: sometimes(() => ids(4).map((one) => [one, dice.uniform() * 20 - 10] as const), []),
    badTokenIds: sometimes(() => ids(3), []),
    bad: dice.uniform() < 0.3 ? [randomPhrase(dice, 4), randomPhrase(dice, 6)] : [],
    minTokens: sometimes(() => dice.whole(0, 8), 0),
    stopTokenIds: sometimes(() => ids(2), []),
    ignoreEos: dice.uniform() < 0.3,
    includeStop: dice.uniform() < 0.3,
    skipSpecialTokens: dice.uniform() < 0.5,
    spacesBetweenSpecialTokens: dice.uniform() < 0.5,
  };
  const context = {
    vocabulary: randomVocabulary(dice, size),
    promptTokens: ids(12),
    choice: 0,
    needLogprob: false,
  };
  return { logits: randomRow(dice, size), sampling, context, output: ids(10) };
}
