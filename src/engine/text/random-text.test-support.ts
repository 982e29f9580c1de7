/** Reproducible random inputs for this folder's tests; nothing else uses it. */

export interface Dice {
  /** A whole number in [0, below). */
  readonly below: (below: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
}

/** mulberry32, a public-domain generator of 32 bits of state. */
export function createDice(seed: number): Dice {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
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
