/** The `%` operator on texts: C-like formats with Python's rules. */

import { TemplateFailure, typeError, valueError } from './failure.ts';
import { applyWidth, floatFormat } from './format-number.ts';
import { truncate } from './numbers.ts';
import type { Render } from './render.ts';
import { reprOf, toText } from './text.ts';
import {
  PyDict,
  PyFloat,
  PyRange,
  PyTuple,
  Undefined,
  intOf,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

const directive = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?([^])?/g;

interface Directive {
  readonly flags: string;
  readonly width: number;
  /** -1 = none was given. */
  readonly precision: number;
  readonly type: string;
}

/** Takes the arguments one after the other, or by name. */
class Arguments {
  readonly #given: Value;
  readonly #positions: readonly Value[];
  #next = 0;
  #isNamed = false;

  constructor(given: Value) {
    this.#given = given;
    this.#positions = given instanceof PyTuple ? given.items : [given];
  }

  next(): Value {
    const value = this.#positions[this.#next++];
    if (value === undefined) throw typeError('not enough arguments for format string');
    return value;
  }

  named(name: string): Value {
    if (!(this.#given instanceof PyDict)) throw typeError('format requires a mapping');
    this.#isNamed = true;
    const value = this.#given.get(name);
    if (value === undefined) throw new TemplateFailure('KeyError', `'${name}'`);
    return value;
  }

  /** Mappings and what else has items may be left over, single values may not. */
  finish(): void {
    const given = this.#given;
    const isMapping =
      given instanceof PyDict ||
      isList(given) ||
      given instanceof PyRange ||
      given instanceof Undefined;
    if (this.#isNamed || isMapping) return;
    if (this.#next < this.#positions.length) {
      throw typeError('not all arguments converted during string formatting');
    }
  }
}

/** @throws TemplateFailure TypeError, ValueError or KeyError as Python has them */
export function formatPercent(render: Render, format: string, given: Value): string {
  const args = new Arguments(given);
  render.chargeText(format.length);
  render.charge(12);
  const size = (text: string | undefined): number => {
    if (text !== '*') return text === undefined || text === '' ? -1 : Number(text);
    const value = intOf(args.next());
    if (value === undefined) throw typeError('* wants int');
    return Number(value);
  };
  const text = format.replaceAll(
    directive,
    (whole: string, ...groups: (string | number | undefined)[]) => {
      const [name, flags = '', width, precision, type] = groups as (string | undefined)[];
      if (type === undefined) throw valueError('incomplete format');
      render.charge(8);
      if (type === '%') return '%';
      let wide = size(width);
      const dot = whole.includes('.') ? Math.max(0, size(precision)) : -1;
      let all = flags;
      if (wide < -1) {
        wide = -wide;
        all += '-';
      }
      render.chargeText(Math.max(wide, dot, 0));
      const value = name === undefined ? args.next() : args.named(name);
      return convert(render, { flags: all, width: wide, precision: dot, type }, value);
    },
  );
  args.finish();
  render.chargeText(text.length);
  return text;
}

function convert(render: Render, spec: Directive, value: Value): string {
  const { type, precision } = spec;
  switch (type) {
    case 's':
    case 'r':
    case 'a': {
      const text = type === 's' ? toText(render, value) : reprOf(render, value);
      return padText(precision >= 0 ? Array.from(text).slice(0, precision).join('') : text, spec);
    }
    case 'c':
      return padText(character(value), spec);
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return padNumber(integer(spec, value), spec);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      const number = value instanceof PyFloat ? value.value : intOf(value);
      if (value instanceof Undefined) throw value.failure();
      if (number === undefined) throw typeError(`must be real number, not ${typeName(value)}`);
      const digits = precision < 0 ? 6 : precision;
      render.charge(40 + digits ** 2 / 500);
      return padNumber(
        floatFormat(Number(number), {
          type,
          precision: digits,
          alternate: spec.flags.includes('#'),
        }),
        spec,
      );
    }
    default:
      throw valueError(
        `unsupported format character '${type}' (0x${type.charCodeAt(0).toString(16)})`,
      );
  }
}

function character(value: Value): string {
  const text = textOf(value);
  if (text !== undefined) {
    if (Array.from(text).length !== 1) throw typeError('%c requires int or char');
    return text;
  }
  const code = intOf(value);
  if (code === undefined) throw typeError('%c requires int or char');
  if (code < 0 || code > 0x10ffff) {
    throw new TemplateFailure('OverflowError', '%c arg not in range(0x110000)');
  }
  return String.fromCodePoint(Number(code));
}

function integer({ type, precision, flags }: Directive, value: Value): string {
  const isHex = type === 'x' || type === 'X' || type === 'o';
  if (value instanceof Undefined) throw value.failure();
  let int = intOf(value);
  if (int === undefined && value instanceof PyFloat && !isHex) int = truncate(value.value);
  if (int === undefined) {
    throw typeError(
      `%${type} format: ${isHex ? 'an integer' : 'a real number'} is required, not ${typeName(value)}`,
    );
  }
  const big = BigInt(int);
  const radix = type === 'o' ? 8 : isHex ? 16 : 10;
  let digits = (big < 0n ? -big : big).toString(radix).padStart(Math.max(precision, 0), '0');
  if (isHex && flags.includes('#')) digits = `0${type === 'o' ? 'o' : 'x'}${digits}`;
  if (type === 'X') digits = digits.toUpperCase();
  return big < 0n ? `-${digits}` : digits;
}

function padText(text: string, { flags, width }: Directive): string {
  return applyWidth(text, { width, align: flags.includes('-') ? '<' : '>', fill: ' ' });
}

function padNumber(text: string, { flags, width }: Directive): string {
  let signed = text;
  if (!text.startsWith('-')) {
    if (flags.includes('+')) signed = `+${text}`;
    else if (flags.includes(' ')) signed = ` ${text}`;
  }
  if (flags.includes('-')) return applyWidth(signed, { width, align: '<', fill: ' ' });
  return flags.includes('0')
    ? applyWidth(signed, { width, align: '=', fill: '0' })
    : applyWidth(signed, { width, align: '>', fill: ' ' });
}
