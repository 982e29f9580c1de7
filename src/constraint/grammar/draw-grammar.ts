/** Draws a grammar's rules as rules of a network. Called by `compile.ts` and by what weaves grammars in. */

import { compileJson } from '../json-schema/machine/compile-json.ts';
import type { Machine } from '../machine.ts';
import { compileRegex } from '../regex/compile-regex.ts';
import type { NetworkBuilder, NetworkRule, NodeId } from '../weave/network.ts';
import { drawRepeat } from '../weave/repeat.ts';
import { drawCharacter } from '../weave/utf8.ts';
import type { Expression, Grammar } from './grammar.ts';
import { grammarError } from './grammar-error.ts';
import { shortest, stopsEarly } from './shortest-machine.ts';
import { readGrammar } from './read-grammar.ts';

/**
 * @returns the rule that reads a whole text
 * @throws ParlanceError `invalid_constraint`
 */
export function drawGrammar(builder: NetworkBuilder, source: string): NetworkRule {
  const grammar = readGrammar(source, builder.context.specials, builder.context.budget);
  checkNames(grammar);
  const drawer = new Drawer(builder, grammar);
  return drawer.root();
}

/** Also in rules that nothing refers to: their author meant something. */
function checkNames({ source, root, rules }: Grammar): void {
  if (!rules.has(root)) {
    throw grammarError(
      { source, at: 0 },
      root,
      `there is no rule ${root}, where every text begins`,
    );
  }
  const work = [...rules.values()];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (at.kind === 'sequence') work.push(...at.parts);
    else if (at.kind === 'either') work.push(...at.of);
    else if (at.kind === 'repeat' || at.kind === 'token') work.push(at.of);
    else if (at.kind === 'rule' && !rules.has(at.name)) {
      throw grammarError({ source, at: at.at }, at.name, `there is no rule ${at.name}`);
    }
  }
}

class Drawer {
  readonly #builder: NetworkBuilder;
  readonly #grammar: Grammar;
  readonly #rules = new Map<string, NetworkRule>();
  readonly #regexes = new Map<string, Machine>();
  readonly #schemas = new Map<string, Machine>();
  readonly #work: string[] = [];

  constructor(builder: NetworkBuilder, grammar: Grammar) {
    this.#builder = builder;
    this.#grammar = grammar;
  }

  root(): NetworkRule {
    const { ignored, root } = this.#grammar;
    const builder = this.#builder;
    let start = this.#ruleOf(root);
    if (ignored.length > 0) {
      const whole = builder.rule(root);
      const first = builder.node();
      this.#drawIgnored(whole.start, first);
      builder.call(first, builder.idOf(start), whole.end);
      start = whole;
    }
    for (let name = this.#work.pop(); name !== undefined; name = this.#work.pop()) {
      const rule = this.#rules.get(name)!;
      builder.resume(builder.idOf(rule));
      this.#draw(this.#grammar.rules.get(name)!, rule.start, rule.end);
    }
    return start;
  }

  /** The rule of a name; its body is drawn later. */
  #ruleOf(name: string): NetworkRule {
    const known = this.#rules.get(name);
    if (known !== undefined) return known;
    const { owner } = this.#builder;
    const rule = this.#builder.rule(name);
    if (owner !== -1) this.#builder.resume(owner);
    this.#rules.set(name, rule);
    this.#work.push(name);
    return rule;
  }

  #draw(expression: Expression, from: NodeId, to: NodeId): void {
    const builder = this.#builder;
    switch (expression.kind) {
      case 'bytes':
        builder.bytes(from, expression.bytes, to);
        return;
      case 'character':
        drawCharacter(builder, expression.ranges, [from, to]);
        return;
      case 'regex':
        builder.machine(from, this.#regexOf(expression), to);
        return;
      case 'json':
        builder.machine(from, this.#jsonOf(expression.schema), to, true);
        return;
      case 'rule':
        builder.call(from, builder.idOf(this.#ruleOf(expression.name)), to);
        return;
      case 'sequence':
        this.#drawSequence(expression.parts, from, to);
        return;
      case 'either':
        for (const one of expression.of) this.#draw(one, from, to);
        return;
      case 'repeat': {
        const { of, min, max } = expression;
        drawRepeat(builder, {
          from,
          to,
          min,
          max,
          one: (start, end) => this.#draw(of, start, end),
        });
        return;
      }
      case 'token': {
        const end = this.#grammar.ignored.length === 0 ? to : builder.node();
        this.#draw(expression.of, from, end);
        if (end !== to) this.#drawIgnored(end, to);
        return;
      }
      default:
        expression satisfies never;
    }
  }

  #drawSequence(parts: readonly Expression[], from: NodeId, to: NodeId): void {
    let at = from;
    for (const [index, part] of parts.entries()) {
      const next = index === parts.length - 1 ? to : this.#builder.node();
      this.#draw(part, at, next);
      at = next;
    }
    if (parts.length === 0) this.#builder.empty(from, to);
  }

  #drawIgnored(from: NodeId, to: NodeId): void {
    const of = this.#grammar.ignored;
    const one = (start: NodeId, end: NodeId): void =>
      this.#draw({ kind: 'either', of }, start, end);
    drawRepeat(this.#builder, { from, to, min: 0, max: null, one });
  }

  #jsonOf(schema: string): Machine {
    const known = this.#schemas.get(schema);
    if (known !== undefined) return known;
    const machine = compileJson(schema, { whitespace: null }, this.#builder.context.budget);
    this.#schemas.set(schema, machine);
    return machine;
  }

  #regexOf({ pattern }: Extract<Expression, { kind: 'regex' }>): Machine {
    const known = this.#regexes.get(pattern);
    if (known !== undefined) return known;
    const whole = compileRegex(pattern, this.#builder.context.budget);
    const machine = stopsEarly(pattern) ? shortest(whole) : whole;
    this.#regexes.set(pattern, machine);
    return machine;
  }
}
