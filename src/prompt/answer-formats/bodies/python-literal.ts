/**
 * Python literals to JSON text: what models and templates write for arguments outside JSON (`True`, `None`,
 * `{'a': 1}`). Reads JSON too, but for `\/`. Pure.
 */

/** The literal as JSON text; null where it is none. */
export function pythonToJson(source: string): string | null {
  const reader = new Reader(source);
  const value = reader.value(0);
  reader.space();
  return value !== null && reader.at === source.length ? value : null;
}

const words: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
};

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  '0': '\0',
  '\n': '',
};

const number = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const leadingZero = /^-?0\d/;
const word = /[A-Za-z]+/y;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

const deepest = 200;

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  space(): void {
    while (/\s/.test(this.#text.charAt(this.at))) this.at++;
  }

  value(depth: number): string | null {
    this.space();
    const character = this.#text.charAt(this.at);
    if (depth > deepest) return null;
    if (character === '"' || character === "'") return this.#string(character);
    if (character === '[' || character === '(') return this.#list(character, depth);
    if (character === '{') return this.#mapping(depth);
    const found = this.#take(word);
    if (found !== null) return Object.hasOwn(words, found) ? (words[found] ?? null) : null;
    const digits = this.#take(number);
    if (digits === null) return null;
    const plain = digits.replace(/^\+/, '');
    if (leadingZero.test(plain)) return null;
    return jsonNumber.test(plain) ? plain : finite(Number(plain));
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  #string(quote: string): string | null {
    let value = '';
    for (this.at++; this.at < this.#text.length; this.at++) {
      const character = this.#text.charAt(this.at);
      if (character === quote) {
        this.at++;
        return JSON.stringify(value);
      }
      value += character === '\\' ? this.#escape() : character;
    }
    return null;
  }

  #escape(): string {
    this.at++;
    const character = this.#text.charAt(this.at);
    const digits = { x: 2, u: 4, U: 8 }[character];
    if (digits === undefined)
      return escapes[character] ?? (/[\\'"/]/.test(character) ? character : `\\${character}`);
    const code = this.#text.slice(this.at + 1, this.at + 1 + digits);
    if (!/^[0-9a-fA-F]+$/.test(code) || code.length < digits) return `\\${character}`;
    this.at += digits;
    const point = Number.parseInt(code, 16);
    return digits === 8 && point <= 0x10ffff
      ? String.fromCodePoint(point)
      : String.fromCharCode(point);
  }

  #list(open: string, depth: number): string | null {
    const close = open === '[' ? ']' : ')';
    const items: string[] = [];
    this.at++;
    for (;;) {
      this.space();
      if (this.#next(close)) return `[${items.join(', ')}]`;
      if (items.length > 0 && !this.#next(',')) return null;
      this.space();
      if (this.#next(close)) return `[${items.join(', ')}]`;
      const item = this.value(depth + 1);
      if (item === null) return null;
      items.push(item);
    }
  }

  #mapping(depth: number): string | null {
    const members: string[] = [];
    this.at++;
    for (;;) {
      this.space();
      if (this.#next('}')) return `{${members.join(', ')}}`;
      if (members.length > 0 && !this.#next(',')) return null;
      this.space();
      if (this.#next('}')) return `{${members.join(', ')}}`;
      const key = this.value(depth + 1);
      this.space();
      if (key === null || !this.#next(':')) return null;
      const value = this.value(depth + 1);
      if (value === null) return null;
      members.push(`${key.startsWith('"') ? key : JSON.stringify(key)}: ${value}`);
    }
  }

  #next(character: string): boolean {
    const is = this.#text.charAt(this.at) === character;
    if (is) this.at++;
    return is;
  }
}

const finite = (value: number): string | null => (Number.isFinite(value) ? String(value) : null);
