/** Arithmetic with Python's types: integers of any size, floats, and what `+`, `*`, `%` do to texts and lists. */

import { escapeText } from './escape.ts';
import { TemplateFailure, typeError } from './failure.ts';
import { formatPercent } from './percent-format.ts';
import { divide, floorDivide, power, remainder } from './numbers.ts';
import type { Render } from './render.ts';
import {
  Markup,
  PyFloat,
  PyTuple,
  Undefined,
  intOf,
  isList,
  textOf,
  toInt,
  typeName,
  type Value,
} from './value.ts';

type Binary = (render: Render, left: Value, right: Value) => Value;

function unsupported(operator: string, left: Value, right: Value): TemplateFailure {
  const shown = operator === '**' ? '** or pow()' : operator;
  return typeError(
    `unsupported operand type(s) for ${shown}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

/** Both as integers, both as floats, or not numbers. */
function numeric(
  left: Value,
  right: Value,
): { ints: [number | bigint, number | bigint] } | { floats: [number, number] } | null {
  const a = intOf(left);
  const b = intOf(right);
  if (a !== undefined && b !== undefined) return { ints: [a, b] };
  const x = left instanceof PyFloat ? left.value : a;
  const y = right instanceof PyFloat ? right.value : b;
  if (x === undefined || y === undefined) return null;
  return { floats: [toFloat(x), toFloat(y)] };
}

/** @throws TemplateFailure OverflowError */
export function toFloat(value: number | bigint): number {
  const float = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(float)) {
    throw new TemplateFailure('OverflowError', 'int too large to convert to float');
  }
  return float;
}

function refuseUndefined(left: Value, right: Value): void {
  if (left instanceof Undefined) throw left.failure();
  if (right instanceof Undefined) throw right.failure();
}

function add(render: Render, left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    render.chargeText(left.length + right.length);
    return left + right;
  }
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers !== null) {
    if ('floats' in numbers) return new PyFloat(numbers.floats[0] + numbers.floats[1]);
    return exact(
      numbers.ints,
      (a, b) => a + b,
      (a, b) => a + b,
    );
  }
  const text = textOf(left);
  const otherText = textOf(right);
  if (text !== undefined && otherText !== undefined) return addMarkup(render, left, right);
  if (isList(left) && isList(right)) {
    render.charge(left.length + right.length);
    return [...left, ...right];
  }
  if (left instanceof PyTuple && right instanceof PyTuple) {
    render.charge(left.items.length + right.items.length);
    return new PyTuple([...left.items, ...right.items]);
  }
  if (text !== undefined || isList(left) || left instanceof PyTuple) {
    const type = typeName(left);
    throw typeError(`can only concatenate ${type} (not "${typeName(right)}") to ${type}`);
  }
  throw unsupported('+', left, right);
}

/** What joins safe text and is not safe itself is escaped. */
function addMarkup(render: Render, left: Value, right: Value): Markup {
  const text = [left, right]
    .map((one) => (one instanceof Markup ? one.text : escapeText(textOf(one) ?? '')))
    .join('');
  render.chargeText(text.length);
  return new Markup(text);
}

function exact(
  [a, b]: readonly [number | bigint, number | bigint],
  quick: (a: number, b: number) => number,
  slow: (a: bigint, b: bigint) => bigint,
): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = quick(a, b);
    if (Number.isSafeInteger(result)) return result;
  }
  return toInt(slow(BigInt(a), BigInt(b)));
}

function subtract(_render: Render, left: Value, right: Value): Value {
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers === null) throw unsupported('-', left, right);
  if ('floats' in numbers) return new PyFloat(numbers.floats[0] - numbers.floats[1]);
  return exact(
    numbers.ints,
    (a, b) => a - b,
    (a, b) => a - b,
  );
}

function multiply(render: Render, left: Value, right: Value): Value {
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers !== null) {
    if ('floats' in numbers) return new PyFloat(numbers.floats[0] * numbers.floats[1]);
    chargeInts(render, numbers.ints);
    return exact(
      numbers.ints,
      (a, b) => a * b,
      (a, b) => a * b,
    );
  }
  const count = intOf(left) ?? intOf(right);
  const repeated = intOf(left) === undefined ? left : right;
  if (count === undefined) {
    const isSequence = textOf(left) !== undefined || isList(left) || left instanceof PyTuple;
    const other = isSequence ? right : left;
    if (isSequence || textOf(right) !== undefined || isList(right)) {
      throw typeError(`can't multiply sequence by non-int of type '${typeName(other)}'`);
    }
    throw unsupported('*', left, right);
  }
  const times = Math.max(0, Number(count));
  if (times >= 2 ** 63) {
    throw new TemplateFailure('OverflowError', "cannot fit 'int' into an index-sized integer");
  }
  const text = textOf(repeated);
  if (text !== undefined) {
    render.chargeText(text.length * times);
    const result = text.repeat(text === '' ? 0 : times);
    return repeated instanceof Markup ? new Markup(result) : result;
  }
  if (isList(repeated)) return repeat(render, repeated, times);
  if (repeated instanceof PyTuple) return new PyTuple(repeat(render, repeated.items, times));
  throw unsupported('*', left, right);
}

function repeat(render: Render, items: readonly Value[], times: number): Value[] {
  render.charge(1 + items.length * times);
  const result: Value[] = [];
  if (items.length === 0) return result;
  for (let i = 0; i < times; i++) for (const item of items) result.push(item);
  return result;
}

const bitsPerDigit = 64;
/** Longer integers than this are refused. */
const maxBits = 100_000;

/** The number of bits of an integer, rounded up to a few. */
function bitsOf(value: number | bigint): number {
  return typeof value === 'number' ? 53 : value.toString(16).length * 4;
}

/** Pays for a product: its time grows with the product of the lengths. */
function chargeInts(render: Render, [a, b]: readonly [number | bigint, number | bigint]): void {
  if (typeof a === 'number' && typeof b === 'number') return;
  const [x, y] = [bitsOf(a), bitsOf(b)];
  if (x + y > maxBits) throw tooLarge();
  render.charge(1 + Math.ceil((x / bitsPerDigit) * (y / bitsPerDigit)));
}

const tooLarge = (): TemplateFailure =>
  new TemplateFailure('LimitError', `an integer has more than ${maxBits} bits`);

function raise(render: Render, left: Value, right: Value): Value {
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers === null) throw unsupported('**', left, right);
  if ('ints' in numbers && numbers.ints[1] >= 0) {
    const [base, exponent] = numbers.ints;
    if (base === 0 || base === 1) return exponent === 0 || exponent === 0n ? 1 : base;
    if (base === -1) return BigInt(exponent) % 2n === 0n ? 1 : -1;
    const bits =
      (typeof base === 'number' ? Math.log2(Math.abs(base)) : bitsOf(base)) * Number(exponent);
    if (bits > maxBits) throw tooLarge();
    render.charge(1 + Math.ceil((bits / bitsPerDigit) ** 2));
    return toInt(BigInt(base) ** BigInt(exponent));
  }
  const [x, y] =
    'ints' in numbers ? [toFloat(numbers.ints[0]), toFloat(numbers.ints[1])] : numbers.floats;
  return new PyFloat(power(x, y));
}

function modulo(render: Render, left: Value, right: Value): Value {
  const text = textOf(left);
  if (text !== undefined) {
    const result = formatPercent(render, text, right);
    return left instanceof Markup ? new Markup(result) : result;
  }
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers === null) throw unsupported('%', left, right);
  if ('floats' in numbers) return new PyFloat(remainder.float(...numbers.floats));
  chargeInts(render, numbers.ints);
  return remainder.int(...numbers.ints);
}

function quotient(render: Render, left: Value, right: Value): Value {
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers === null) throw unsupported('/', left, right);
  if ('floats' in numbers) {
    if (numbers.floats[1] === 0) {
      throw new TemplateFailure('ZeroDivisionError', 'float division by zero');
    }
    return new PyFloat(numbers.floats[0] / numbers.floats[1]);
  }
  chargeInts(render, numbers.ints);
  return new PyFloat(divide(...numbers.ints));
}

function floorQuotient(render: Render, left: Value, right: Value): Value {
  refuseUndefined(left, right);
  const numbers = numeric(left, right);
  if (numbers === null) throw unsupported('//', left, right);
  if ('floats' in numbers) return new PyFloat(floorDivide.float(...numbers.floats));
  chargeInts(render, numbers.ints);
  return floorDivide.int(...numbers.ints);
}

const charged =
  (apply: Binary): Binary =>
  (render, left, right) => {
    render.charge(1);
    return apply(render, left, right);
  };

export const binaryOperators: Readonly<Record<'+' | '-' | '*' | '/' | '//' | '%' | '**', Binary>> =
  {
    '+': charged(add),
    '-': charged(subtract),
    '*': charged(multiply),
    '/': charged(quotient),
    '//': charged(floorQuotient),
    '%': charged(modulo),
    '**': charged(raise),
  };

export function negate(value: Value): Value {
  if (value instanceof Undefined) throw value.failure();
  if (value instanceof PyFloat) return new PyFloat(-value.value);
  const int = intOf(value);
  if (int === undefined) throw typeError(`bad operand type for unary -: '${typeName(value)}'`);
  return typeof int === 'number' ? 0 - int : toInt(-int);
}

export function plus(value: Value): Value {
  if (value instanceof Undefined) throw value.failure();
  if (value instanceof PyFloat) return value;
  const int = intOf(value);
  if (int === undefined) throw typeError(`bad operand type for unary +: '${typeName(value)}'`);
  return int;
}
