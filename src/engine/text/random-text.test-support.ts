/** Reproducible random inputs for this folder's tests; nothing else uses it. */

import { createRandom } from '../../../test/support/random-numbers.ts';

export interface Dice {
  /** A whole number in [0, below). */
  readonly below: (below: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
}

export function createDice(seed: number): Dice {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return { below, pick: (items) => items[below(items.length)]! };
}

/** The bytes cut at random places; some pieces are empty when `withEmpty`. */
export function cutAtRandom(dice: Dice, bytes: Uint8Array, withEmpty: boolean): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = withEmpty ? dice.below(6) : 1 + dice.below(5);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
