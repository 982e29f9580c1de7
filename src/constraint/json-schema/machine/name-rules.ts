/**
 * What the nodes that judge an object say of its names: `propertyNames`, `patternProperties`,
 * `additionalProperties`. A name is read as a string whose roots are these rules; this file makes the
 * roots and reads their truths.
 */

import type { NodeId, ObjectRules, SchemaNode } from '../node.ts';
import type { Leaf } from './leaf.ts';
import type { Values, ValueStarts } from './place.ts';
import type { Plan } from './plan.ts';
import type { SchemaNodes } from './schema-nodes.ts';
import { anything } from './schema-nodes.ts';
import { no, open, yes } from './truth.ts';
import type { Verdict } from './truth.ts';

interface NodeNames {
  /** Roots that every name must satisfy. */
  readonly names: readonly number[];
  /** The pattern's root, and what it says of the value. */
  readonly patterns: readonly { readonly root: number; readonly id: NodeId }[];
  readonly properties: ReadonlyMap<string, NodeId>;
  readonly additional: NodeId | null;
}

export class NameRules {
  /** Whether names that nothing declares may come at all. */
  readonly free: boolean;
  /** Where only declared names may come: those. */
  readonly allowed: readonly string[] | null;
  readonly #nodes: readonly (NodeNames | null)[];
  readonly #schema: SchemaNodes;
  readonly #starts: ValueStarts;
  readonly #exact: ValueStarts;
  readonly #needed: readonly boolean[];
  readonly #verdicts = new Map<string, Verdict>();

  constructor(
    plan: Plan,
    rules: readonly (ObjectRules | null)[],
    schema: SchemaNodes,
    values: Values,
  ) {
    this.#schema = schema;
    const roots = new Roots(schema);
    let allowed: readonly string[] | null = null;
    this.#nodes = rules.map((one, i) => {
      if (one === null) return null;
      const must = plan.must[i] === true;
      const patterns = one.patterns.map(([regex, id]) => ({ root: roots.pattern(regex), id }));
      const names = one.names.map((id) => roots.of(id));
      const properties = new Map(one.properties);
      if (must && this.#never(one.additional) && one.patterns.every(([, id]) => this.#never(id))) {
        const own = [...properties.keys()];
        const before: readonly string[] | null = allowed;
        allowed = before === null ? own : own.filter((name) => before.includes(name));
      }
      return { names, patterns, properties, additional: one.additional };
    });
    const asked = roots.ids.length;
    this.free = allowed === null;
    this.allowed = allowed;
    // Free names of nodes that must hold: one rule for all of them, so that no dead end is between.
    rules.forEach((one, i) => {
      if (one === null || plan.must[i] !== true || !this.free) return;
      if (this.#never(one.additional)) roots.need(roots.gate(one, (id) => this.#never(id)));
      else
        for (const [regex, id] of one.patterns) if (this.#never(id)) roots.need(roots.not(regex));
    });
    // Judged one by one, without the rules that were made of several.
    const exact = roots.ids.slice(0, asked);
    this.#exact = values.starts(
      exact,
      exact.map(() => false),
    );
    const needed = roots.ids.map((_, i) => roots.needed.has(i));
    this.#nodes.forEach((one, i) => {
      if (one !== null && plan.must[i] === true) for (const root of one.names) needed[root] = true;
    });
    this.#starts = values.starts(roots.ids, needed);
    this.#needed = needed;
  }

  /** A free name behind its opening quote; null where none may come. */
  begin(): Leaf | null {
    if (!this.free) return null;
    const leaf = this.#starts.begin(0x22);
    return leaf === null || 'open' in leaf || this.refuted(leaf.verdict) ? null : leaf;
  }

  /** Whether no name with these truths may come, whatever else the object is. */
  refuted(verdict: Verdict): boolean {
    return verdict.refuted && this.#needed.some((one, i) => one && verdict.truths[i] === no);
  }

  /** The truths of a whole name. */
  verdictOf(name: string): Verdict {
    const known = this.#verdicts.get(name);
    if (known !== undefined) return known;
    const start = this.#exact.begin(0x22);
    let leaf: Leaf | null = start === null || 'open' in start ? null : start;
    for (const byte of Buffer.from(JSON.stringify(name)).subarray(1, -1)) {
      const next: Leaf | 'closed' | null = leaf?.step(byte) ?? null;
      leaf = next === 'closed' ? null : next;
    }
    const verdict = leaf!.final!;
    this.#verdicts.set(name, verdict);
    return verdict;
  }

  /** Nodes of interest whose rules of names are not kept to. */
  failed(verdict: Verdict, own: Uint8Array): number[] {
    const out: number[] = [];
    this.#nodes.forEach((one, node) => {
      if (one !== null && own[node] === open && this.breaks(node, verdict)) out.push(node);
    });
    return out;
  }

  /** Whether the name does not keep to the node's rules of names. */
  breaks(node: number, verdict: Verdict): boolean {
    return this.#nodes[node]!.names.some((root) => verdict.truths[root] === no);
  }

  /** Whether a member of the name makes the node false, whatever its value. */
  bars(node: number, name: string, verdict: Verdict): boolean {
    const { names, properties, patterns, additional } = this.#nodes[node]!;
    if (names.length > 0 && this.breaks(node, verdict)) return true;
    if (patterns.length === 0) return this.#never(properties.get(name) ?? additional);
    return this.nodesFor(node, name, verdict).some((id) => this.#never(id));
  }

  /** Nodes of interest that a member with such a name, which nothing declares, makes false. */
  failedFree(verdict: Verdict, own: Uint8Array): number[] {
    const out = this.failed(verdict, own);
    this.#nodes.forEach((one, node) => {
      if (one === null || own[node] !== open) return;
      const truths = one.patterns.map(({ root }) => verdict.truths[root]);
      const wrong = one.patterns.some(({ id }, i) => truths[i] === yes && this.#never(id));
      const outside = this.#never(one.additional) && truths.every((truth) => truth === no);
      if (wrong || outside) out.push(node);
    });
    return out;
  }

  /** What a node asks of the member's value. */
  nodesFor(node: number, name: string, verdict: Verdict): NodeId[] {
    const { properties, patterns, additional } = this.#nodes[node]!;
    const own = properties.get(name);
    const found = own === undefined ? [] : [own];
    for (const { root, id } of patterns) if (verdict.truths[root] === yes) found.push(id);
    if (found.length === 0 && additional !== null) found.push(additional);
    return [...new Set(found)].filter((id) => !this.#schema.trivial(id));
  }

  /** Whether the node asks nothing of names, nor of the values of names that it does not declare. */
  quiet(node: number): boolean {
    const { names, patterns, additional } = this.#nodes[node]!;
    const free = additional === null || this.#schema.trivial(additional);
    return names.length === 0 && free && patterns.every(({ id }) => this.#schema.trivial(id));
  }

  #never(id: NodeId | null): boolean {
    return id !== null && this.#schema.get(id).never;
  }
}

/** The roots of names, each once. */
class Roots {
  readonly ids: NodeId[] = [];
  readonly needed = new Set<number>();
  readonly #schema: SchemaNodes;
  readonly #made = new Map<string, number>();

  constructor(schema: SchemaNodes) {
    this.#schema = schema;
  }

  of(id: NodeId): number {
    const at = this.ids.indexOf(id);
    if (at >= 0) return at;
    this.ids.push(id);
    return this.ids.length - 1;
  }

  pattern(regex: string): number {
    return this.#make(`+${regex}`, () => matching(regex));
  }

  not(regex: string): number {
    const { ids } = this;
    return this.#make(`-${regex}`, () => ({ ...anything, not: [ids[this.pattern(regex)]!] }));
  }

  /** Names that one of the patterns lets through, and none forbids. */
  gate(rules: ObjectRules, never: (id: NodeId) => boolean): number {
    const good = rules.patterns.flatMap(([regex, id]) => (never(id) ? [] : [`(?:${regex})`]));
    const bad = rules.patterns.flatMap(([regex, id]) => (never(id) ? [this.not(regex)] : []));
    const base = this.#make(`+${good.join('|')}`, () => matching(good.join('|')));
    for (const one of bad) this.needed.add(one);
    return base;
  }

  need(root: number): void {
    this.needed.add(root);
  }

  #make(key: string, node: () => SchemaNode): number {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const root = this.of(this.#schema.add(node()));
    this.#made.set(key, root);
    return root;
  }
}

const matching = (regex: string): SchemaNode => ({
  ...anything,
  string: { minLength: 0, maxLength: Infinity, patterns: [regex], formats: [] },
});
