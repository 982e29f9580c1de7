/**
 * The bytes of every token of a vocabulary, in one buffer and in byte order, so that all tokens that
 * begin with some bytes are neighbours. Built once a model, at the first request with `bad` phrases;
 * only those read it.
 */

import type { Vocabulary } from '../llama/decoder.ts';

export interface PieceIndex {
  /** All pieces, one after the other in order of token ID. */
  readonly bytes: Uint8Array;
  /** Token t is `bytes` from `starts[t]` to `starts[t + 1]`. */
  readonly starts: Int32Array;
  /** IDs of the tokens that have bytes, by these bytes; a beginning comes before what it begins. */
  readonly sorted: Int32Array;
  /** Bytes of the longest piece. */
  readonly longest: number;
}

const known = { shown: new WeakMap<Vocabulary, PieceIndex>(), hidden: new WeakMap() } as {
  readonly shown: WeakMap<Vocabulary, PieceIndex>;
  readonly hidden: WeakMap<Vocabulary, PieceIndex>;
};

/** The index of a vocabulary with its control tokens written out (`special`) or without bytes. */
export function pieceIndexOf(vocabulary: Vocabulary, special: boolean): PieceIndex {
  const cache = special ? known.shown : known.hidden;
  let index = cache.get(vocabulary);
  if (index === undefined) cache.set(vocabulary, (index = buildIndex(vocabulary, special)));
  return index;
}

/** Byte `depth` of a token's piece, -1 behind its end. */
export function byteAt({ bytes, starts }: PieceIndex, token: number, depth: number): number {
  const at = (starts[token] as number) + depth;
  return at < (starts[token + 1] as number) ? (bytes[at] as number) : -1;
}

function buildIndex(vocabulary: Vocabulary, special: boolean): PieceIndex {
  const { size } = vocabulary;
  const starts = new Int32Array(size + 1);
  let bytes = new Uint8Array(size * 8);
  let end = 0;
  let longest = 0;
  for (let token = 0; token < size; token++) {
    const piece = vocabulary.piece(token, special);
    if (end + piece.length > bytes.length) bytes = grown(bytes, end + piece.length);
    // Most pieces are a few bytes: a loop is faster than a call that copies.
    for (let i = 0; i < piece.length; i++) bytes[end + i] = piece[i] as number;
    end += piece.length;
    starts[token + 1] = end;
    longest = Math.max(longest, piece.length);
  }
  const sorted = new Int32Array(size);
  let count = 0;
  for (let token = 0; token < size; token++) {
    if (starts[token] !== starts[token + 1]) sorted[count++] = token;
  }
  const index = { bytes: bytes.slice(0, end), starts, sorted: sorted.slice(0, count), longest };
  sortPieces(index);
  return index;
}

function grown(bytes: Uint8Array, needed: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
  larger.set(bytes);
  return larger;
}

/** A byte or the end of a piece, which comes first. */
const SYMBOLS = 257;
/** So many symbols above 21 bits of position make keys that a Float64 holds exactly. */
const SYMBOLS_PER_KEY = 3;
const POSITIONS = 2 ** 21;
/** So few are sorted by comparing whole pieces. */
const FEW = 12;

/** Sorts by three symbols at a time: first everything, then each run that is equal so far. */
function sortPieces(index: PieceIndex): void {
  const { sorted } = index;
  const runs: Run[] = [{ from: 0, to: sorted.length, depth: 0 }];
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const { from, to, depth } = run;
    if (to - from <= FEW) sortFew(index, run);
    else {
      const keys = sortByKey(index, run);
      let begin = 0;
      for (let i = 1; i <= keys.length; i++) {
        if (i < keys.length && keys[i] === keys[begin]) continue;
        // Where the last symbol is the end, the pieces of the run are equal.
        if (i - begin > 1 && (keys[begin] as number) % SYMBOLS !== 0) {
          runs.push({ from: from + begin, to: from + i, depth: depth + SYMBOLS_PER_KEY });
        }
        begin = i;
      }
    }
  }
}

/** Neighbours in the sorted pieces that are equal up to a depth. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Sorts a run by its next three symbols and returns these, as numbers in their new order. */
function sortByKey({ bytes, starts, sorted }: PieceIndex, { from, to, depth }: Run): Int32Array {
  const before = sorted.slice(from, to);
  const packed = new Float64Array(before.length);
  for (let i = 0; i < before.length; i++) {
    const token = before[i] as number;
    const at = (starts[token] as number) + depth;
    const end = starts[token + 1] as number;
    const first = at < end ? (bytes[at] as number) + 1 : 0;
    const second = at + 1 < end ? (bytes[at + 1] as number) + 1 : 0;
    const third = at + 2 < end ? (bytes[at + 2] as number) + 1 : 0;
    packed[i] = ((first * SYMBOLS + second) * SYMBOLS + third) * POSITIONS + i;
  }
  packed.sort();
  const keys = new Int32Array(before.length);
  for (let i = 0; i < keys.length; i++) {
    const key = Math.floor((packed[i] as number) / POSITIONS);
    keys[i] = key;
    sorted[from + i] = before[(packed[i] as number) - key * POSITIONS] as number;
  }
  return keys;
}

/** Insertion: fast for a few, of which there are many. */
function sortFew(index: PieceIndex, { from, to, depth }: Run): void {
  const { sorted } = index;
  for (let end = from + 1; end < to; end++) {
    const token = sorted[end] as number;
    let place = end;
    while (place > from && comparePieces(index, sorted[place - 1] as number, token, depth) > 0) {
      sorted[place] = sorted[place - 1] as number;
      place--;
    }
    sorted[place] = token;
  }
}

function comparePieces({ bytes, starts }: PieceIndex, a: number, b: number, depth: number): number {
  let left = (starts[a] as number) + depth;
  let right = (starts[b] as number) + depth;
  const leftEnd = starts[a + 1] as number;
  const rightEnd = starts[b + 1] as number;
  while (left < leftEnd && right < rightEnd) {
    const difference = (bytes[left++] as number) - (bytes[right++] as number);
    if (difference !== 0) return difference;
  }
  // The beginning of the other comes first, then the lower ID.
  return leftEnd - left - (rightEnd - right) || a - b;
}
