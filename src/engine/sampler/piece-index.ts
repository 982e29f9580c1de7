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
  const index = { bytes: bytes.slice(0, end), starts, longest };
  const withBytes = Int32Array.from({ length: size }, (_, token) => token).filter(
    (token) => starts[token] !== starts[token + 1],
  );
  const sorted = sortPieces({ ...index, sorted: withBytes });
  return { ...index, sorted };
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
function sortPieces(index: PieceIndex): Int32Array {
  const { sorted } = index;
  const runs: [from: number, to: number, depth: number][] = [[0, sorted.length, 0]];
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const [from, to, depth] = run;
    if (to - from <= FEW) {
      sorted.subarray(from, to).sort((a, b) => comparePieces(index, a, b, depth));
      continue;
    }
    const before = sorted.slice(from, to);
    const keys = new Float64Array(before.length);
    for (let i = 0; i < before.length; i++) {
      keys[i] = keyOf(index, before[i] as number, depth) * POSITIONS + i;
    }
    keys.sort();
    let runFrom = from;
    for (let i = 0; i < keys.length; i++) {
      sorted[from + i] = before[(keys[i] as number) % POSITIONS] as number;
      const key = Math.floor((keys[i] as number) / POSITIONS);
      const isLast =
        i + 1 === keys.length || Math.floor((keys[i + 1] as number) / POSITIONS) !== key;
      if (!isLast) continue;
      const runTo = from + i + 1;
      // Where the last symbol is the end, the pieces of the run are equal.
      if (runTo - runFrom > 1 && key % SYMBOLS !== 0)
        runs.push([runFrom, runTo, depth + SYMBOLS_PER_KEY]);
      runFrom = runTo;
    }
  }
  return sorted;
}

function keyOf(index: PieceIndex, token: number, depth: number): number {
  let key = 0;
  for (let i = 0; i < SYMBOLS_PER_KEY; i++) {
    key = key * SYMBOLS + byteAt(index, token, depth + i) + 1;
  }
  return key;
}

function comparePieces(index: PieceIndex, a: number, b: number, from: number): number {
  for (let depth = from; ; depth++) {
    const [left, right] = [byteAt(index, a, depth), byteAt(index, b, depth)];
    if (left !== right) return left - right;
    if (left < 0) return a - b;
  }
}
