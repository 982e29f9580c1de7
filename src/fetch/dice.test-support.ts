/** Reproducible random numbers for the tests of this room (mulberry32). */

export function createDice(seed: number) {
  let state = seed | 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** A whole number in [low, high]. */
    whole: (low: number, high: number): number => low + Math.floor(uniform() * (high - low + 1)),
  };
}
