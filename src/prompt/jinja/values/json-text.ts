/** Python's `json.dumps` with the arguments that the filter `tojson` has in Hugging Face transformers. */

import { compareText } from './compare.ts';
import { typeError } from './failure.ts';
import { floatText } from './quote.ts';
import type { Render } from './render.ts';
import { intText } from './text.ts';
import {
  PyDict,
  PyFloat,
  PyTuple,
  intOf,
  isInt,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

export interface JsonStyle {
  readonly ensureAscii: boolean;
  /** What a level is indented by; null = all on one line. */
  readonly indent: string | null;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
}

const surrogates = /[\ud800-\udfff]/;

class Writer {
  readonly #render: Render;
  readonly #style: JsonStyle;
  #text = '';

  constructor(render: Render, style: JsonStyle) {
    this.#render = render;
    this.#style = style;
  }

  write(value: Value): string {
    this.#value(value, '');
    return this.#text;
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length > this.#render.limits.textLength) {
      this.#render.chargeText(this.#text.length);
    }
  }

  #string(text: string): string {
    this.#render.chargeText(text.length * 2);
    // JSON.stringify spells lone halves of characters, which Python leaves as they are.
    const quoted = surrogates.test(text)
      ? `"${Array.from(text, (one) => (one.length === 1 ? this.#unit(one) : one)).join('')}"`
      : JSON.stringify(text);
    if (!this.#style.ensureAscii) return quoted;
    return quoted.replaceAll(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }

  #unit(unit: string): string {
    return surrogates.test(unit) ? unit : JSON.stringify(unit).slice(1, -1);
  }

  #value(value: Value, indent: string): void {
    this.#render.charge(6);
    const text = textOf(value);
    if (text !== undefined) this.#add(this.#string(text));
    else if (value === null) this.#add('null');
    else if (typeof value === 'boolean') this.#add(value ? 'true' : 'false');
    else if (isInt(value)) this.#add(intText(value));
    else if (value instanceof PyFloat) this.#add(jsonFloat(value.value));
    else if (isList(value)) this.#list(value, indent);
    else if (value instanceof PyTuple) this.#list(value.items, indent);
    else if (value instanceof PyDict) this.#dict(value, indent);
    else throw typeError(`Object of type ${typeName(value)} is not JSON serializable`);
  }

  #list(items: readonly Value[], indent: string): void {
    if (items.length === 0) return this.#add('[]');
    const { inner, between, end } = this.#breaks(indent);
    this.#add(`[${inner}`);
    for (const [at, item] of items.entries()) {
      if (at > 0) this.#add(between);
      this.#value(item, this.#deeper(indent));
    }
    this.#add(`${end}]`);
  }

  #dict(dict: PyDict, indent: string): void {
    if (dict.size === 0) return this.#add('{}');
    const { inner, between, end } = this.#breaks(indent);
    this.#add(`{${inner}`);
    const entries = dict.entries();
    if (this.#style.sortKeys) this.#sort(entries);
    for (const [at, [key, value]] of entries.entries()) {
      if (at > 0) this.#add(between);
      this.#add(this.#string(keyText(key)) + this.#style.keySeparator);
      this.#value(value, this.#deeper(indent));
    }
    this.#add(`${end}}`);
  }

  #sort(entries: [Value, Value][]): void {
    this.#render.charge(entries.length * 8);
    entries.sort(([a], [b]) => {
      const [x, y] = [textOf(a), textOf(b)];
      if (x !== undefined && y !== undefined) return compareText(x, y);
      const [m, n] = [intOf(a), intOf(b)];
      if (m !== undefined && n !== undefined) return m < n ? -1 : 1;
      throw typeError(
        `'<' not supported between instances of '${typeName(b)}' and '${typeName(a)}'`,
      );
    });
  }

  #deeper(indent: string): string {
    return this.#style.indent === null ? indent : indent + this.#style.indent;
  }

  #breaks(indent: string): { inner: string; between: string; end: string } {
    const { itemSeparator } = this.#style;
    if (this.#style.indent === null) return { inner: '', between: itemSeparator, end: '' };
    const inner = `\n${this.#deeper(indent)}`;
    this.#render.chargeText(inner.length);
    return { inner, between: itemSeparator + inner, end: `\n${indent}` };
  }
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return floatText(value);
  return value > 0 ? 'Infinity' : '-Infinity';
}

function keyText(key: Value): string {
  const text = textOf(key);
  if (text !== undefined) return text;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return key ? 'true' : 'false';
  if (isInt(key)) return intText(key);
  if (key instanceof PyFloat) return jsonFloat(key.value);
  throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

/** @throws TemplateFailure TypeError for what JSON cannot hold */
export function toJsonText(render: Render, value: Value, style: JsonStyle): string {
  return new Writer(render, style).write(value);
}
