/** Division and powers with Python's signs and errors, and numbers from texts. */

import { TemplateFailure } from './failure.ts';
import { toInt } from './value.ts';

const byZero = (message: string): TemplateFailure =>
  new TemplateFailure('ZeroDivisionError', message);

type Int = number | bigint;

/** The remainder has the sign of the divisor. */
export const remainder = {
  int(a: Int, b: Int): Int {
    // oxlint-disable-next-line eqeqeq -- zero of either kind
    if (b == 0) throw byZero('integer division or modulo by zero');
    if (typeof a === 'number' && typeof b === 'number') {
      const rest = a % b;
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;
    }
    const [x, y] = [BigInt(a), BigInt(b)];
    const rest = x % y;
    return toInt(rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest);
  },
  float(a: number, b: number): number {
    if (b === 0) throw byZero('float modulo');
    const rest = a % b;
    if (rest === 0) return b < 0 ? -0 : 0;
    return rest < 0 !== b < 0 ? rest + b : rest;
  },
};

export const floorDivide = {
  int(a: Int, b: Int): Int {
    // oxlint-disable-next-line eqeqeq -- zero of either kind
    if (b == 0) throw byZero('integer division or modulo by zero');
    const [x, y] = [BigInt(a), BigInt(b)];
    const whole = x / y;
    return toInt(x % y !== 0n && x < 0n !== y < 0n ? whole - 1n : whole);
  },
  float(a: number, b: number): number {
    if (b === 0) throw byZero('float floor division by zero');
    const quotient = (a - remainder.float(a, b)) / b;
    const floor = Math.floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
  },
};

/** True division of integers, rounded once where both fit a double. */
export function divide(a: Int, b: Int): number {
  // oxlint-disable-next-line eqeqeq -- zero of either kind
  if (b == 0) throw byZero('division by zero');
  if (typeof a === 'number' && typeof b === 'number') return a / b;
  const [x, y] = [BigInt(a), BigInt(b)];
  // The whole part exactly, the fraction from what is left.
  const result = Number(x / y) + Number(x % y) / Number(y);
  if (!Number.isFinite(result)) {
    throw new TemplateFailure('OverflowError', 'integer division result too large for a float');
  }
  return result;
}

export function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) {
    throw byZero('0.0 cannot be raised to a negative power');
  }
  if (base < 0 && Number.isFinite(base) && !Number.isInteger(exponent)) {
    throw new TemplateFailure('TypeError', 'complex numbers are not supported');
  }
  // IEEE's pow, which JavaScript leaves for 1 and NaN.
  const result = base === 1 ? 1 : base ** exponent;
  if (!Number.isFinite(result) && Number.isFinite(base) && Number.isFinite(exponent)) {
    throw new TemplateFailure('OverflowError', "(34, 'Numerical result out of range')");
  }
  return result;
}

const floatShape =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const named: Readonly<Record<string, number>> = {
  inf: Infinity,
  infinity: Infinity,
  nan: NaN,
};

/** Python's `float(text)`; null where it is no number. */
export function parseFloatText(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed.length > 1000) return null;
  if (floatShape.test(trimmed)) return Number(trimmed.replaceAll('_', ''));
  const word = named[trimmed.replace(/^[+-]/, '').toLowerCase()];
  if (word === undefined) return null;
  return trimmed.startsWith('-') ? -word : word;
}

const prefixes: Readonly<Record<string, number>> = { '0x': 16, '0o': 8, '0b': 2 };

/** Python's `int(text, base)`; null where it is no integer. */
export function parseIntText(text: string, base: number): Int | null {
  const found = /^([+-]?)(0[xob])?_?([\da-z]+(?:_[\da-z]+)*)$/i.exec(text.trim());
  if (found === null) return null;
  const [, sign = '', prefix = '', digits = ''] = found;
  const prefixed = prefixes[prefix.toLowerCase()];
  let body = digits.replaceAll('_', '').toLowerCase();
  let radix = base;
  if (prefixed !== undefined) {
    if (base === 0 || base === prefixed) radix = prefixed;
    else body = prefix.toLowerCase() + body;
  } else if (base === 0) {
    if (/^0+[1-9]/.test(body)) return null;
    radix = 10;
  }
  if (body.length > 4300) return null;
  let value = 0n;
  for (const digit of body) {
    const number = Number.parseInt(digit, 36);
    if (!(number < radix)) return null;
    value = value * BigInt(radix) + BigInt(number);
  }
  return toInt(sign === '-' ? -value : value);
}

/** A float's integer part, exactly. @throws TemplateFailure for infinities and NaN */
export function truncate(value: number): Int {
  if (Number.isNaN(value)) {
    throw new TemplateFailure('ValueError', 'cannot convert float NaN to integer');
  }
  if (!Number.isFinite(value)) {
    throw new TemplateFailure('OverflowError', 'cannot convert float infinity to integer');
  }
  const whole = Math.trunc(value) + 0;
  return Number.isSafeInteger(whole) ? whole : BigInt(whole);
}

/** Rounds halves to even, exactly: by the digits that the double really has. */
export function roundTo(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > 22) return value;
  if (digits < 0) {
    const unit = 10 ** Math.min(-digits, 400);
    const scaled = value / unit;
    const floor = Math.floor(scaled);
    const rest = scaled - floor;
    const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
    return Number.isFinite(unit) ? (isUp ? floor + 1 : floor) * unit : value * 0;
  }
  return Number(fixedText(value, digits));
}

/** A finite float with so many digits behind the point, halves to even. */
export function fixedText(value: number, digits: number): string {
  // toFixed goes by the exact value too, but takes halves away from zero, and stops at 1e21 and 100 digits.
  const minus = value < 0 || Object.is(value, -0) ? '-' : '';
  const { mantissa, exponent } = decompose(Math.abs(value));
  const scale = 10n ** BigInt(digits);
  let whole: bigint;
  if (exponent >= 0) whole = mantissa * scale * 2n ** BigInt(exponent);
  else {
    const unit = 2n ** BigInt(-exponent);
    const scaled = mantissa * scale;
    whole = scaled / unit;
    const rest = (scaled % unit) * 2n;
    if (rest > unit || (rest === unit && whole % 2n === 1n)) whole++;
  }
  const text = whole.toString().padStart(digits + 1, '0');
  if (digits === 0) return minus + text;
  return `${minus}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** A double as mantissa x 2^exponent. */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const raw = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return raw === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: raw - 1075 };
}
