/**
 * Small machines, and vocabularies of made-up words, for the tests of sessions. Tests only.
 */

import type { Machine } from '../../constraint/index.ts';
import type { Vocabulary } from '../llama/decoder.ts';

export interface Dice {
  readonly uniform: () => number;
  /** A whole number in [low, high]. */
  readonly whole: (low: number, high: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
}

/** The same numbers for the same seed. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296;
  };
  const whole = (low: number, high: number): number =>
    low + Math.floor(uniform() * (high - low + 1));
  return { uniform, whole, pick: (items) => items[whole(0, items.length - 1)]! };
}

interface Named {
  readonly name: string;
}

/** An automaton: state -> character -> state; it begins in `start`. */
export function machineOf(
  steps: Readonly<Record<string, Readonly<Record<string, string>>>>,
  accepting: readonly string[],
): Machine {
  const states = new Map(Object.keys(steps).map((name) => [name, { name }] as const));
  return {
    start: states.get('start')!,
    step: (state, byte) => {
      const to = steps[(state as Named).name]?.[String.fromCharCode(byte)];
      return to === undefined ? null : states.get(to)!;
    },
    accepts: (state) => accepting.includes((state as Named).name),
    loop: () => null,
    risky: () => false,
  };
}

/** Pieces of text, each of them one of several words; every one may come up to `times` times. */
export type Pattern = readonly { readonly words: readonly string[]; readonly times: number }[];

export function randomPattern(dice: Dice): Pattern {
  const word = (longest: number): string =>
    Array.from({ length: dice.whole(1, longest) }, () => dice.pick(['a', 'b', 'c', 'd', ' '])).join(
      '',
    );
  return Array.from({ length: dice.whole(1, 6) }, () => {
    const fixed = dice.uniform() < 0.5;
    const words = Array.from({ length: fixed ? 1 : dice.whole(2, 4) }, () => word(fixed ? 12 : 3));
    return { words, times: fixed ? 1 : dice.whole(1, 3) };
  });
}

/** A place in a pattern: so much of a word has been read. */
interface Place {
  readonly part: number;
  readonly time: number;
  readonly word: string;
  readonly read: number;
}

/** Every part of the pattern comes once at least. States are sets of places, and have no dead ends. */
export function patternMachine(pattern: Pattern): Machine {
  const known = new Map<string, { readonly places: readonly Place[]; readonly ends: boolean }>();
  const begin = (part: number, time: number): Place[] =>
    (pattern[part]?.words ?? []).map((word) => ({ part, time, word, read: 0 }));
  const intern = (places: readonly Place[], ends: boolean): object => {
    const unique = new Map(places.map((place) => [JSON.stringify(place), place]));
    const key = `${ends} ${[...unique.keys()].toSorted().join()}`;
    const state = known.get(key) ?? { places: [...unique.values()], ends };
    known.set(key, state);
    return state;
  };
  const start = intern(begin(0, 1), false);
  const of = (state: object): { places: readonly Place[]; ends: boolean } =>
    state as { places: readonly Place[]; ends: boolean };
  return {
    start,
    step: (state, byte) => {
      const next: Place[] = [];
      let ends = false;
      for (const place of of(state).places) {
        if (place.word.charCodeAt(place.read) !== byte) continue;
        const read = place.read + 1;
        if (read < place.word.length) {
          next.push({ ...place, read });
          continue;
        }
        if (place.time < (pattern[place.part]?.times ?? 1)) {
          next.push(...begin(place.part, place.time + 1));
        }
        next.push(...begin(place.part + 1, 1));
        ends ||= place.part === pattern.length - 1;
      }
      return next.length === 0 && !ends ? null : intern(next, ends);
    },
    accepts: (state) => of(state).ends,
    loop: () => null,
    risky: (state) => of(state).places.length > 1,
  };
}

/**
 * Words of a tiny alphabet, its single letters, an end token, and as the last one a token without bytes.
 * Its tokeniser takes the longest word each time.
 */
export function wordVocabulary(dice: Dice, size: number): Vocabulary {
  const words = new Set(['a', 'b', 'c', 'd', ' ']);
  while (words.size < size - 2) {
    const length = dice.whole(2, 5);
    words.add(Array.from({ length }, () => dice.pick(['a', 'b', 'c', 'd', ' '])).join(''));
  }
  const list = [...words];
  const longestFirst = list.toSorted((a, b) => b.length - a.length);
  const end = list.length;
  const encoder = new TextEncoder();
  const pieces = list.map((word) => encoder.encode(word));
  const none = new Uint8Array(0);
  return {
    size,
    eosIds: [end],
    bosId: null,
    bosToken: null,
    eosToken: '<end>',
    tokenize: (text) => {
      const tokens: number[] = [];
      for (let at = 0; at < text.length;) {
        const word = longestFirst.find((one) => text.startsWith(one, at));
        if (word === undefined) return [];
        tokens.push(list.indexOf(word));
        at += word.length;
      }
      return tokens;
    },
    piece: (token, special) =>
      token === end && special ? encoder.encode('<end>') : (pieces[token] ?? none),
  };
}

/** By reading each token. */
export function allowedTokens(vocabulary: Vocabulary, machine: Machine, from: object): number[] {
  return Array.from({ length: vocabulary.size }, (_, id) => id).filter((token) => {
    if (vocabulary.eosIds.includes(token)) return machine.accepts(from);
    let state: object | null = from;
    for (const byte of vocabulary.piece(token, false)) {
      state = state === null ? null : machine.step(state, byte);
    }
    return state !== null && vocabulary.piece(token, false).length > 0;
  });
}
