/**
 * A template's text to tokens, with the rules for white space that Hugging Face transformers sets:
 * `trim_blocks` and `lstrip_blocks`. Called by the parser only; it knows nothing of the grammar.
 */

import { TemplateFailure } from '../values/failure.ts';
import { unescapeString } from './string-escapes.ts';

export type TokenType =
  | 'data'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'eof';

export interface Token {
  readonly type: TokenType;
  /** The text of data, name, operator or (unescaped) string; digits of a number. */
  readonly value: string;
  readonly line: number;
}

/** What Python's `\s` matches. */
export const pythonSpace =
  '\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const spaceRun = new RegExp(`[${pythonSpace}]*`, 'y');
const endingSpace = new RegExp(`^[${pythonSpace}]$`);
const onlySpace = new RegExp(`^[${pythonSpace}]+$`);
const float = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const name = /[\p{L}\p{N}_]+/uy;
const identifier = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const string = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const operator = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const rawBegin = new RegExp(
  `\\{%([-+]?)[${pythonSpace}]*raw[${pythonSpace}]*(?:-%\\}[${pythonSpace}]*|%\\})`,
  'y',
);
const rawEnd = new RegExp(
  `\\{%([-+]?)[${pythonSpace}]*endraw[${pythonSpace}]*(?:\\+%\\}|-%\\}[${pythonSpace}]*|%\\}\\n?)`,
  'g',
);

/** The longest template known has a tenth of it. */
const maxTokens = 60_000;

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && endingSpace.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

class Lexer {
  readonly tokens: Token[] = [];
  readonly #text: string;
  #at = 0;
  #line = 1;
  /** The next end of a line that was not counted yet. */
  #newline: number;

  constructor(text: string) {
    this.#text = text;
    this.#newline = text.indexOf('\n');
  }

  run(): Token[] {
    const text = this.#text;
    while (this.#at < text.length) {
      const tag = this.#findTag(this.#at);
      if (tag === -1) {
        this.#push('data', text.slice(this.#at), this.#at);
        break;
      }
      this.#readTag(tag);
    }
    this.#push('eof', '', text.length);
    return this.tokens;
  }

  #findTag(from: number): number {
    const text = this.#text;
    for (let at = text.indexOf('{', from); at !== -1; at = text.indexOf('{', at + 1)) {
      const next = text[at + 1];
      if (next === '%' || next === '{' || next === '#') return at;
    }
    return -1;
  }

  /** Positions come in ascending order. */
  #lineAt(position: number): number {
    while (this.#newline !== -1 && this.#newline < position) {
      this.#line++;
      this.#newline = this.#text.indexOf('\n', this.#newline + 1);
    }
    return this.#line;
  }

  #push(type: TokenType, value: string, position: number): void {
    if (this.tokens.length > maxTokens)
      throw this.#fail('the template has too many parts', position);
    this.tokens.push({ type, value, line: this.#lineAt(position) });
  }

  #fail(message: string, position: number): TemplateFailure {
    return new TemplateFailure('TemplateSyntaxError', message, this.#lineAt(position));
  }

  #readTag(tag: number): void {
    const text = this.#text;
    rawBegin.lastIndex = tag;
    const raw = text[tag + 1] === '%' ? rawBegin.exec(text) : null;
    if (raw !== null) {
      this.#data(tag, raw[1] ?? '', false);
      this.#at = tag + raw[0].length;
      this.#readRaw();
      return;
    }
    const mark = text[tag + 2] ?? '';
    const sign = mark === '-' || mark === '+' ? mark : '';
    const kind = text[tag + 1];
    this.#data(tag, sign, kind === '{');
    this.#at = tag + 2 + sign.length;
    if (kind === '#') this.#readComment(tag);
    else this.#readCode(tag, kind === '{' ? '}}' : '%}');
  }

  /** The text before a tag, cut as the tag's sign or the rules say. */
  #data(end: number, sign: string, isVariable: boolean): void {
    let data = this.#text.slice(this.#at, end);
    if (sign === '-') data = trimEnd(data);
    else if (sign !== '+' && !isVariable) {
      const start = data.lastIndexOf('\n') + 1;
      const atLineStart = start > 0 || this.#at === 0 || this.#text[this.#at - 1] === '\n';
      if (atLineStart && onlySpace.test(data.slice(start))) data = data.slice(0, start);
    }
    if (data !== '') this.#push('data', data, this.#at);
  }

  #readRaw(): void {
    rawEnd.lastIndex = this.#at;
    const found = rawEnd.exec(this.#text);
    if (found === null) throw this.#fail('Missing end of raw directive', this.#at);
    this.#data(found.index, found[1] ?? '', false);
    this.#at = found.index + found[0].length;
  }

  #readComment(tag: number): void {
    const text = this.#text;
    const end = text.indexOf('#}', this.#at);
    if (end === -1) throw this.#fail('Missing end of comment tag', tag);
    const before = end > this.#at ? text[end - 1] : '';
    this.#at = end + 2;
    this.#afterTag(before ?? '');
  }

  /** White space behind a tag that goes with it. */
  #afterTag(sign: string): void {
    if (sign === '-') {
      spaceRun.lastIndex = this.#at;
      this.#at += spaceRun.exec(this.#text)?.[0].length ?? 0;
    } else if (sign !== '+' && this.#text[this.#at] === '\n') this.#at++;
  }

  #readCode(tag: number, end: '}}' | '%}'): void {
    const text = this.#text;
    this.#push(end === '}}' ? 'variable_begin' : 'block_begin', '', tag);
    const open: string[] = [];
    for (;;) {
      spaceRun.lastIndex = this.#at;
      this.#at += spaceRun.exec(text)?.[0].length ?? 0;
      if (this.#at >= text.length) return;
      if (open.length === 0) {
        const mark = text[this.#at] ?? '';
        const isSigned = mark === '-' || (mark === '+' && end === '%}');
        if (text.startsWith(end, this.#at + (isSigned ? 1 : 0))) {
          this.#push(end === '}}' ? 'variable_end' : 'block_end', '', this.#at);
          this.#at += isSigned ? 3 : 2;
          this.#afterTag(isSigned ? mark : end === '}}' ? '+' : '');
          return;
        }
      }
      this.#readToken(open);
    }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? null;
  }

  #take(type: TokenType, value: string, length: number): void {
    this.#push(type, value, this.#at);
    this.#at += length;
  }

  #readToken(open: string[]): void {
    const first = this.#text.charCodeAt(this.#at);
    const isDigit = first >= 48 && first <= 57;
    // A digit behind a dot is an index, not the rest of a float.
    const number = isDigit && this.#text[this.#at - 1] !== '.' ? this.#match(float) : null;
    if (number !== null) return this.#take('float', number.replaceAll('_', ''), number.length);
    const whole = isDigit ? this.#match(integer) : null;
    if (whole !== null) return this.#take('integer', whole.replaceAll('_', ''), whole.length);
    const word = this.#match(name);
    if (word !== null) {
      if (!identifier.test(word)) {
        throw this.#fail('Invalid character in identifier', this.#at);
      }
      return this.#take('name', word, word.length);
    }
    const quoted = first === 39 || first === 34 ? this.#match(string) : null;
    if (quoted !== null) {
      const line = this.#lineAt(this.#at);
      return this.#take('string', unescapeString(quoted.slice(1, -1), line), quoted.length);
    }
    const sign = this.#match(operator);
    if (sign === null) {
      const shown = JSON.stringify(this.#text[this.#at]).slice(1, -1);
      throw this.#fail(`unexpected char '${shown}' at ${this.#at}`, this.#at);
    }
    this.#balance(sign, open);
    this.#take('operator', sign, sign.length);
  }

  #balance(sign: string, open: string[]): void {
    const close = closing[sign];
    if (close !== undefined) open.push(close);
    else if (sign === ')' || sign === ']' || sign === '}') {
      const expected = open.pop();
      if (expected === undefined) throw this.#fail(`unexpected '${sign}'`, this.#at);
      if (expected !== sign) {
        throw this.#fail(`unexpected '${sign}', expected '${expected}'`, this.#at);
      }
    }
  }
}

/** @throws TemplateFailure TemplateSyntaxError */
export function readTokens(source: string): Token[] {
  let text = source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source;
  // One newline at the very end is the file's, not the template's.
  if (text.endsWith('\n')) text = text.slice(0, -1);
  return new Lexer(text).run();
}
