/**
 * The bytes of a JSON string's body as code points: UTF-8 and escapes, in states that are shared by all
 * strings. Knows nothing of what the string may say.
 */

/** Where the next code point stands: at its beginning, or somewhere inside its spelling. */
export interface Lex {
  /** Code points that it can still become, as pairs of ends; empty at the beginning. */
  readonly ranges: readonly (readonly [low: number, high: number])[];
  /** It is spelled with a backslash. */
  readonly escape: boolean;
  /** Next state; a code point (0 and up) that is complete; `quote`; or null. By byte. */
  readonly next: readonly (Lex | number | null)[];
}

export const quote = -1;

type Moves = (byte: number) => Lex | number | null;

class LexState implements Lex {
  readonly ranges: readonly (readonly [number, number])[];
  readonly escape: boolean;
  readonly #moves: Moves;
  #next: (Lex | number | null)[] | null = null;

  constructor(ranges: readonly (readonly [number, number])[], escape: boolean, moves: Moves) {
    this.ranges = ranges;
    this.escape = escape;
    this.#moves = moves;
  }

  get next(): readonly (Lex | number | null)[] {
    this.#next ??= Array.from({ length: 256 }, (_, byte) => this.#moves(byte));
    return this.#next;
  }
}

const inUtf8 = new Map<string, Lex>();

/** `rest` continuation bytes are missing; the next one is between `from` and `to`. */
function utf8(rest: number, prefix: number, from: number, to: number): Lex {
  const key = `${rest}:${prefix}:${from}`;
  const known = inUtf8.get(key);
  if (known !== undefined) return known;
  const size = 64 ** rest;
  const unit = size / 64;
  const low = prefix * size + (from & 0x3f) * unit;
  const high = prefix * size + (to & 0x3f) * unit + unit - 1;
  const made = new LexState([[low, high]], false, (byte) => {
    if (byte < from || byte > to) return null;
    const value = prefix * 64 + (byte & 0x3f);
    return rest === 1 ? value : utf8(rest - 1, value, 0x80, 0xbf);
  });
  inUtf8.set(key, made);
  return made;
}

function lead(byte: number): Lex | null {
  if (byte < 0xc2 || byte > 0xf4) return null;
  if (byte < 0xe0) return utf8(1, byte & 0x1f, 0x80, 0xbf);
  if (byte < 0xf0)
    return utf8(2, byte & 0x0f, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf);
  return utf8(3, byte & 0x07, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf);
}

const short: Readonly<Record<string, number>> = {
  '"': 0x22,
  '\\': 0x5c,
  '/': 0x2f,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
};

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

/** Ranges of code points that begin with a \uXXXX of the given first digits. */
function unitRanges(value: number, digits: number): [number, number][] {
  const unit = 16 ** (4 - digits);
  const low = value * unit;
  const high = low + unit - 1;
  const ranges: [number, number][] = [];
  if (low < 0xd800) ranges.push([low, Math.min(high, 0xd7ff)]);
  if (high > 0xdfff) ranges.push([Math.max(low, 0xe000), high]);
  const first = Math.max(low, 0xd800);
  const last = Math.min(high, 0xdbff);
  if (first <= last) {
    ranges.push([0x10000 + (first - 0xd800) * 1024, 0x10000 + (last - 0xd800) * 1024 + 1023]);
  }
  return ranges;
}

const inHex = new Map<string, Lex>();

/** Inside a \u escape; `high`: the lead surrogate before it, or 0. */
function hex(value: number, digits: number, high: number): Lex {
  const key = `${value}:${digits}:${high}`;
  const known = inHex.get(key);
  if (known !== undefined) return known;
  const ranges = high === 0 ? unitRanges(value, digits) : trailRanges(value, digits, high);
  const made = new LexState(ranges, true, (byte) => {
    const digit = hexDigit(byte);
    if (digit < 0) return null;
    const next = value * 16 + digit;
    if (high !== 0) {
      if (trailRanges(next, digits + 1, high).length === 0) return null;
      return digits < 3 ? hex(next, digits + 1, high) : pair(high, next);
    }
    if (unitRanges(next, digits + 1).length === 0) return null;
    if (digits < 3) return hex(next, digits + 1, 0);
    return next >= 0xd800 && next <= 0xdbff ? trailing(next, 0x5c) : next;
  });
  inHex.set(key, made);
  return made;
}

const pair = (high: number, low: number): number =>
  0x10000 + (high - 0xd800) * 1024 + (low - 0xdc00);

function trailRanges(value: number, digits: number, high: number): [number, number][] {
  const unit = 16 ** (4 - digits);
  const low = Math.max(value * unit, 0xdc00);
  const last = Math.min(value * unit + unit - 1, 0xdfff);
  return low > last ? [] : [[pair(high, low), pair(high, last)]];
}

const waiting = new Map<number, Lex>();

/** After a lead surrogate: the `\` and the `u` of the trail. */
function trailing(high: number, byte: number): Lex {
  const key = high * 256 + byte;
  const known = waiting.get(key);
  if (known !== undefined) return known;
  const made = new LexState(trailRanges(0, 0, high), true, (given) => {
    if (given !== byte) return null;
    return byte === 0x5c ? trailing(high, 0x75) : hex(0, 0, high);
  });
  waiting.set(key, made);
  return made;
}

const anyUnit = unitRanges(0, 0);

const escaped: Lex = new LexState(anyUnit, true, (byte) => {
  if (byte === 0x75) return hex(0, 0, 0);
  return short[String.fromCharCode(byte)] ?? null;
});

/** At the beginning of a character. */
export const body: Lex = new LexState([], false, (byte) => {
  if (byte === 0x22) return quote;
  if (byte === 0x5c) return escaped;
  if (byte < 0x20) return null;
  return byte < 0x80 ? byte : lead(byte);
});

const shortControls = new Set([8, 9, 10, 12, 13]);

/**
 * Whether a writer who escapes only what must be, or what is not ASCII, would write the code point with
 * a backslash; `named`: as `\n`, not as `\u000a`.
 */
export function usualEscape(codePoint: number, named: boolean): boolean {
  if (named) return codePoint === 0x22 || codePoint === 0x5c || shortControls.has(codePoint);
  return codePoint >= 0x80 || (codePoint < 0x20 && !shortControls.has(codePoint));
}

/** Whether the code point stands as it is in a JSON string. */
export const isPlain = (codePoint: number): boolean =>
  codePoint >= 0x20 && codePoint !== 0x22 && codePoint !== 0x5c;
