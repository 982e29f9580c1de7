/**
 * Reads EBNF in the style of GBNF (llama.cpp) and of XGrammar: `root ::= "a" [b-z]* rule{2,3}`. Line
 * ends mean nothing: a rule ends where the next one begins.
 */

import { invertRanges, normaliseRanges } from '../weave/utf8.ts';
import type { Expression, Grammar } from './grammar.ts';
import { deepest, TextReader } from './text-reader.ts';
import { specialToken } from './special-token.ts';

const encoder = new TextEncoder();

const name = /[A-Za-z0-9_-]+/y;
const definition = /([A-Za-z0-9_-]+)\s*::=/y;

const escapes: Readonly<Record<string, number>> = {
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  b: 0x08,
  f: 0x0c,
  v: 0x0b,
  a: 0x07,
  0: 0x00,
};

const anything: Expression = { kind: 'character', ranges: [[0, 0x10ffff]] };

/** @throws ParlanceError `invalid_constraint` with the line and the column */
export function readGbnf(source: string, specials: readonly string[]): Grammar {
  const reader = new GbnfReader(source, specials);
  return { source, root: 'root', rules: reader.rules(), ignored: [] };
}

class GbnfReader {
  readonly #text: TextReader;
  readonly #specials: readonly string[];
  #depth = 0;

  constructor(source: string, specials: readonly string[]) {
    this.#text = new TextReader(source, /#[^\n]*/y);
    this.#specials = specials;
  }

  rules(): Map<string, Expression> {
    const rules = new Map<string, Expression>();
    const text: TextReader = this.#text;
    for (text.skip(true); !text.done; text.skip(true)) {
      const { at } = text;
      const found = text.match(definition);
      if (found === null) text.fail('rule', `"name ::= …" is expected here`);
      const ruleName = found[1]!;
      if (rules.has(ruleName)) text.fail(ruleName, `the rule ${ruleName} is there twice`, at);
      rules.set(ruleName, this.#alternatives());
      if (text.here === ')') text.fail('group', 'this parenthesis closes nothing');
    }
    return rules;
  }

  #alternatives(): Expression {
    const of = [this.#sequence()];
    while (this.#text.take('|')) of.push(this.#sequence());
    return of.length === 1 ? of[0]! : { kind: 'either', of };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    const text: TextReader = this.#text;
    for (;;) {
      text.skip(true);
      if (text.done || text.here === '|' || text.here === ')' || this.#isAtDefinition()) break;
      parts.push(this.#repeated(this.#item()));
    }
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #isAtDefinition(): boolean {
    const { at } = this.#text;
    const found = this.#text.match(definition) !== null;
    this.#text.at = at;
    return found;
  }

  #repeated(item: Expression): Expression {
    const text: TextReader = this.#text;
    let of = item;
    for (;;) {
      const { at } = text;
      text.skip(true);
      if (text.take('*')) of = { kind: 'repeat', of, min: 0, max: null };
      else if (text.take('+')) of = { kind: 'repeat', of, min: 1, max: null };
      else if (text.take('?')) of = { kind: 'repeat', of, min: 0, max: 1 };
      else {
        const counts = text.here === '{' ? text.counts() : null;
        if (text.here === '{' && counts === null) text.fail('{', '{m,n} is expected here');
        if (counts === null) {
          text.at = at;
          return of;
        }
        of = { kind: 'repeat', of, ...counts };
      }
    }
  }

  #item(): Expression {
    const text: TextReader = this.#text;
    const { at } = text;
    if (text.here === '"' || text.here === "'") return this.#literal();
    if (text.take('[')) return this.#class(at);
    if (text.take('.')) return anything;
    if (text.here === '<') return this.#token();
    if (text.take('(')) return this.#group(at);
    const found = text.match(name);
    if (found !== null) return { kind: 'rule', name: found[0], at };
    return text.fail(text.here, `nothing begins with "${text.here}"`);
  }

  #group(at: number): Expression {
    const text: TextReader = this.#text;
    if (text.here === '=') text.fail('(=', 'lookaheads are not supported', at);
    if (++this.#depth > deepest) text.fail('group', `groups are nested more than ${deepest} deep`);
    const inside = this.#alternatives();
    this.#depth--;
    if (!text.take(')')) text.fail('group', 'this parenthesis is not closed', at);
    return inside;
  }

  #literal(): Expression {
    const text: TextReader = this.#text;
    const { at } = text;
    const quote = text.here;
    text.at++;
    let content = '';
    while (!text.take(quote)) {
      if (text.done || text.here === '\n') text.fail('literal', 'this text is not closed', at);
      content += String.fromCodePoint(this.#character());
    }
    return { kind: 'bytes', bytes: encoder.encode(content) };
  }

  #class(at: number): Expression {
    const text: TextReader = this.#text;
    const inverted = text.take('^');
    const ranges: [number, number][] = [];
    while (!text.take(']')) {
      if (text.done) text.fail('[', 'this class is not closed', at);
      const start = text.at;
      const first = this.#character();
      const isRange = text.here === '-' && text.source[text.at + 1] !== ']';
      if (isRange) text.at++;
      if (isRange && text.done) text.fail('[', 'this class is not closed', at);
      const last = isRange ? this.#character() : first;
      if (last < first) text.fail('[', 'this range ends before it begins', start);
      ranges.push([first, last]);
    }
    const sorted = normaliseRanges(ranges);
    return { kind: 'character', ranges: inverted ? invertRanges(sorted) : sorted };
  }

  #character(): number {
    const text: TextReader = this.#text;
    const { at } = text;
    if (!text.take('\\')) return text.character();
    const point = text.hexEscape();
    if (point !== null) return point;
    const letter = text.here;
    const known = escapes[letter];
    if (known === undefined && /[A-Za-z0-9\n]|^$/.test(letter)) {
      text.fail('escape', `\\${letter.trim()} is no escape`, at);
    }
    if (known === undefined) return text.character();
    text.at++;
    return known;
  }

  #token(): Expression {
    return specialToken(this.#text, this.#specials);
  }
}
