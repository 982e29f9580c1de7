/**
 * Well-formed UTF-8 as automata: a table that free text is checked with, byte by byte, and the edges
 * that read one character of a class. Source: the Unicode Standard, table 3-7.
 */

import type { CodePointRanges, NetworkBuilder, NodeId } from './network.ts';

/** Between two characters. */
export const utf8Start = 0;

/** What may come: the first and last byte, and the position after it. By position. */
const rows: readonly (readonly (readonly [first: number, last: number, next: number])[])[] = [
  [
    [0x00, 0x7f, 0],
    [0xc2, 0xdf, 1],
    [0xe0, 0xe0, 4],
    [0xe1, 0xec, 2],
    [0xed, 0xed, 5],
    [0xee, 0xef, 2],
    [0xf0, 0xf0, 6],
    [0xf1, 0xf3, 3],
    [0xf4, 0xf4, 7],
  ],
  [[0x80, 0xbf, 0]],
  [[0x80, 0xbf, 1]],
  [[0x80, 0xbf, 2]],
  [[0xa0, 0xbf, 1]],
  [[0x80, 0x9f, 1]],
  [[0x90, 0xbf, 2]],
  [[0x80, 0x8f, 2]],
];

/** The position inside a character after one more byte; -1 where UTF-8 has no such byte. */
export function utf8Step(position: number, byte: number): number {
  const row = rows[position]!.find(([first, last]) => first <= byte && byte <= last);
  return row === undefined ? -1 : row[2];
}

/** First and last code points that need one to four bytes; surrogates are none. */
const lengths: readonly (readonly [first: number, last: number, bytes: number])[] = [
  [0x00, 0x7f, 1],
  [0x80, 0x7ff, 2],
  [0x800, 0xd7ff, 3],
  [0xe000, 0xffff, 3],
  [0x10000, 0x10ffff, 4],
];

/** Draws one character of the ranges between two nodes. Surrogates are left out. */
export function drawCharacter(
  builder: NetworkBuilder,
  ranges: CodePointRanges,
  [from, to]: readonly [NodeId, NodeId],
): void {
  // Ends of characters are shared: whatever the first byte was, the last ones lead on alike.
  const tails = [to];
  const tail = (bytes: number): NodeId => {
    const known = tails[bytes];
    if (known !== undefined) return known;
    const node = builder.node();
    builder.range(node, [0x80, 0xbf], tail(bytes - 1));
    tails[bytes] = node;
    return node;
  };
  const ascii = new Uint8Array(256);
  let hasAscii = false;
  for (const [first, last] of ranges) {
    for (let point = first; point <= Math.min(last, 0x7f); point++) {
      ascii[point] = 1;
      hasAscii = true;
    }
    for (const [low, high, bytes] of lengths.slice(1)) {
      const span = [Math.max(first, low), Math.min(last, high)] as const;
      if (span[0] <= span[1]) drawSpan(builder, from, span, { bytes, tail });
    }
  }
  if (hasAscii) builder.set(from, ascii, to);
}

interface Shape {
  readonly bytes: number;
  readonly tail: (bytes: number) => NodeId;
}

/** Code points of one length, split until all but the first bytes are either one byte or any. */
function drawSpan(
  builder: NetworkBuilder,
  from: NodeId,
  [first, last]: readonly [number, number],
  { bytes, tail }: Shape,
): void {
  for (let rest = 1; rest < bytes; rest++) {
    const mask = (1 << (6 * rest)) - 1;
    if (first >> (6 * rest) === last >> (6 * rest)) continue;
    if ((first & mask) !== 0) {
      drawSpan(builder, from, [first, first | mask], { bytes, tail });
      drawSpan(builder, from, [(first | mask) + 1, last], { bytes, tail });
      return;
    }
    if ((last & mask) !== mask) {
      drawSpan(builder, from, [first, (last & ~mask) - 1], { bytes, tail });
      drawSpan(builder, from, [last & ~mask, last], { bytes, tail });
      return;
    }
  }
  const low = encode(first, bytes);
  const high = encode(last, bytes);
  let at = from;
  for (let index = 0; index < bytes; index++) {
    const left = bytes - index - 1;
    // Split as they are, the bytes after the first one that varies are free.
    const varies = low[index] !== high[index];
    const next = varies || left === 0 ? tail(left) : builder.node();
    builder.range(at, [low[index]!, high[index]!], next);
    if (varies) return;
    at = next;
  }
}

function encode(point: number, bytes: number): number[] {
  const lead = [0, 0x00, 0xc0, 0xe0, 0xf0][bytes]!;
  const rest = Array.from(
    { length: bytes - 1 },
    (_, index) => 0x80 | ((point >> (6 * (bytes - 2 - index))) & 0x3f),
  );
  return [lead | (point >> (6 * (bytes - 1))), ...rest];
}

/** What the ranges leave out. */
export function invertRanges(ranges: CodePointRanges): CodePointRanges {
  const inverse: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) inverse.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= 0x10ffff) inverse.push([next, 0x10ffff]);
  return inverse;
}

/** Sorted, and joined where they meet. */
export function normaliseRanges(ranges: CodePointRanges): CodePointRanges {
  const joined: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}
