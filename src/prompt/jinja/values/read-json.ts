/**
 * JSON text to values of a template as Python's `json.loads` reads it: 1 is an integer and 1.0 a float,
 * integers have any size, keys keep their order. For contexts that come as text.
 */

import { TemplateFailure } from './failure.ts';
import { PyDict, PyFloat, toInt, type Value } from './value.ts';

const space = /[ \t\n\r]*/y;
const number = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
// Unrolled: a loop of alternatives would need stack for each character of a long string.
const string = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const words = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', new PyFloat(Number.NaN)],
  ['Infinity', new PyFloat(Number.POSITIVE_INFINITY)],
  ['-Infinity', new PyFloat(Number.NEGATIVE_INFINITY)],
]);
const word = /true|false|null|NaN|-?Infinity/y;
const maxDepth = 600;
/** As many as Python reads. */
const maxDigits = 4300;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Value {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fail('more text behind the value');
    return value;
  }

  #fail(message: string): TemplateFailure {
    const before = this.#text.slice(0, this.#at);
    const line = before.split('\n').length;
    const column = this.#at - before.lastIndexOf('\n');
    return new TemplateFailure('ValueError', `${message} at line ${line}, column ${column}`);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #skip(): void {
    this.#match(space);
  }

  #value(): Value {
    this.#skip();
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      if (++this.#depth > maxDepth) throw this.#fail('the JSON is nested too deeply');
      this.#at++;
      const value = first === '{' ? this.#object() : this.#array();
      this.#depth--;
      return value;
    }
    if (first === '"') return this.#string();
    const found = this.#match(word);
    if (found !== null) return words.get(found[0]) ?? null;
    return this.#number();
  }

  #number(): Value {
    const found = this.#match(number);
    if (found === null) throw this.#fail('a JSON value is expected');
    const [all, whole = '', fraction, exponent] = found;
    if (fraction !== undefined || exponent !== undefined) return new PyFloat(Number(all));
    if (whole.length > maxDigits) throw this.#fail('an integer has too many digits');
    return whole.length < 16 ? Number(whole) + 0 : toInt(BigInt(whole));
  }

  #string(): string {
    const found = this.#match(string);
    if (found === null) throw this.#fail('a string is not closed');
    try {
      return JSON.parse(found[0]) as string;
    } catch {
      throw this.#fail('a string has a bad escape or a control character');
    }
  }

  /** Whether a list goes on: a comma was taken, or its end. */
  #goesOn(end: string): boolean {
    this.#skip();
    const sign = this.#text[this.#at];
    if (sign !== ',' && sign !== end) throw this.#fail(`',' or '${end}' is expected`);
    this.#at++;
    return sign === ',';
  }

  #isEmpty(end: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== end) return false;
    this.#at++;
    return true;
  }

  #array(): Value {
    const items: Value[] = [];
    if (this.#isEmpty(']')) return items;
    do items.push(this.#value());
    while (this.#goesOn(']'));
    return items;
  }

  #object(): PyDict {
    const dict = new PyDict();
    if (this.#isEmpty('}')) return dict;
    do {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#fail('a key in double quotes is expected');
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') throw this.#fail("':' is expected");
      this.#at++;
      dict.set(key, this.#value());
    } while (this.#goesOn('}'));
    return dict;
  }
}

/** @throws TemplateFailure ValueError with the place */
export function readJsonValue(text: string): Value {
  return new Reader(text).read();
}
