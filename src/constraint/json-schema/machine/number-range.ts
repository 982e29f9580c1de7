/**
 * Bounds, multiples and listed values of numbers: whether a number that has begun in some way can still
 * become one of them, written without an exponent. Exact, on integers scaled by a power of ten.
 */

import type { Decimal } from '../../json/decimal.ts';
import { compareNumbers, isInteger, isMultipleOf, readDecimal } from '../../json/decimal.ts';
import type { SchemaNode } from '../node.ts';

/** Digits of bounds beyond this are not computed with. */
const mostDigits = 400;

/** Digits before and behind the point that are read of any number; more only where a rule has as many. */
export const usualDigits = { whole: 40, places: 30 };

interface Bound {
  readonly text: string;
  readonly value: Decimal;
  readonly exclusive: boolean;
}

/** What has come of a number, before an exponent. */
export interface Prefix {
  readonly negative: boolean;
  /** Digits before the point. */
  readonly whole: string;
  /** Digits behind it; null: no point yet. */
  readonly fraction: string | null;
}

/** Values as sizes: `from` up to, but not with, `to`; null: no end. */
interface Sizes {
  readonly from: bigint;
  readonly to: bigint | null;
}

export class NumberRange {
  readonly integer: boolean;
  readonly strict: boolean;
  readonly values: readonly string[] | null;
  /** Nothing but `integer` is asked. */
  readonly plain: boolean;
  readonly #bounds: { readonly lower: readonly Bound[]; readonly upper: readonly Bound[] };
  readonly #multiples: readonly string[];
  /** Digits that are read before and behind the point. */
  readonly digits: { readonly whole: number; readonly places: number };

  constructor(nodes: readonly SchemaNode[], strictIntegers: boolean) {
    this.integer = nodes.some((one) => one.integer);
    this.strict = this.integer && strictIntegers;
    const rules = nodes.flatMap((one) => (one.number === null ? [] : [one.number]));
    const lower = rules.flatMap((one) => (one.minimum === null ? [] : [boundOf(one.minimum)]));
    const upper = rules.flatMap((one) => (one.maximum === null ? [] : [boundOf(one.maximum)]));
    this.#bounds = { lower, upper };
    this.#multiples = [...new Set(rules.flatMap((one) => one.multipleOf))];
    const listed = listedIn(nodes);
    this.plain = lower.length + upper.length + this.#multiples.length === 0 && listed === null;
    this.values = listed?.filter((text) => this.#allows(text)) ?? null;
    const bounds = [...lower, ...upper].map((one) => one.value);
    this.digits = digitsFor(
      [...bounds, ...(this.values ?? []).map(readDecimal)],
      this.#multiples.map(readDecimal),
    );
  }

  /** Whether the finished number is right. */
  allows(text: string): boolean {
    if (this.strict && /[.eE]/.test(text)) return false;
    const { values } = this;
    if (values !== null) return values.some((one) => compareNumbers(one, text) === 0);
    return this.#allows(text);
  }

  #allows(text: string): boolean {
    if (this.integer && !isInteger(text, false)) return false;
    for (const { text: bound, exclusive } of this.#bounds.lower) {
      const order = compareNumbers(text, bound);
      if (order < 0 || (exclusive && order === 0)) return false;
    }
    for (const { text: bound, exclusive } of this.#bounds.upper) {
      const order = compareNumbers(text, bound);
      if (order > 0 || (exclusive && order === 0)) return false;
    }
    return this.#multiples.every((one) => isMultipleOf(text, one));
  }

  /**
   * Decimal places that are enough for each right number, and one more: 1.0 is an integer. Behind them
   * could only be zeros, and a model that begins with those would never end.
   */
  get mostPlaces(): number {
    if (this.values !== null) return 1 + Math.max(0, ...this.values.map(placesOf));
    return this.integer ? 1 : Infinity;
  }

  /**
   * Whether every number that begins like this keeps to all but `integer`: what its sign decides, and
   * for integers, whose exponents are not negative, what its size decides.
   */
  keeps(prefix: Prefix): boolean {
    if (this.values !== null || this.#multiples.length > 0) return false;
    const { lower, upper } = this.#bounds;
    const near = prefix.negative ? upper : lower;
    const far = prefix.negative ? lower : upper;
    if (far.length > 0) return false;
    const nonzero = /[1-9]/.test(prefix.whole + (prefix.fraction ?? ''));
    const text = `${prefix.negative ? '-' : ''}${prefix.whole || '0'}`;
    return near.every(({ text: bound, value, exclusive }) => {
      const beyondZero = value.digits !== '' && value.negative !== prefix.negative;
      if (beyondZero || (value.digits === '' && (!exclusive || nonzero))) return true;
      if (!this.integer || prefix.whole === '') return false;
      const order = compareNumbers(text, bound) * (prefix.negative ? -1 : 1);
      return order > 0 || (order === 0 && !exclusive);
    });
  }

  /** Whether some number without an exponent that begins like this is right. */
  viable(prefix: Prefix): boolean {
    const { values } = this;
    const sizes = sizesOf(prefix);
    if (values !== null) return values.some((one) => reaches(prefix, sizes, one));
    const places = Math.max(this.#places(), prefix.fraction?.length ?? 0);
    const scale = 10n ** BigInt(places);
    const window = this.#window(prefix.negative, places);
    if (window === null) return false;
    const step = this.#step(places);
    const unit = scale / 10n ** BigInt(prefix.fraction?.length ?? 0);
    const one = { from: sizes.from * unit, to: sizes.to === null ? null : sizes.to * unit };
    if (meets(one, window, step)) return true;
    if (prefix.fraction !== null || prefix.whole === '' || prefix.whole === '0') return false;
    let { from, to } = one;
    for (let digits = prefix.whole.length; digits < this.digits.whole; digits++) {
      from *= 10n;
      to = to! * 10n;
      if (window.to !== null && from > window.to) return false;
      if (meets({ from, to }, window, step)) return true;
    }
    return false;
  }

  /** Decimal places that the bounds and steps need. */
  #places(): number {
    const { lower, upper } = this.#bounds;
    const values = [...lower, ...upper].map((one) => one.value);
    for (const one of this.#multiples) values.push(readDecimal(one));
    return Math.min(Math.max(0, ...values.map((one) => -one.exponent)), mostDigits);
  }

  /** The allowed sizes of one sign, both ends included. */
  #window(negative: boolean, places: number): Window | null {
    const { lower, upper } = this.#bounds;
    const near = negative ? upper : lower;
    const far = negative ? lower : upper;
    let from = 0n;
    let open = false;
    for (const { value, exclusive } of near) {
      const size = scaled(value, negative, places);
      if (size === null || size < from || size < 0n) continue;
      if (size > from || exclusive) open = exclusive;
      from = size;
    }
    let to: bigint | null = null;
    let closed = true;
    for (const { value, exclusive } of far) {
      const size = scaled(value, negative, places);
      if (size === null) continue;
      if (size < 0n || (size === 0n && exclusive)) return null;
      if (to === null || size < to) closed = !exclusive;
      else if (size === to && exclusive) closed = false;
      if (to === null || size < to) to = size;
    }
    return { from, open, to, closed };
  }

  /** Common multiple of all steps, scaled; null: any number. */
  #step(places: number): bigint | null {
    let step: bigint | null = this.integer ? 10n ** BigInt(places) : null;
    for (const one of this.#multiples) {
      const size = scaled(readDecimal(one), false, places);
      if (size === null || size === 0n) continue;
      step = step === null ? size : (step * size) / gcd(step, size);
    }
    return step;
  }
}

/** How many digits may matter: as many as the values have, and as the multiples have together. */
function digitsFor(
  values: readonly Decimal[],
  multiples: readonly Decimal[],
): { whole: number; places: number } {
  const whole = (one: Decimal): number => Math.max(0, one.digits.length + one.exponent);
  const places = (one: Decimal): number => Math.max(0, -one.exponent);
  const enough = (of: (one: Decimal) => number, usual: number): number => {
    const together = multiples.reduce((sum, one) => sum + of(one), 0);
    const needed = Math.max(0, ...values.map(of)) + together;
    return Math.min(Math.max(usual, needed + 2), mostDigits);
  };
  return { whole: enough(whole, usualDigits.whole), places: enough(places, usualDigits.places) };
}

interface Window {
  readonly from: bigint;
  readonly open: boolean;
  readonly to: bigint | null;
  readonly closed: boolean;
}

/** The numbers that all of the nodes list; null where none has a list. */
function listedIn(nodes: readonly SchemaNode[]): string[] | null {
  let listed: string[] | null = null;
  for (const { values } of nodes) {
    if (values === null) continue;
    const own = values.flatMap((one) => (one.type === 'number' ? [one.text] : []));
    const before: string[] = listed ?? own;
    listed = own.filter((text) => before.some((one) => compareNumbers(one, text) === 0));
  }
  return listed;
}

const boundOf = (one: { value: string; exclusive: boolean }): Bound => ({
  text: one.value,
  value: readDecimal(one.value),
  exclusive: one.exclusive,
});

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** Size on the side of the given sign, negative on the other; null where it is too large to write out. */
function scaled(value: Decimal, negative: boolean, places: number): bigint | null {
  if (value.digits.length + value.exponent > mostDigits) return null;
  const shift = value.exponent + places;
  // Beyond the digits that are read: the next size below.
  const digits = shift >= 0 ? value.digits : value.digits.slice(0, shift);
  const size = BigInt(digits || '0') * 10n ** BigInt(Math.max(shift, 0));
  return value.negative === negative ? size : -size;
}

/** In units of the last digit that came: the numbers that begin like this and have as many digits. */
function sizesOf(prefix: Prefix): Sizes {
  if (prefix.whole === '') return { from: 0n, to: null };
  const from = BigInt(prefix.whole + (prefix.fraction ?? ''));
  return { from, to: from + 1n };
}

function meets(sizes: Sizes, window: Window, step: bigint | null): boolean {
  let low = sizes.from;
  let open = false;
  if (window.from > low || (window.from === low && window.open)) {
    low = window.from;
    open = window.open;
  }
  const within = (value: bigint): boolean =>
    (sizes.to === null || value < sizes.to) &&
    (window.to === null || value < window.to || (value === window.to && window.closed));
  if (step !== null) {
    let first = ((low + step - 1n) / step) * step;
    if (first === low && open) first += step;
    return within(first);
  }
  if (!open) return within(low);
  // Between two neighbours at this scale there are others.
  return (sizes.to === null || low < sizes.to) && (window.to === null || low < window.to);
}

/** Whether digits can follow so that the number is the value, or it is spelled as the value is. */
function reaches(prefix: Prefix, sizes: Sizes, text: string): boolean {
  const value = readDecimal(text);
  if (value.digits === '') {
    const digits = prefix.whole + (prefix.fraction ?? '');
    return !/[1-9]/.test(digits);
  }
  if (value.negative !== prefix.negative) return false;
  if (prefix.whole === '') return true;
  const { fraction, whole } = prefix;
  const spelled = `${whole}${fraction === null ? '' : `.${fraction}`}`;
  if (text.replace('-', '').startsWith(spelled)) return true;
  if (value.digits.length + value.exponent > mostDigits || value.exponent < -mostDigits)
    return false;
  const plain = plainOf(value);
  if (fraction === null) {
    return whole === plain.whole || (whole !== '0' && plain.whole.startsWith(whole));
  }
  if (sizes.to === null || whole !== plain.whole) return false;
  const zeros = fraction.slice(plain.fraction.length);
  return fraction.length <= plain.fraction.length
    ? plain.fraction.startsWith(fraction)
    : fraction.startsWith(plain.fraction) && !/[1-9]/.test(zeros);
}

function plainOf(value: Decimal): { whole: string; fraction: string } {
  const { digits, exponent } = value;
  if (exponent >= 0) return { whole: digits + '0'.repeat(exponent), fraction: '' };
  const padded = digits.padStart(1 - exponent, '0');
  return { whole: padded.slice(0, exponent), fraction: padded.slice(exponent) };
}

const placesOf = (text: string): number => Math.max(0, -readDecimal(text).exponent);
