/**
 * Where each run of n tokens was noted last in a list. Called by the drafter and the prediction cursor.
 * Exact: a run is found by its tokens, the hash only says where to look. Memory: 8 to 16 bytes a run.
 */

import type { TokenList } from './token-list.ts';

export interface NgramTable {
  /** Length of the runs. */
  readonly n: number;
  /**
   * Notes the run that ends with token number `end` of the table's list, and tells where an equal one
   * noted before ends; -1 where there is none, or where `end` is too early for a run.
   */
  note(end: number): number;
  /** Where the run noted last ends that is equal to the one ending at `end` of `tokens`, or -1. */
  find(tokens: TokenList, end: number): number;
}

export function createNgramTable(list: TokenList, n: number): NgramTable {
  /** Open addressing: a place holds the end of a run plus 1, 0 = free. */
  let places = new Int32Array(128);
  let runs = 0;

  const placeOf = (tokens: TokenList, end: number): number => {
    const mask = places.length - 1;
    let place = hashRun(tokens, end, n) & mask;
    for (;;) {
      const held = (places[place] as number) - 1;
      if (held === -1 || isSameRun(tokens, end, list, held)) return place;
      place = (place + 1) & mask;
    }
  };

  const isSameRun = (tokens: TokenList, end: number, others: TokenList, other: number): boolean => {
    for (let back = 0; back < n; back++) {
      if (tokens.at(end - back) !== others.at(other - back)) return false;
    }
    return true;
  };

  const grow = (): void => {
    const old = places;
    places = new Int32Array(2 * old.length);
    for (const held of old) {
      if (held !== 0) places[placeOf(list, held - 1)] = held;
    }
  };

  return {
    n,
    note: (end) => {
      if (end < n - 1) return -1;
      if (2 * runs >= places.length) grow();
      const place = placeOf(list, end);
      const before = (places[place] as number) - 1;
      places[place] = end + 1;
      if (before === -1) runs++;
      return before;
    },
    find: (tokens, end) => (end < n - 1 ? -1 : (places[placeOf(tokens, end)] as number) - 1),
  };
}

/** Multiplies by 2^32 / golden ratio between tokens (Knuth) and mixes the upper bits into the lower. */
function hashRun(tokens: TokenList, end: number, n: number): number {
  let hash = 0;
  for (let index = end - n + 1; index <= end; index++) {
    hash = Math.imul(hash ^ tokens.at(index), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
