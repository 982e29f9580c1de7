/**
 * The form in which combinators and grammars are run: rules whose bodies are nondeterministic automata
 * over bytes, embedded machines and calls of rules. `weave.ts` and the grammars draw it with a
 * `NetworkBuilder`; `network-machine.ts` runs it. Knows no syntax.
 */

import { specialBegin, specialEnd } from '../machine.ts';
import type { CompileContext, Machine } from '../machine.ts';

export type NodeId = number;
export type RuleId = number;

/** 256 flags. Interned: the same object for the same bytes. */
export type ByteSet = Uint8Array;

export interface ByteEdge {
  readonly set: ByteSet;
  readonly to: NodeId;
  /** With it a token has been read that ends the answer. */
  readonly last?: true;
}

/** An embedded machine reads a stretch that it accepts. */
export interface MachineEdge {
  readonly id: number;
  readonly machine: Machine;
  /** Inside a `loop` it never accepts; true of machines that read JSON. */
  readonly closed: boolean;
  readonly to: NodeId;
}

export interface CallEdge {
  readonly rule: RuleId;
  readonly to: NodeId;
}

export interface NetworkNode {
  readonly rule: RuleId;
  readonly empty: NodeId[];
  readonly bytes: ByteEdge[];
  readonly machines: MachineEdge[];
  readonly calls: CallEdge[];
}

export interface NetworkRule {
  /** What its author calls it; for messages. */
  readonly name: string;
  readonly start: NodeId;
  /** Where the rule has been read; nothing leads on from here. */
  readonly end: NodeId;
}

export interface Network {
  readonly nodes: readonly NetworkNode[];
  readonly rules: readonly NetworkRule[];
  readonly root: RuleId;
}

/** Inclusive, ascending, apart. */
export type CodePointRanges = readonly (readonly [first: number, last: number])[];

/** Draws a network. Everything that it makes is counted in the budget. */
export class NetworkBuilder {
  readonly context: CompileContext;
  readonly #nodes: NetworkNode[] = [];
  readonly #rules: NetworkRule[] = [];
  readonly #sets = new Map<string, ByteSet>();
  #machines = 0;
  #owner: RuleId = -1;

  constructor(context: CompileContext) {
    this.context = context;
  }

  /** A rule with a start and an end that are not joined yet. Nodes that follow belong to it. */
  rule(name: string): NetworkRule {
    const id = this.#rules.length;
    this.#rules.push({ name, start: -1, end: -1 });
    this.#owner = id;
    const rule = { name, start: this.node(), end: this.node() };
    this.#rules[id] = rule;
    return rule;
  }

  /** The rule that was made as the `id`th; nodes that follow belong to it. */
  resume(id: RuleId): NetworkRule {
    this.#owner = id;
    return this.#rules[id]!;
  }

  idOf(rule: NetworkRule): RuleId {
    return this.#nodes[rule.start]!.rule;
  }

  get owner(): RuleId {
    return this.#owner;
  }

  /** What the author of the rule calls it to which nodes that follow belong. */
  get ownerName(): string {
    return this.#rules[this.#owner]!.name;
  }

  /** Nodes so far. */
  get size(): number {
    return this.#nodes.length;
  }

  node(): NodeId {
    this.context.budget.spend(1, 2, this.ownerName);
    this.#nodes.push({ rule: this.#owner, empty: [], bytes: [], machines: [], calls: [] });
    return this.#nodes.length - 1;
  }

  empty(from: NodeId, to: NodeId): void {
    if (from !== to) this.#nodes[from]!.empty.push(to);
  }

  byte(from: NodeId, byte: number, to: NodeId): void {
    this.range(from, [byte, byte], to);
  }

  /** One byte of an inclusive range. */
  range(from: NodeId, [low, high]: readonly [number, number], to: NodeId): void {
    this.#nodes[from]!.bytes.push({ set: this.#span(low, high), to });
  }

  /** One byte of a set; the set is copied. */
  set(from: NodeId, set: Uint8Array, to: NodeId): void {
    this.context.budget.spend(2, 1, this.ownerName);
    this.#nodes[from]!.bytes.push({ set: this.#intern(String.fromCharCode(...set), set), to });
  }

  /** The last byte of a token that ends the answer. */
  last(from: NodeId, to: NodeId): void {
    const set = this.#span(specialEnd, specialEnd);
    this.#nodes[from]!.bytes.push({ set, to, last: true });
  }

  /** Whether a token that ends the answer ends with this byte. */
  isLast(bytes: Uint8Array, index: number): boolean {
    if (bytes[index] !== specialEnd) return false;
    const name = bytes.subarray(bytes.lastIndexOf(specialBegin, index) + 1, index);
    return this.context.ends?.includes(Buffer.from(name).toString()) === true;
  }

  /** These bytes, one after the other. */
  bytes(from: NodeId, bytes: Uint8Array, to: NodeId): void {
    let at = from;
    for (const [index, byte] of bytes.entries()) {
      const next = index === bytes.length - 1 ? to : this.node();
      if (this.isLast(bytes, index)) this.last(at, next);
      else this.byte(at, byte, next);
      at = next;
    }
    if (bytes.length === 0) this.empty(from, to);
  }

  machine(from: NodeId, machine: Machine, to: NodeId, closed = false): void {
    this.#nodes[from]!.machines.push({ id: this.#machines++, machine, closed, to });
  }

  call(from: NodeId, rule: RuleId, to: NodeId): void {
    this.#nodes[from]!.calls.push({ rule, to });
  }

  finish(root: NetworkRule): Network {
    return { nodes: this.#nodes, rules: this.#rules, root: this.idOf(root) };
  }

  #span(low: number, high: number): ByteSet {
    const key = `${low}-${high}`;
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const set = new Uint8Array(256).fill(1, low, high + 1);
    const interned = this.#intern(String.fromCharCode(...set), set);
    this.#sets.set(key, interned);
    return interned;
  }

  #intern(key: string, set: Uint8Array): ByteSet {
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const copy = set.slice();
    this.#sets.set(key, copy);
    return copy;
  }
}
