/** `str.format`: fields by place or name, with attributes, items, conversions and format specs. */

import { TemplateFailure, typeError, valueError } from '../values/failure.ts';
import { applyWidth, floatFormat, type Padding } from '../values/format-number.ts';
import { floatText } from '../values/quote.ts';
import type { Render } from '../values/render.ts';
import { intText, reprOf, toText } from '../values/text.ts';
import {
  PyFloat,
  Undefined,
  intOf,
  textOf,
  typeName,
  type Kwargs,
  type Value,
} from '../values/value.ts';

interface Given {
  readonly args: readonly Value[];
  readonly kwargs: Kwargs;
}

class Formatter {
  readonly #render: Render;
  readonly #given: Given;
  #next = 0;

  constructor(render: Render, given: Given) {
    this.#render = render;
    this.#given = given;
  }

  /** @param depth format specs may hold fields, whose specs may not */
  format(text: string, depth: number): string {
    if (depth > 2) throw valueError('Max string recursion exceeded');
    const render = this.#render;
    render.chargeText(text.length);
    let result = '';
    for (let at = 0; at < text.length;) {
      const open = text.slice(at).search(/[{}]/);
      if (open === -1) return result + text.slice(at);
      render.chargeText(text.length - at);
      result += text.slice(at, at + open);
      at += open;
      const brace = text[at];
      if (text[at + 1] === brace) {
        result += brace;
        at += 2;
      } else if (brace === '}') throw valueError("Single '}' encountered in format string");
      else {
        const end = this.#endOfField(text, at + 1);
        result += this.#field(text.slice(at + 1, end), depth);
        at = end + 1;
      }
    }
    return result;
  }

  #endOfField(text: string, from: number): number {
    if (from >= text.length) throw valueError("Single '{' encountered in format string");
    let open = 1;
    this.#render.charge((text.length - from) / 16);
    for (let at = from; at < text.length; at++) {
      if (text[at] === '{') open++;
      else if (text[at] === '}' && --open === 0) return at;
    }
    throw valueError("expected '}' before end of string");
  }

  #field(field: string, depth: number): string {
    this.#render.charge(12 + field.length / 4);
    const found = /^((?:[^[\]{}!:]|\[[^\]]*\])*)(?:!([^:}]*))?(?::([^]*))?$/.exec(field);
    if (found === null) throw valueError('the field of a format string is malformed');
    const [, path = '', conversion, spec = ''] = found;
    const render = this.#render;
    let value = this.#value(path);
    if (conversion !== undefined) {
      if (conversion === 's') value = toText(render, value);
      else if (conversion === 'r' || conversion === 'a') value = reprOf(render, value);
      else throw valueError(`Unknown conversion specifier ${conversion}`);
    }
    return formatValue(render, value, this.format(spec, depth + 1));
  }

  #value(path: string): Value {
    const render = this.#render;
    const first = /^[^.[]*/.exec(path)?.[0] ?? '';
    let value = this.#first(first);
    const steps = /\.([^.[]+)|\[([^\]]+)\]/y;
    steps.lastIndex = first.length;
    while (steps.lastIndex < path.length) {
      const found = steps.exec(path);
      if (found === null) throw valueError('Empty attribute in format string');
      const [, name, key = ''] = found;
      value =
        name === undefined
          ? render.lookups.item(render, value, /^\d+$/.test(key) ? Number(key) : key)
          : render.lookups.attribute(render, value, name);
    }
    return value;
  }

  #first(name: string): Value {
    const { args, kwargs } = this.#given;
    if (name === '' || /^\d+$/.test(name)) {
      const at = name === '' ? this.#next++ : Number(name);
      const value = args[at];
      if (value !== undefined) return value;
      throw new TemplateFailure(
        'IndexError',
        `Replacement index ${at} out of range for positional args tuple`,
      );
    }
    const value = kwargs?.get(name);
    if (value === undefined) throw new TemplateFailure('KeyError', `'${name}'`);
    return value;
  }
}

const shape = /^(?:([^])?([<>=^]))?([-+ ])?z?(#)?(0)?(\d+)?([_,])?(?:\.(\d+))?([a-zA-Z%])?$/u;

interface Spec {
  readonly fill: string | undefined;
  readonly align: string | undefined;
  readonly sign: string;
  readonly alternate: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | null;
  readonly type: string;
}

function readSpec(render: Render, text: string): Spec {
  const found = shape.exec(text);
  if (found === null) throw valueError('Invalid format specifier');
  const [, fill, align, sign = '', hash, zero, width = '0', grouping = '', precision, type = ''] =
    found;
  render.chargeText(Math.max(Number(width), Number(precision ?? 0)));
  render.charge(40 + Number(precision ?? 0) ** 2 / 500);
  return {
    fill,
    align,
    sign,
    alternate: hash !== undefined,
    zero: zero !== undefined,
    width: Number(width),
    grouping,
    precision: precision === undefined ? null : Number(precision),
    type,
  };
}

function formatValue(render: Render, value: Value, text: string): string {
  const string = textOf(value);
  if (text === '') return toText(render, value);
  const spec = readSpec(render, text);
  const wrong = (): TemplateFailure =>
    valueError(`Unknown format code '${spec.type}' for object of type '${typeName(value)}'`);
  if (string !== undefined) {
    if (spec.type !== '' && spec.type !== 's') throw wrong();
    const cut =
      spec.precision === null ? string : Array.from(string).slice(0, spec.precision).join('');
    return pad(cut, spec, '<');
  }
  const int = intOf(value);
  if (int !== undefined || value instanceof PyFloat) {
    const number = int ?? (value as PyFloat).value;
    return pad(
      signed(numberText(number, spec, { isInt: int !== undefined, wrong }), spec),
      spec,
      '>',
    );
  }
  if (value instanceof Undefined) throw value.failure();
  throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`);
}

const radixes: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

function numberText(
  value: number | bigint,
  spec: Spec,
  { isInt, wrong }: { isInt: boolean; wrong: () => TemplateFailure },
): string {
  const { type, precision, alternate } = spec;
  const radix = radixes[type];
  if (isInt && radix !== undefined) {
    const big = BigInt(value);
    const digits = (big < 0n ? -big : big).toString(radix);
    const text = `${alternate ? `0${type}` : ''}${type === 'X' ? digits.toUpperCase() : digits}`;
    return big < 0n ? `-${text}` : text;
  }
  if (isInt && (type === '' || type === 'd' || type === 'n')) {
    if (precision !== null) throw valueError('Precision not allowed in integer format specifier');
    return grouped(intText(value), spec.grouping);
  }
  if (isInt && type === 'c') return String.fromCodePoint(Number(value));
  const number = Number(value);
  if (type === '%') {
    const text = floatFormat(number * 100, { type: 'f', precision: precision ?? 6, alternate });
    return `${grouped(text, spec.grouping)}%`;
  }
  if ('eEfFgG'.includes(type) && type !== '') {
    const text = floatFormat(number, { type, precision: precision ?? 6, alternate });
    return grouped(text, spec.grouping);
  }
  if (type !== '' && type !== 'n') throw wrong();
  if (precision === null) return grouped(floatText(number), spec.grouping);
  const text = floatFormat(number, { type: 'g', precision });
  return grouped(/[.en]/.test(text) ? text : `${text}.0`, spec.grouping);
}

function grouped(text: string, separator: string): string {
  if (separator === '') return text;
  const digits = /\d+/.exec(text);
  if (digits === null) return text;
  const first = digits[0].length % 3;
  const whole = [digits[0].slice(0, first), ...(digits[0].slice(first).match(/\d{3}/g) ?? [])]
    .filter((part) => part !== '')
    .join(separator);
  return text.slice(0, digits.index) + whole + text.slice(digits.index + digits[0].length);
}

function signed(text: string, { sign }: Spec): string {
  return (sign === '+' || sign === ' ') && !text.startsWith('-') ? sign + text : text;
}

function pad(text: string, spec: Spec, align: Padding['align']): string {
  const zeroAlign = spec.zero && align === '>' ? '=' : align;
  return applyWidth(text, {
    width: spec.width,
    align: (spec.align ?? zeroAlign) as Padding['align'],
    fill: spec.fill ?? (spec.zero ? '0' : ' '),
  });
}

/** @throws TemplateFailure as Python's formatter in Jinja2's sandbox */
export function formatText(render: Render, text: string, given: Given): string {
  const result = new Formatter(render, given).format(text, 0);
  render.chargeText(result.length);
  return result;
}
