/** What the sampler is measured on: rows of several shapes, parameter sets, a vocabulary of made-up words. */

import type { Sampling } from '../../src/engine/protocol.ts';
import type { Vocabulary } from '../../src/engine/llama/decoder.ts';
import { createUniform } from '../../src/engine/sampler/random.ts';

export const vocabularySizes = [49_152, 151_936];

/** Numbers that are the same in every run. */
const uniform = createUniform('11', 0);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

/** How far logits are spread; a language model's rows are like the first. */
export const rowShapes: Readonly<Record<string, (id: number) => number>> = {
  /** A crowd of hardly possible tokens, a few hundred possible ones, a handful of good ones. */
  peaked: (id) => normal() * 2.2 + (id % 211 === 0 ? 6 : 0) + (id % 9973 === 7 ? 14 : 0),
  mid: () => normal(),
  flat: () => normal() * 0.01,
  equal: () => 0,
};

export function makeRows(size: number, shape: (id: number) => number): Float32Array[] {
  return Array.from({ length: 8 }, () => Float32Array.from({ length: size }, (_, id) => shape(id)));
}

const penalties = { frequencyPenalty: 0.2, presencePenalty: 0.1, repetitionPenalty: 1.1 };

export interface Case {
  readonly name: string;
  readonly changes: Partial<Sampling>;
  /** Milliseconds a token that it should stay under, for each of the sizes; null = none was set. */
  readonly goals: readonly (number | null)[];
}

export const cases: readonly Case[] = [
  { name: 'greedy', changes: { temperature: 0 }, goals: [0.1, null] },
  { name: 'greedy, 5 logprobs', changes: { temperature: 0, topLogprobs: 5 }, goals: [null, null] },
  { name: 'temperature', changes: { temperature: 0.8 }, goals: [null, null] },
  { name: 'top_k 40', changes: { topK: 40 }, goals: [null, null] },
  { name: 'top_p', changes: { temperature: 0.8, topP: 0.95 }, goals: [null, null] },
  {
    name: 'top_p, penalties',
    changes: { temperature: 0.8, topP: 0.95, ...penalties },
    goals: [null, null],
  },
  {
    name: 'top_p, min_p, penalties',
    changes: { temperature: 0.8, topP: 0.95, minP: 0.05, ...penalties },
    goals: [0.3, 1],
  },
];

const letters = 'etaoinshrdlucmfwygpbvkqjxz';

/** One to eight letters, the frequent ones more often. */
const makeWord = (): string =>
  Array.from(
    { length: 1 + Math.floor(uniform() * 8) },
    () => letters[Math.floor(uniform() ** 2 * letters.length)],
  ).join('');

/** Single bytes, and words with a space before half of them. */
export function makeVocabulary(size: number): Vocabulary {
  const encoder = new TextEncoder();
  const pieces = Array.from({ length: size }, (_, id) =>
    id < 256
      ? Uint8Array.of(id)
      : encoder.encode(`${uniform() < 0.5 ? ' ' : ''}${makeWord()}${makeWord()}`),
  );
  return {
    size,
    eosIds: [0],
    bosId: null,
    bosToken: null,
    eosToken: null,
    tokenize: () => [],
    piece: (token) => pieces[token] ?? new Uint8Array(0),
  };
}

/** What is banned: a few words, or the most that a request may send. */
export const phraseSets: Readonly<Record<string, readonly string[]>> = {
  '10 words': Array.from({ length: 10 }, () => makeWord() + makeWord()),
  '128 phrases of 1,000 characters': Array.from({ length: 128 }, () =>
    Array.from({ length: 400 }, makeWord).join(' ').slice(0, 1000),
  ),
};
