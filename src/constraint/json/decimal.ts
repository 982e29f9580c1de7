/**
 * Exact arithmetic on numbers as JSON spells them, without rounding and without writing out exponents:
 * `1e400000000` costs no more than `1`. Pure; knows nothing of schemas.
 */

/** `digits` x 10^`exponent`; no zeros at either end of `digits`. Zero has no digits, exponent 0 and no sign. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const spelling = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

const parsed = new Map<string, Decimal>();
const maxParsed = 1000;

/** The value of a number as JSON spells it; its exponent has at most 13 digits (the reader sees to that). */
export function readDecimal(text: string): Decimal {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = spelling.exec(text) ?? [];
  const value = decimal(sign === '-', whole + fraction, Number(exponent) - fraction.length);
  if (parsed.size >= maxParsed) parsed.clear();
  if (text.length < 64) parsed.set(text, value);
  return value;
}

/** Normal form of digits x 10^exponent. */
export function decimal(negative: boolean, digits: string, exponent: number): Decimal {
  let begin = 0;
  while (begin < digits.length && digits[begin] === '0') begin++;
  let end = digits.length;
  while (end > begin && digits[end - 1] === '0') end--;
  if (begin === end) return { negative: false, digits: '', exponent: 0 };
  return { negative, digits: digits.slice(begin, end), exponent: exponent + digits.length - end };
}

const signOf = (value: Decimal): number => (value.digits === '' ? 0 : value.negative ? -1 : 1);

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const sign = signOf(a);
  if (sign !== signOf(b)) return sign - signOf(b);
  return sign * compareSizes(a, b);
}

function compareSizes(a: Decimal, b: Decimal): number {
  const scale = a.exponent + a.digits.length - (b.exponent + b.digits.length);
  if (scale !== 0) return scale;
  // Both begin at the same decimal place, and neither ends with a zero: the order of texts is right.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}

/** As `compareDecimals`, of spelled numbers. */
export const compareNumbers = (a: string, b: string): number =>
  compareDecimals(readDecimal(a), readDecimal(b));

/** Whether a spelled number is an integer; `strict` (draft-04): also written without fraction and exponent. */
export function isInteger(text: string, strict: boolean): boolean {
  if (strict) return !/[.eE]/.test(text);
  return readDecimal(text).exponent >= 0;
}

/**
 * Whether the first number is the second times an integer. The second is greater than zero.
 * With a = x 10^p and b = y 10^q in normal form: never where p < q, since x does not end with a zero;
 * else where y divides x 10^(p - q), which is computed modulo y.
 */
export function isMultipleOf(text: string, divisor: string): boolean {
  const a = readDecimal(text);
  const b = readDecimal(divisor);
  if (a.digits === '') return true;
  const shift = a.exponent - b.exponent;
  if (shift < 0) return false;
  const y = BigInt(b.digits);
  return ((BigInt(a.digits) % y) * powerModulo(10n, BigInt(shift), y)) % y === 0n;
}

function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** One text for each value: `-15e-1`. */
export function canonicalNumber(text: string): string {
  const { negative, digits, exponent } = readDecimal(text);
  if (digits === '') return '0';
  return `${negative ? '-' : ''}${digits}${exponent === 0 ? '' : `e${exponent}`}`;
}

/** The number as an integer where it is one of at most `maxDigits` digits; null otherwise. */
export function toBigInt(value: Decimal, maxDigits: number): bigint | null {
  if (value.exponent < 0 || value.digits.length + value.exponent > maxDigits) return null;
  const size = BigInt(value.digits === '' ? '0' : value.digits) * 10n ** BigInt(value.exponent);
  return value.negative ? -size : size;
}
