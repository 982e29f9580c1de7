/**
 * Whether a JSON text that has only begun may still become equal to a value: what must be told apart
 * asks it, so that texts which have gone other ways need not be remembered one by one. Pure.
 */

import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json-value.ts';
import { membersOf } from '../../json/members.ts';

/** How far the text went along with the value. */
type Course = 'wrong' | 'begun' | 'whole';

/**
 * False only where no text that begins like this is equal to the value. `text` is the beginning of a
 * JSON text; of a number at its end nothing but the type is compared.
 */
export function sameSoFar(text: string, value: JsonValue): boolean {
  return new Comparison(text).value(value) !== 'wrong';
}

/** The bytes as text, without a character at the end that is not complete. */
export function beginningOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1')
    .toString()
    .replace(/\ufffd+$/, '');
}

const blank = /[ \t\n\r]*/y;
const number = /-?[0-9.eE+-]*/y;
const word = /[a-z]*/y;
// oxlint-disable-next-line no-control-regex -- JSON allows no control characters in strings
const body = /"(?:[^"\\\u0000-\u001f]|\\(?:u[0-9a-fA-F]{4}|[^u]))*/y;

class Comparison {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(value: JsonValue): Course {
    const first = this.#next();
    if (first === '') return 'begun';
    if (first === '"') return value.type === 'string' ? this.#string(value.value) : 'wrong';
    if (first === '{') return value.type === 'object' ? this.#object(value) : 'wrong';
    if (first === '[') return value.type === 'array' ? this.#array(value.items) : 'wrong';
    if (/[-0-9]/.test(first)) return value.type === 'number' ? this.#number(value) : 'wrong';
    const text = this.#take(word);
    if (value.type !== 'null' && value.type !== 'boolean') return 'wrong';
    const whole = canonicalJson(value);
    if (text === whole) return 'whole';
    return this.#ended && whole.startsWith(text) ? 'begun' : 'wrong';
  }

  get #ended(): boolean {
    return this.#at === this.#text.length;
  }

  /** Behind whitespace, not taken; empty at the end. */
  #next(): string {
    this.#take(blank);
    return this.#text.charAt(this.#at);
  }

  #take(what: RegExp): string {
    what.lastIndex = this.#at;
    const text = what.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    return text;
  }

  #number(value: JsonValue): Course {
    const text = this.#take(number);
    if (this.#ended) return 'begun';
    return canonicalJson({ type: 'number', text }) === canonicalJson(value) ? 'whole' : 'wrong';
  }

  /** What a string says, and whether it is complete. */
  #read(): { said: string; complete: boolean } {
    const said = JSON.parse(`${this.#take(body)}"`) as string;
    const complete = this.#text.charAt(this.#at) === '"';
    this.#at = complete ? this.#at + 1 : this.#text.length;
    return { said, complete };
  }

  #string(whole: string): Course {
    const { said, complete } = this.#read();
    if (complete) return said === whole ? 'whole' : 'wrong';
    return whole.startsWith(said) ? 'begun' : 'wrong';
  }

  #array(items: readonly JsonValue[]): Course {
    this.#at++;
    for (let i = 0; ; i++) {
      const next = this.#next();
      if (next === '') return 'begun';
      if (next === ']') return this.#close(i === items.length);
      if (i > 0) this.#at++;
      if (i > 0 && this.#next() === '') return items.length > i ? 'begun' : 'wrong';
      const item = items[i];
      const course = item === undefined ? 'wrong' : this.value(item);
      if (course !== 'whole') return course;
    }
  }

  #object(value: JsonValue & { type: 'object' }): Course {
    const left = new Map(membersOf(value));
    this.#at++;
    for (let i = 0; ; i++) {
      let next = this.#next();
      if (next === '}') return this.#close(left.size === 0);
      if (i > 0 && next === ',') {
        this.#at++;
        next = this.#next();
        if (left.size === 0) return 'wrong';
      }
      if (next === '') return 'begun';
      const { said, complete } = this.#read();
      if (!complete)
        return [...left.keys()].some((one) => one.startsWith(said)) ? 'begun' : 'wrong';
      const member = left.get(said);
      if (member === undefined) return 'wrong';
      left.delete(said);
      if (this.#next() === '') return 'begun';
      this.#at++;
      const course = this.value(member);
      if (course !== 'whole') return course;
    }
  }

  #close(equal: boolean): Course {
    this.#at++;
    return equal ? 'whole' : 'wrong';
  }
}
