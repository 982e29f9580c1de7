/**
 * Reads JSON exactly: schemas and the texts they judge. Unlike JSON.parse it keeps the spelling of
 * numbers, the order of members and members that repeat. Every reader of the room calls it; it knows
 * nothing of schemas.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { JsonValue } from './json-value.ts';

/** Arrays and objects inside each other; deeper text is refused, so that recursion over values ends. */
export const maxNesting = 500;

/** Exponents are refused beyond this, so that arithmetic on them is exact. */
const maxExponent = 1e12;

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const blank = /[ \t\n\r]*/y;
/** The characters of a string up to its next escape or its end. */
// oxlint-disable-next-line no-control-regex -- JSON allows no control characters in strings
const plain = /[^"\\\u0000-\u001f]*/y;

/**
 * The one JSON value that the text is.
 *
 * Throws `invalid_constraint` with keyword `json` that names the position where the text is no JSON, is
 * nested deeper than 500 levels, or has a number whose exponent is beyond 10^12.
 */
export function readJson(text: string): JsonValue {
  return new Reader(text).read();
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const constants = {
  true: { type: 'boolean', value: true },
  false: { type: 'boolean', value: false },
  null: { type: 'null' },
} as const satisfies Record<string, JsonValue>;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    this.#skip();
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong('the text should have ended');
    return value;
  }

  #value(): JsonValue {
    const first = this.#text[this.#at];
    switch (first) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return { type: 'string', value: this.#string() };
      case 't':
        return this.#constant('true');
      case 'f':
        return this.#constant('false');
      case 'n':
        return this.#constant('null');
      default:
        return this.#number();
    }
  }

  #nested(read: () => JsonValue): JsonValue {
    if (++this.#depth > maxNesting) {
      throw this.#wrong(`arrays and objects may be nested ${maxNesting} levels deep`);
    }
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonValue {
    const members: (readonly [string, JsonValue])[] = [];
    this.#skip();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return { type: 'object', members };
    }
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] !== '"')
        throw this.#wrong('a member begins with its name in quotes');
      const name = this.#string();
      this.#skip();
      this.#expect(':');
      this.#skip();
      members.push([name, this.#value()]);
      this.#skip();
      if (!this.#more('}')) return { type: 'object', members };
    }
  }

  #array(): JsonValue {
    const items: JsonValue[] = [];
    this.#skip();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return { type: 'array', items };
    }
    for (;;) {
      this.#skip();
      items.push(this.#value());
      this.#skip();
      if (!this.#more(']')) return { type: 'array', items };
    }
  }

  /** Whether a comma follows, not the closing bracket. */
  #more(close: string): boolean {
    const next = this.#text[this.#at];
    if (next !== ',' && next !== close)
      throw this.#wrong(`\`,\` or \`${close}\` should stand here`);
    this.#at++;
    return next === ',';
  }

  #string(): string {
    this.#at++;
    let value = '';
    for (;;) {
      plain.lastIndex = this.#at;
      plain.test(this.#text);
      value += this.#text.slice(this.#at, plain.lastIndex);
      this.#at = plain.lastIndex;
      const stop = this.#text[this.#at];
      if (stop === '"') {
        this.#at++;
        return value;
      }
      if (stop !== '\\') {
        throw this.#wrong(
          stop === undefined
            ? 'the string does not end'
            : 'a string may not hold control characters',
        );
      }
      value += this.#escape();
    }
  }

  #escape(): string {
    const kind = this.#text[this.#at + 1] ?? '';
    const plainEscape = Object.hasOwn(escapes, kind) ? escapes[kind] : undefined;
    if (plainEscape !== undefined) {
      this.#at += 2;
      return plainEscape;
    }
    const code = this.#text.slice(this.#at + 2, this.#at + 6);
    if (kind !== 'u' || !/^[0-9a-fA-F]{4}$/.test(code)) throw this.#wrong('this escape is unknown');
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #number(): JsonValue {
    number.lastIndex = this.#at;
    const text = number.exec(this.#text)?.[0];
    if (text === undefined) {
      throw this.#wrong(
        this.#at >= this.#text.length ? 'the text ends too early' : 'a value should stand here',
      );
    }
    const exponent = /[eE](.+)$/.exec(text)?.[1];
    if (exponent !== undefined && Math.abs(Number(exponent)) > maxExponent) {
      throw this.#wrong('the exponent of this number is too large');
    }
    this.#at += text.length;
    return { type: 'number', text };
  }

  #constant(word: keyof typeof constants): JsonValue {
    if (!this.#text.startsWith(word, this.#at)) throw this.#wrong('a value should stand here');
    this.#at += word.length;
    return { ...constants[word] };
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#wrong(`\`${character}\` should stand here`);
    this.#at++;
  }

  #skip(): void {
    blank.lastIndex = this.#at;
    blank.test(this.#text);
    this.#at = blank.lastIndex;
  }

  #wrong(what: string): ParlanceError {
    const before = this.#text.slice(0, this.#at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return new ParlanceError(
      'invalid_constraint',
      `This is not JSON: ${what} (line ${before.length}, column ${column}).`,
      { keyword: 'json' },
    );
  }
}
