/**
 * The in-place nodes that judge a value of one type, and the formulas that join them: `allOf`, `anyOf`,
 * `oneOf`, `not`, `if`, `dependentSchemas`. What the type alone decides is folded away;
 * `evaluate.ts` evaluates them.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import type { NodeId, SchemaNode } from '../node.ts';
import type { SchemaNodes } from './schema-nodes.ts';
import { no, yes } from './truth.ts';

/** `true`, `false` and `null` are types of their own here: the first byte tells them apart. */
export type Kind = 'null' | 'true' | 'false' | 'object' | 'array' | 'number' | 'string';

/** Stand for nodes that are decided. */
const always = -1;
const never = -2;

/** An index into the plan's nodes, or `always` or `never`. */
export type Operand = number;

export const isNever = (operand: Operand): boolean => operand === never;

/** The value of an operand, from those of the nodes. */
export const valueOf = (operand: Operand, out: Uint8Array): number =>
  operand >= 0 ? out[operand]! : operand === always ? yes : no;

export interface PlanNode {
  readonly node: SchemaNode;
  /** Whether assertions of its own are open. */
  readonly own: boolean;
  readonly all: readonly Operand[];
  readonly anyOf: readonly (readonly Operand[])[];
  readonly oneOf: readonly (readonly Operand[])[];
  readonly not: readonly Operand[];
  readonly conditions: readonly { test: Operand; met: Operand; unmet: Operand }[];
  readonly dependents: readonly { name: string; node: Operand }[];
}

const deepest = 1000;

export interface Plan {
  readonly kind: Kind;
  /** Operands before those who use them. */
  readonly nodes: readonly PlanNode[];
  readonly roots: readonly Operand[];
  /** For each node, whether the document is wrong without it. */
  readonly must: readonly boolean[];
  /** What to blame for its size. */
  readonly keyword: string;
  /** Only conjunctions: whatever is not refused can be completed, as far as formulas go. */
  readonly conjunctive: boolean;
}

export function makePlan(
  schema: SchemaNodes,
  ids: readonly NodeId[],
  needed: readonly boolean[],
  kind: Kind,
): Plan {
  const builder = new Builder(schema, kind);
  const roots = ids.map((id) => builder.operand(id, 0));
  const { nodes } = builder;
  const must = nodes.map(() => false);
  roots.forEach((root, i) => {
    if (root >= 0 && needed[i] === true) must[root] = true;
  });
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (must[i] === true) for (const one of nodes[i]!.all) must[one] = true;
  }
  const last = nodes.at(-1);
  const keyword = last === undefined ? 'type' : keywordOf(last.node);
  return { kind, nodes, roots, must, keyword, conjunctive: nodes.every(isConjunctive) };
}

const isConjunctive = (one: PlanNode): boolean =>
  one.anyOf.length + one.oneOf.length + one.not.length + one.conditions.length === 0 &&
  one.dependents.length === 0;

class Builder {
  readonly nodes: PlanNode[] = [];
  readonly #schema: SchemaNodes;
  readonly #kind: Kind;
  readonly #known = new Map<NodeId, Operand>();

  constructor(schema: SchemaNodes, kind: Kind) {
    this.#schema = schema;
    this.#kind = kind;
  }

  operand(id: NodeId, depth: number): Operand {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (depth > deepest) {
      throw new ParlanceError(
        'invalid_constraint',
        `The schema nests more than ${deepest} applicators about one value. Make it flatter.`,
        { keyword: 'allOf' },
      );
    }
    const made = this.#make(this.#schema.get(id), depth + 1);
    this.#known.set(id, made);
    return made;
  }

  #make(node: SchemaNode, depth: number): Operand {
    this.#schema.budget.spend(2, 3, keywordOf(node));
    const kind = this.#kind;
    const type = kind === 'true' || kind === 'false' ? 'boolean' : kind;
    if (node.never || (node.types !== null && !node.types.includes(type))) return never;
    const own = ownAssertions(node, kind);
    if (own === null) return never;
    const parts: Parts = { all: [], anyOf: [], oneOf: [], not: [], conditions: [] };
    if (!this.#applicators(node, parts, depth)) return never;
    const dependents: { name: string; node: Operand }[] = [];
    if (kind === 'object') {
      for (const [name, one] of node.object?.dependentSchemas ?? []) {
        const operand = this.operand(one, depth);
        if (operand !== always) dependents.push({ name, node: operand });
      }
    }
    const { anyOf, oneOf, not, conditions } = parts;
    const all = [...new Set(parts.all)];
    const other = anyOf.length + oneOf.length + not.length + conditions.length + dependents.length;
    if (!own && other === 0 && all.length === 0) return always;
    if (!own && other === 0 && all.length === 1) return all[0]!;
    this.nodes.push({ node, own, all, anyOf, oneOf, not, conditions, dependents });
    return this.nodes.length - 1;
  }

  /** False where one of them can not hold. */
  #applicators(node: SchemaNode, parts: Parts, depth: number): boolean {
    const of = (id: NodeId): Operand => this.operand(id, depth);
    for (const id of node.allOf) if (!conjoin(parts, of(id))) return false;
    for (const list of node.anyOf) {
      const operands = list.map(of);
      if (operands.includes(always)) continue;
      const rest = [...new Set(operands.filter((one) => one >= 0))];
      if (rest.length === 0) return false;
      if (rest.length === 1) parts.all.push(rest[0]!);
      else parts.anyOf.push(rest);
    }
    for (const list of node.oneOf) if (!oneOfList(list.map(of), parts)) return false;
    for (const id of node.not) if (!deny(parts, of(id))) return false;
    for (const condition of node.conditions) {
      const test = of(condition.if);
      const then = condition.then === null ? always : of(condition.then);
      const other = condition.else === null ? always : of(condition.else);
      if (test === always && !conjoin(parts, then)) return false;
      if (test === never && !conjoin(parts, other)) return false;
      if (test >= 0 && (then !== always || other !== always)) {
        parts.conditions.push({ test, met: then, unmet: other });
      }
    }
    return true;
  }
}

interface Parts {
  readonly all: Operand[];
  readonly anyOf: Operand[][];
  readonly oneOf: Operand[][];
  readonly not: Operand[];
  readonly conditions: { test: Operand; met: Operand; unmet: Operand }[];
}

function conjoin(parts: Parts, operand: Operand): boolean {
  if (operand >= 0) parts.all.push(operand);
  return operand !== never;
}

function deny(parts: Parts, operand: Operand): boolean {
  if (operand >= 0) parts.not.push(operand);
  return operand !== always;
}

function oneOfList(operands: readonly Operand[], parts: Parts): boolean {
  const certain = operands.filter((one) => one === always).length;
  const rest = operands.filter((one) => one >= 0);
  if (certain > 1) return false;
  if (certain === 1) {
    parts.not.push(...rest);
    return true;
  }
  if (rest.length === 0) return false;
  if (rest.length === 1) parts.all.push(rest[0]!);
  else parts.oneOf.push(rest);
  return true;
}

/** Whether the node asserts something about such values; null where it refuses them all. */
function ownAssertions(node: SchemaNode, kind: Kind): boolean | null {
  const { values } = node;
  switch (kind) {
    case 'string':
    case 'number': {
      if (values !== null) return values.some((one) => one.type === kind) ? true : null;
      return kind === 'string' ? node.string !== null : node.integer || node.number !== null;
    }
    case 'array':
    case 'object':
      return values !== null ? null : node[kind] !== null;
    case 'null':
      return values === null || values.some((one) => one.type === 'null') ? false : null;
    default: {
      const wanted = kind === 'true';
      const has = (): boolean =>
        values?.some((one) => one.type === 'boolean' && one.value === wanted) === true;
      return values === null || has() ? false : null;
    }
  }
}

export function keywordOf(node: SchemaNode): string {
  if (node.oneOf.length > 0) return 'oneOf';
  if (node.anyOf.length > 0) return 'anyOf';
  if (node.not.length > 0) return 'not';
  if (node.conditions.length > 0) return 'if';
  if (node.values !== null) return 'enum';
  if (node.object !== null) return 'properties';
  if (node.array !== null) return 'items';
  return node.allOf.length > 0 ? 'allOf' : 'type';
}
