/**
 * Reads a Lark grammar: names are looked up, imports and templates are filled in, terminals marked as
 * tokens, behind which ignored terminals may stand. Where Lark's lexer would have to choose between
 * terminals, every way to split the text counts; priorities and the marks `?`, `!`, `_` and `->`
 * shape Lark's trees and mean nothing here.
 */

import type { Budget } from '../machine.ts';
import type { Expression, Grammar } from './grammar.ts';
import { commonTerminals } from './lark-common.ts';
import {
  isTerminal,
  type LarkDefinition,
  type LarkExpression,
  type LarkFile,
} from './lark-syntax.ts';
import { grammarError } from './grammar-error.ts';
import { parseLark } from './parse-lark.ts';

const encoder = new TextEncoder();

/** @throws ParlanceError `invalid_constraint` with the line and the column */
export function readLark(source: string, specials: readonly string[], budget: Budget): Grammar {
  const file = parseLark(source, specials);
  const resolver = new Resolver(file, budget);
  const ignored = file.ignored.map((one) => resolver.lower(one, new Map(), false));
  resolver.defineAll();
  return { source, root: 'start', rules: resolver.rules, ignored };
}

/** What the parameters of a template stand for. */
type Filling = ReadonlyMap<string, LarkExpression>;

class Resolver {
  readonly rules = new Map<string, Expression>();
  readonly #file: LarkFile;
  readonly #budget: Budget;
  readonly #definitions: Map<string, LarkDefinition>;
  readonly #work: (() => void)[] = [];
  readonly #begun = new Set<string>();

  constructor(file: LarkFile, budget: Budget) {
    this.#file = file;
    this.#budget = budget;
    this.#definitions = new Map(file.definitions);
    for (const { name, as, at } of file.imports) this.#import(name, as, at);
  }

  /** All rules and terminals that are no templates, and the templates that they use. */
  defineAll(): void {
    for (const [name, { parameters }] of this.#definitions) {
      if (parameters.length === 0) this.#begin(name, name, new Map());
    }
    for (let next = this.#work.pop(); next !== undefined; next = this.#work.pop()) next();
  }

  /** @param tokens whether terminals are tokens here: in rules they are, in terminals they are parts */
  lower(expression: LarkExpression, filling: Filling, tokens: boolean): Expression {
    const inner = (one: LarkExpression): Expression => this.lower(one, filling, tokens);
    const token = (of: Expression): Expression => (tokens ? { kind: 'token', of } : of);
    switch (expression.kind) {
      case 'text':
        return token(textOf(expression));
      case 'range':
        return token({ kind: 'character', ranges: [[expression.first, expression.last]] });
      case 'regex':
      case 'json':
        return token(expression);
      case 'special':
        return token({ kind: 'bytes', bytes: Uint8Array.from(expression.bytes) });
      case 'name':
        return this.#lowerName(expression, filling, tokens);
      case 'sequence':
        return { kind: 'sequence', parts: expression.parts.map(inner) };
      case 'either':
        return { kind: 'either', of: expression.of.map(inner) };
      case 'repeat':
        return { ...expression, of: inner(expression.of) };
      default:
        return expression satisfies never;
    }
  }

  #lowerName(
    expression: Extract<LarkExpression, { kind: 'name' }>,
    filling: Filling,
    tokens: boolean,
  ): Expression {
    const { name, at } = expression;
    const filled = expression.filling === null ? filling.get(name) : undefined;
    if (filled !== undefined) return this.lower(filled, new Map(), tokens);
    if (expression.filling !== null) return this.#fill(expression, expression.filling, filling);
    const definition = this.#definitions.get(name);
    if (definition !== undefined && definition.parameters.length > 0) {
      throw this.#error(at, name, `the template ${name} needs its parameters`);
    }
    const rule: Expression = { kind: 'rule', name, at };
    return tokens && isTerminal(name) ? { kind: 'token', of: rule } : rule;
  }

  #fill(
    { name, at }: Extract<LarkExpression, { kind: 'name' }>,
    given: readonly LarkExpression[],
    outer: Filling,
  ): Expression {
    const definition = this.#definitions.get(name);
    if (definition === undefined) throw this.#error(at, name, `there is no template ${name}`);
    const { parameters } = definition;
    if (parameters.length !== given.length) {
      throw this.#error(at, name, `${name} takes ${parameters.length} parameters`);
    }
    const values = given.map((one) => substitute(one, outer));
    const text = JSON.stringify(values, (key, value: unknown) => (key === 'at' ? 0 : value));
    this.#budget.spend(text.length >> 2, 1 + (text.length >> 6), name);
    const whole = `${name}{${text}}`;
    this.#begin(whole, name, new Map(parameters.map((one, index) => [one, values[index]!])));
    return { kind: 'rule', name: whole, at };
  }

  /** Makes a rule of a definition, once. */
  #begin(whole: string, name: string, filling: Filling): void {
    if (this.#begun.has(whole)) return;
    this.#begun.add(whole);
    this.#work.push(() => {
      this.#budget.spend(5, 2, name);
      const { body } = this.#definitions.get(name)!;
      this.rules.set(whole, this.lower(body, filling, !isTerminal(name)));
    });
  }

  /** A terminal of `common`, and those that it is made of under names that no grammar can have. */
  #import(name: string, as: string, at: number): void {
    const hidden = (one: string): string => `${one}.common`;
    const work = [name];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (this.#definitions.has(hidden(next))) continue;
      const written = Object.hasOwn(commonTerminals, next) ? commonTerminals[next] : undefined;
      if (written === undefined) {
        throw this.#error(at, '%import', `\`common\` has no terminal ${name} here`);
      }
      const { body } = parseLark(`X: ${written}`, []).definitions.get('X')!;
      const parts = namesIn(body);
      const filling = new Map(
        parts.map((part) => [
          part,
          { kind: 'name', name: hidden(part), filling: null, at } as const,
        ]),
      );
      this.#definitions.set(hidden(next), { parameters: [], body: substitute(body, filling), at });
      work.push(...parts);
    }
    const body = { kind: 'name', name: hidden(name), filling: null, at } as const;
    if (!this.#definitions.has(as)) this.#definitions.set(as, { parameters: [], body, at });
  }

  #error(at: number, keyword: string, what: string): Error {
    return grammarError({ source: this.#file.source, at }, keyword, what);
  }
}

function namesIn(expression: LarkExpression): string[] {
  switch (expression.kind) {
    case 'name':
      return [expression.name];
    case 'sequence':
      return expression.parts.flatMap(namesIn);
    case 'either':
      return expression.of.flatMap(namesIn);
    case 'repeat':
      return namesIn(expression.of);
    default:
      return [];
  }
}

/** Puts what parameters stand for in their places. */
function substitute(expression: LarkExpression, filling: Filling): LarkExpression {
  const inner = (one: LarkExpression): LarkExpression => substitute(one, filling);
  switch (expression.kind) {
    case 'name': {
      if (expression.filling !== null) {
        return { ...expression, filling: expression.filling.map(inner) };
      }
      return filling.get(expression.name) ?? expression;
    }
    case 'sequence':
      return { ...expression, parts: expression.parts.map(inner) };
    case 'either':
      return { ...expression, of: expression.of.map(inner) };
    case 'repeat':
      return { ...expression, of: inner(expression.of) };
    default:
      return expression;
  }
}

function textOf({ text, anyCase }: Extract<LarkExpression, { kind: 'text' }>): Expression {
  if (!anyCase) return { kind: 'bytes', bytes: encoder.encode(text) };
  const parts = Array.from(text, (character): Expression => {
    const spellings = [character, character.toLowerCase(), character.toUpperCase()];
    const points = spellings
      .filter((one) => Array.from(one).length === 1)
      .map((one) => one.codePointAt(0)!)
      .sort((one, other) => one - other);
    const distinct = [...new Set(points)];
    return { kind: 'character', ranges: distinct.map((point) => [point, point] as const) };
  });
  return { kind: 'sequence', parts };
}
