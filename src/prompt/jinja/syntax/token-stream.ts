/** The parser's view of the tokens: what comes, what must come, and how deep it is. */

import { TemplateFailure } from '../values/failure.ts';
import type { Token, TokenType } from './lexer.ts';

/** Deeper trees than this are refused: Python's own parser ends near it. */
const maxDepth = 100;

export class TokenStream {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#tokens[this.#at] ?? { type: 'eof', value: '', line: 1 };
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  advance(): Token {
    const token = this.current;
    if (this.#at < this.#tokens.length - 1) this.#at++;
    return token;
  }

  isType(type: TokenType): boolean {
    return this.current.type === type;
  }

  isName(...names: readonly string[]): boolean {
    const { type, value } = this.current;
    return type === 'name' && names.includes(value);
  }

  isOperator(...signs: readonly string[]): boolean {
    const { type, value } = this.current;
    return type === 'operator' && signs.includes(value);
  }

  skipName(name: string): boolean {
    if (!this.isName(name)) return false;
    this.advance();
    return true;
  }

  skipOperator(sign: string): boolean {
    if (!this.isOperator(sign)) return false;
    this.advance();
    return true;
  }

  expectOperator(sign: string): Token {
    if (!this.isOperator(sign)) throw this.unexpected(`'${sign}'`);
    return this.advance();
  }

  expectName(name?: string): Token {
    const fits = name === undefined ? this.isType('name') : this.isName(name);
    if (!fits) throw this.unexpected(name === undefined ? "'name'" : `'${name}'`);
    return this.advance();
  }

  expectType(type: TokenType, shown: string): Token {
    if (!this.isType(type)) throw this.unexpected(shown);
    return this.advance();
  }

  /** What the current token is called in messages. */
  describe(): string {
    const { type, value } = this.current;
    switch (type) {
      case 'variable_begin':
        return 'begin of print statement';
      case 'variable_end':
        return 'end of print statement';
      case 'block_begin':
        return 'begin of statement block';
      case 'block_end':
        return 'end of statement block';
      case 'eof':
        return 'end of template';
      case 'data':
        return 'template data / text';
      case 'operator':
      case 'name':
        return value;
      default:
        return type;
    }
  }

  unexpected(expected: string): TemplateFailure {
    return this.current.type === 'eof'
      ? this.fail(`unexpected end of template, expected ${expected}.`)
      : this.fail(`expected token ${expected}, got '${this.describe()}'`);
  }

  fail(message: string, line: number = this.current.line): TemplateFailure {
    return new TemplateFailure('TemplateSyntaxError', message, line);
  }

  /** Runs a part of the parser one level deeper. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) throw this.fail('the template is nested too deeply');
    const result = parse();
    this.#depth--;
    return result;
  }
}
