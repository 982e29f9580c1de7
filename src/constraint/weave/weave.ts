/**
 * Draws the combinators of `spec.ts` as a network: sequences, alternatives, repetitions, fixed and free
 * text, tags. What reads JSON, regexes and choices is embedded as machines that `compile.ts` gives.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Machine } from '../machine.ts';
import type { ConstraintSpec } from '../spec.ts';
import { drawFreeText } from './free-text.ts';
import type { NetworkBuilder, NetworkRule, NodeId } from './network.ts';
import { drawRepeat } from './repeat.ts';
import { createSpeller, type Spelled } from './spell.ts';

export type Leaf = Extract<ConstraintSpec, { kind: 'json' | 'regex' | 'choice' }>;

/** What weaving takes from the compilers of the parts. */
export interface PartCompilers {
  machine(leaf: Leaf): Machine;
  /** Draws the rules of a grammar; the root among them. */
  grammar(builder: NetworkBuilder, source: string): NetworkRule;
}

/** Combinators in combinators; parsers are recursive, and so is what they make. */
const deepest = 200;

type Tags = Extract<ConstraintSpec, { kind: 'tags' }>;

/**
 * Draws a constraint between the two ends of a new rule, which is returned.
 * @throws ParlanceError `invalid_constraint`
 */
export function drawSpec(
  builder: NetworkBuilder,
  spec: ConstraintSpec,
  parts: PartCompilers,
): NetworkRule {
  const rule = builder.rule(spec.kind);
  const weaver = new Weaver(builder, parts);
  weaver.draw(spec, rule.start, rule.end);
  return rule;
}

class Weaver {
  readonly #builder: NetworkBuilder;
  readonly #parts: PartCompilers;
  readonly #spell: (text: string) => Spelled;
  readonly #rule: number;
  /** A part that is drawn several times is compiled once. */
  readonly #machines = new Map<ConstraintSpec, Machine>();
  readonly #grammars = new Map<string, NetworkRule>();
  #depth = 0;

  constructor(builder: NetworkBuilder, parts: PartCompilers) {
    this.#builder = builder;
    this.#parts = parts;
    this.#spell = createSpeller(builder.context.specials);
    this.#rule = builder.owner;
  }

  draw(spec: ConstraintSpec, from: NodeId, to: NodeId): void {
    if (++this.#depth > deepest) {
      throw refusal(spec.kind, `is nested more than ${deepest} deep`);
    }
    this.#drawPart(spec, from, to);
    this.#depth--;
  }

  #drawPart(spec: ConstraintSpec, from: NodeId, to: NodeId): void {
    const builder = this.#builder;
    switch (spec.kind) {
      case 'json':
      case 'regex':
      case 'choice':
        builder.machine(from, this.#machineOf(spec), to, spec.kind === 'json');
        return;
      case 'grammar':
        builder.call(from, builder.idOf(this.#grammarOf(spec.source)), to);
        return;
      case 'literal':
        builder.bytes(from, this.#spell(spec.text).bytes, to);
        return;
      case 'text':
        drawFreeText(builder, { from, to, patterns: [], found: () => to });
        return;
      case 'text-until':
        this.#drawUntil(spec.until, from, to);
        return;
      case 'sequence':
        this.#drawSequence(spec.parts, from, to);
        return;
      case 'either':
        if (spec.of.length === 0) throw refusal('or', 'has no alternatives');
        for (const one of spec.of) this.draw(one, from, to);
        return;
      case 'repeat':
        this.#drawRepeat(spec, from, to);
        return;
      case 'tags':
        this.#drawTags(spec, from, to);
        return;
      default:
        spec satisfies never;
    }
  }

  #machineOf(leaf: Leaf): Machine {
    const known = this.#machines.get(leaf) ?? this.#parts.machine(leaf);
    this.#machines.set(leaf, known);
    return known;
  }

  #grammarOf(source: string): NetworkRule {
    const known = this.#grammars.get(source) ?? this.#parts.grammar(this.#builder, source);
    this.#builder.resume(this.#rule);
    this.#grammars.set(source, known);
    return known;
  }

  #drawSequence(parts: readonly ConstraintSpec[], from: NodeId, to: NodeId): void {
    let at = from;
    for (const [index, part] of parts.entries()) {
      const next = index === parts.length - 1 ? to : this.#builder.node();
      this.draw(part, at, next);
      at = next;
    }
    if (parts.length === 0) this.#builder.empty(from, to);
  }

  #drawUntil(until: string, from: NodeId, to: NodeId): void {
    if (until === '') this.#builder.empty(from, to);
    else {
      const patterns = [this.#spell(until).bytes];
      drawFreeText(this.#builder, { from, to: null, patterns, found: () => to });
    }
  }

  #drawRepeat(spec: Extract<ConstraintSpec, { kind: 'repeat' }>, from: NodeId, to: NodeId): void {
    const { min, max } = spec;
    if (max !== null && max < min) throw refusal('repeat', `has min ${min} above max ${max}`);
    const separator = this.#spell(spec.separator).bytes;
    const one = (start: NodeId, end: NodeId): void => this.draw(spec.of, start, end);
    if (separator.length === 0) {
      drawRepeat(this.#builder, { from, to, min, max, one });
      return;
    }
    if (min === 0) this.#builder.empty(from, to);
    if (max === 0) return;
    const first = this.#builder.node();
    one(from, first);
    const further = (start: NodeId, end: NodeId): void => {
      const between = this.#builder.node();
      this.#builder.bytes(start, separator, between);
      one(between, end);
    };
    const rest = { min: Math.max(min - 1, 0), max: max === null ? null : max - 1 };
    drawRepeat(this.#builder, { from: first, to, ...rest, one: further });
  }

  #drawTags(spec: Tags, from: NodeId, to: NodeId): void {
    const builder = this.#builder;
    const after = builder.node();
    if (spec.stopAfterFirst) builder.empty(after, to);
    else if (spec.atLeastOne) this.#drawTagText(spec, after, { to, after });
    const home = spec.atLeastOne || spec.stopAfterFirst ? from : after;
    if (home === after) builder.empty(from, after);
    this.#drawTagText(spec, home, { to: spec.atLeastOne ? null : to, after });
  }

  /** Free text up to its end, or up to a trigger and through a tag to `after`. */
  #drawTagText(
    spec: Tags,
    from: NodeId,
    { to, after }: { readonly to: NodeId | null; readonly after: NodeId },
  ): void {
    const { patterns, begins } = this.#readTriggers(spec);
    drawFreeText(this.#builder, {
      from,
      to,
      patterns,
      found: (ended) => {
        const start = this.#builder.node();
        const drawn = new Set<string>();
        for (const index of ended) {
          for (const { tag, rest } of begins[index]!) {
            const key = `${tag}:${rest.length}`;
            if (!drawn.has(key)) this.#drawTag(spec.tags[tag]!, rest, [start, after]);
            drawn.add(key);
          }
        }
        return start;
      },
    });
  }

  #drawTag(
    { content, end }: Tags['tags'][number],
    rest: Uint8Array,
    [from, to]: readonly [NodeId, NodeId],
  ): void {
    const inside = this.#builder.node();
    this.#builder.bytes(from, rest, inside);
    if (content.kind === 'text' && end !== '') {
      this.draw({ kind: 'text-until', until: end }, inside, to);
      return;
    }
    const behind = this.#builder.node();
    this.draw(content, inside, behind);
    this.#builder.bytes(behind, this.#spell(end).bytes, to);
  }

  /** The triggers as bytes, and for each the tags that it begins, with what is left of `begin`. */
  #readTriggers({ triggers, tags }: Tags): {
    readonly patterns: Uint8Array[];
    readonly begins: { readonly tag: number; readonly rest: Uint8Array }[][];
  } {
    const begins = new Map<string, { tag: number; rest: Uint8Array }[]>();
    const patterns: Uint8Array[] = [];
    const add = (pattern: Uint8Array): { tag: number; rest: Uint8Array }[] => {
      const key = Buffer.from(pattern).toString('latin1');
      let list = begins.get(key);
      if (list === undefined) {
        begins.set(key, (list = []));
        patterns.push(pattern);
      }
      return list;
    };
    for (const trigger of triggers) {
      if (trigger === '') throw refusal('triggers', 'has an empty text');
      add(this.#spell(trigger).bytes);
    }
    for (const [tag, { begin }] of tags.entries()) {
      const spelled = this.#spell(begin);
      const fitting = triggers.filter((trigger) => begin.startsWith(trigger));
      if (fitting.length === 0) {
        throw refusal('triggers', `has none that the begin "${begin}" starts with`);
      }
      for (const trigger of fitting) {
        const length = triggerLength(spelled, this.#spell(trigger).bytes, trigger.length);
        add(spelled.bytes.subarray(0, length)).push({ tag, rest: spelled.bytes.subarray(length) });
      }
    }
    return { patterns, begins: [...begins.values()] };
  }
}

/** A trigger that stops in the middle of a special token's name means the whole token. */
function triggerLength({ bytes, ends }: Spelled, trigger: Uint8Array, length: number): number {
  if (Buffer.compare(bytes.subarray(0, trigger.length), trigger) === 0) return trigger.length;
  return ends.find(([text]) => text >= length)![1];
}

function refusal(keyword: string, what: string): ParlanceError {
  return new ParlanceError('invalid_constraint', `The constraint's \`${keyword}\` ${what}.`, {
    keyword,
  });
}
