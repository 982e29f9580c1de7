/**
 * A network made ready to run: dead ends are cut off, so that every node and every rule that is left
 * can be completed, and steps that read nothing are followed in advance. Made once for each network.
 */

import type { Budget } from '../machine.ts';
import type {
  ByteEdge,
  CallEdge,
  MachineEdge,
  Network,
  NetworkNode,
  NodeId,
  RuleId,
} from './network.ts';

/** A node with all that can be done there without reading. The same object for the same choices. */
export interface ClosedNode {
  readonly id: number;
  readonly rule: RuleId;
  readonly bytes: readonly ByteEdge[];
  readonly machines: readonly MachineEdge[];
  readonly calls: readonly CallEdge[];
  /** The rule may end here. */
  readonly returns: boolean;
}

export interface ReadyNetwork {
  /** Null where no text whatever can be read. */
  readonly start: ClosedNode | null;
  /** The first rule behind the root that reads nothing; null where there is none. */
  readonly dead: string | null;
  /** Nothing can be read only because tokens that end the answer stand before the end. */
  readonly endsTooEarly: boolean;
  closed(node: NodeId): ClosedNode;
  startOf(rule: RuleId): ClosedNode;
  nameOf(rule: RuleId): string;
}

/** Only the return: who calls with such a rest may be skipped when the callee ends. */
export function isBareReturn(node: ClosedNode): boolean {
  return (
    node.returns && node.bytes.length === 0 && node.machines.length === 0 && node.calls.length === 0
  );
}

/** @throws ParlanceError `invalid_constraint` where the budget ends */
export function makeReady(network: Network, budget: Budget): ReadyNetwork {
  const nullable = findEnding(network, null, budget);
  const bytesOf = withoutEarlyEnds(network, nullable);
  const useful = findEnding(network, bytesOf, budget);
  const closer = new Closer(network, { useful, nullable, bytesOf }, budget);
  const root = network.rules[network.root]!;
  const isDead = useful[root.start] === 0;
  return {
    start: isDead ? null : closer.closed(root.start),
    endsTooEarly: isDead && findEnding(network, allBytes, budget)[root.start] === 1,
    dead: network.rules.slice(1).find(({ start }) => useful[start] === 0)?.name ?? null,
    closed: (node) => closer.closed(node),
    startOf: (rule) => closer.closed(network.rules[rule]!.start),
    nameOf: (rule) => network.rules[rule]!.name,
  };
}

/** The bytes that may come at a node. */
type BytesOf = (node: NetworkNode) => readonly ByteEdge[];

interface Flags {
  readonly useful: Uint8Array;
  readonly nullable: Uint8Array;
  readonly bytesOf: BytesOf;
}

const allBytes: BytesOf = ({ bytes }) => bytes;

/**
 * Without tokens that end the answer where something must follow: in the rule, or behind each call of
 * it. What a rule reads behind one of its calls and not behind another is left alone.
 */
function withoutEarlyEnds({ nodes, rules, root }: Network, nullable: Uint8Array): BytesOf {
  if (!nodes.some(({ bytes }) => bytes.some(({ last }) => last))) return allBytes;
  const endings = rules.map((): RuleId[] => []);
  for (const { rule, calls } of nodes) {
    for (const call of calls) if (nullable[call.to] === 1) endings[rule]!.push(call.rule);
  }
  /** Rules with which the text may end. */
  const final = new Set([root]);
  for (const rule of final) for (const called of endings[rule]!) final.add(called);
  return ({ rule, bytes }) =>
    bytes.filter(({ last, to }) => last !== true || (nullable[to] === 1 && final.has(rule)));
}

/**
 * Flags the nodes from which the end of their rule can be reached: by texts with these bytes, or (null)
 * without reading anything. Calls count where the start of the called rule is flagged too.
 */
function findEnding(network: Network, bytesOf: BytesOf | null, budget: Budget): Uint8Array {
  const { nodes, rules } = network;
  const back = turnAround(network, bytesOf, budget);
  const starts = new Map(rules.map((rule, id) => [rule.start, id]));
  const flags = new Uint8Array(nodes.length);
  const work: NodeId[] = [];
  const flag = (node: NodeId): void => {
    if (flags[node] === 1) return;
    flags[node] = 1;
    work.push(node);
  };
  for (const { end } of rules) flag(end);
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    budget.spend(1 + back.steps[node]!.length, 0, rules[nodes[node]!.rule]!.name);
    for (const from of back.steps[node]!) flag(from);
    for (const [from, rule] of back.calls[node]!) if (flags[rules[rule]!.start] === 1) flag(from);
    const started = starts.get(node);
    if (started === undefined) continue;
    for (const [from, to] of back.callers[started]!) if (flags[to] === 1) flag(from);
  }
  return flags;
}

interface Backwards {
  /** By the node to which they lead. */
  readonly steps: readonly NodeId[][];
  readonly calls: readonly [from: NodeId, rule: RuleId][][];
  /** By the rule that is called. */
  readonly callers: readonly [from: NodeId, to: NodeId][][];
}

function turnAround({ nodes, rules }: Network, bytesOf: BytesOf | null, budget: Budget): Backwards {
  const steps = nodes.map((): NodeId[] => []);
  const calls = nodes.map((): [NodeId, RuleId][] => []);
  const callers = rules.map((): [NodeId, NodeId][] => []);
  for (const [from, node] of nodes.entries()) {
    budget.spend(1, 0, rules[node.rule]!.name);
    for (const to of node.empty) steps[to]!.push(from);
    if (bytesOf !== null) for (const { to } of bytesOf(node)) steps[to]!.push(from);
    for (const { machine, to } of node.machines) {
      if (bytesOf !== null || machine.accepts(machine.start)) steps[to]!.push(from);
    }
    for (const { rule, to } of node.calls) {
      calls[to]!.push([from, rule]);
      callers[rule]!.push([from, to]);
    }
  }
  return { steps, calls, callers };
}

/** Closes nodes when they are first asked for. */
class Closer {
  readonly #network: Network;
  readonly #flags: Flags;
  readonly #budget: Budget;
  readonly #byNode = new Map<NodeId, ClosedNode>();
  readonly #byContent = new Map<string, ClosedNode>();
  readonly #setNumbers = new Map<Uint8Array, number>();

  constructor(network: Network, flags: Flags, budget: Budget) {
    this.#network = network;
    this.#flags = flags;
    this.#budget = budget;
  }

  closed(node: NodeId): ClosedNode {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const closed = this.#intern(this.#close(node));
    this.#byNode.set(node, closed);
    return closed;
  }

  #close(start: NodeId): Omit<ClosedNode, 'id'> {
    const { nodes, rules } = this.#network;
    const { rule } = nodes[start]!;
    const seen = new Set([start]);
    const work = [start];
    const bytes: ByteEdge[] = [];
    const machines: MachineEdge[] = [];
    const calls: CallEdge[] = [];
    const visit = (to: NodeId): void => {
      if (seen.has(to)) return;
      seen.add(to);
      work.push(to);
    };
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      const node = nodes[at]!;
      this.#budget.spend(2 + node.bytes.length, 1, rules[rule]!.name);
      for (const to of node.empty) visit(to);
      for (const edge of this.#flags.bytesOf(node)) if (this.#isUseful(edge.to)) bytes.push(edge);
      for (const edge of node.machines) {
        if (!this.#isUseful(edge.to)) continue;
        machines.push(edge);
        if (edge.machine.accepts(edge.machine.start)) visit(edge.to);
      }
      for (const edge of node.calls) {
        const callee = rules[edge.rule]!.start;
        if (!this.#isUseful(edge.to) || !this.#isUseful(callee)) continue;
        calls.push(edge);
        if (this.#flags.nullable[callee] === 1) visit(edge.to);
      }
    }
    return { rule, bytes, machines, calls, returns: seen.has(rules[rule]!.end) };
  }

  #isUseful(node: NodeId): boolean {
    return this.#flags.useful[node] === 1;
  }

  #intern(closed: Omit<ClosedNode, 'id'>): ClosedNode {
    const key = [
      closed.rule,
      closed.returns,
      sorted(closed.bytes.map(({ set, to }) => `${this.#numberOf(set)}>${to}`)),
      sorted(closed.machines.map(({ id }) => String(id))),
      sorted(closed.calls.map(({ rule, to }) => `${rule}>${to}`)),
    ].join(' ');
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    const node = { id: this.#byContent.size, ...closed };
    this.#byContent.set(key, node);
    return node;
  }

  #numberOf(set: Uint8Array): number {
    const known = this.#setNumbers.get(set);
    if (known !== undefined) return known;
    this.#setNumbers.set(set, this.#setNumbers.size);
    return this.#setNumbers.size - 1;
  }
}

const sorted = (keys: readonly string[]): string => keys.toSorted().join(',');
