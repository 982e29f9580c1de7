/**
 * Finds the schemas that nothing satisfies: bounds that contradict each other, also across `allOf` and
 * `$ref`, values and names that are ruled out, endless recursion. What it marks is certain; what it
 * does not mark may still be impossible. The reader runs it once.
 */

import { evaluate } from '../../verify/evaluate.ts';
import type { TextTests } from '../../verify/evaluate.ts';
import type { Budget } from '../../machine.ts';
import { isImpossible } from '../../verify/text-tests.ts';
import type { NodeId, SchemaGraph, SchemaNode, StringRules, TypeName } from '../node.ts';
import { findArrayConflict } from './satisfiable-array.ts';
import { findNumberConflict } from './satisfiable-number.ts';
import { findObjectConflict } from './satisfiable-object.ts';

/** Why nothing satisfies a schema. */
export interface Conflict {
  readonly keyword: string;
  /** Of the schema that has the keyword. */
  readonly path: string;
}

/** What the checks of arrays and objects ask about the values inside. */
export interface Inner {
  readonly graph: SchemaGraph;
  readonly texts: TextTests;
  /** Why nothing satisfies all of these schemas; null where something does. */
  conflictOf(ids: readonly NodeId[]): Conflict | null;
}

/** For each node why nothing satisfies it, null where something may. */
export function findConflicts(
  graph: SchemaGraph,
  texts: TextTests,
  budget: Budget,
): readonly (Conflict | null)[] {
  const search = new ConflictSearch(graph, texts, budget);
  return search.run();
}

/** Schemas that one value has to satisfy together. */
interface Group {
  readonly ids: readonly NodeId[];
  /** Shown to be satisfied by a finite value. */
  possible: boolean;
  conflict: Conflict | null;
}

const allTypes: readonly TypeName[] = ['null', 'boolean', 'object', 'array', 'number', 'string'];

class ConflictSearch implements Inner {
  readonly graph: SchemaGraph;
  readonly texts: TextTests;
  readonly #budget: Budget;
  readonly #groups = new Map<string, Group>();
  readonly #impossible = new Map<string, boolean>();
  readonly #maxGroups: number;

  constructor(graph: SchemaGraph, texts: TextTests, budget: Budget) {
    this.graph = graph;
    this.texts = texts;
    this.#budget = budget;
    this.#maxGroups = graph.nodes.length * 3 + 2000;
  }

  /**
   * The least set of possible groups: nothing is possible until it is shown by what is inside it, so
   * that a schema which only an endless value would satisfy stays impossible.
   */
  run(): (Conflict | null)[] {
    const ids = this.graph.nodes.map((_, id) => id);
    // From the back: nodes are numbered from the outside in.
    for (const id of ids.toReversed()) this.#group([id]);
    for (let changed = true; changed;) {
      changed = false;
      for (const group of this.#groups.values()) {
        if (group.possible) continue;
        group.conflict = this.#check(group.ids);
        group.possible = group.conflict === null;
        changed ||= group.possible;
      }
    }
    return ids.map((id) => this.#groups.get(String(id))?.conflict ?? null);
  }

  conflictOf(ids: readonly NodeId[]): Conflict | null {
    const group = this.#group(ids);
    if (group === null || group.possible) return null;
    return group.conflict ?? { keyword: '$ref', path: this.#node(group.ids[0] ?? 0).path };
  }

  /** Null where there are too many to follow. */
  #group(ids: readonly NodeId[]): Group | null {
    const sorted = [...new Set(ids)].toSorted((a, b) => a - b);
    const key = sorted.join();
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    if (this.#groups.size >= this.#maxGroups) return null;
    const made: Group = { ids: sorted, possible: sorted.length === 0, conflict: null };
    this.#groups.set(key, made);
    return made;
  }

  #node(id: NodeId): SchemaNode {
    return this.graph.nodes[id] as SchemaNode;
  }

  /** The nodes and all that they apply to the same value without a choice. */
  #together(ids: Iterable<NodeId>, into = new Set<NodeId>()): Set<NodeId> {
    const pending = [...ids];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (into.has(id)) continue;
      into.add(id);
      pending.push(...this.#node(id).allOf);
    }
    return into;
  }

  #check(ids: readonly NodeId[]): Conflict | null {
    const together = this.#together(ids);
    const plain = this.#plain(together);
    if (plain !== null) return plain;
    const says = [...together].some((id) => saysSomething(this.#node(id)));
    for (const id of together) {
      const node = this.#node(id);
      for (const [keyword, lists] of [
        ['anyOf', node.anyOf],
        ['oneOf', node.oneOf],
      ] as const) {
        const stuck = lists.find((list) =>
          list.every((branch) => this.#branchConflict(branch, together, says) !== null),
        );
        if (stuck !== undefined) return { keyword, path: node.path };
      }
    }
    return null;
  }

  #branchConflict(branch: NodeId, together: ReadonlySet<NodeId>, says: boolean): Conflict | null {
    const own = this.conflictOf([branch]);
    if (own !== null || !says) return own;
    return this.#plain(this.#together([branch], new Set(together)));
  }

  /** Conflicts among the nodes, choices left aside. */
  #plain(ids: ReadonlySet<NodeId>): Conflict | null {
    const nodes = [...ids].map((id) => this.#node(id));
    this.#budget.spend(nodes.length * 2, 0, 'allOf');
    const never = nodes.find((node) => node.never);
    if (never !== undefined) return { keyword: 'false', path: never.path };
    const types = this.#types(nodes);
    if (!Array.isArray(types)) return types;
    const listed = nodes.filter((node) => node.values !== null);
    if (listed.length > 0) return this.#values(listed, ids, types);
    let first: Conflict | null = null;
    for (const type of types) {
      const conflict = this.#ofType(type, nodes);
      if (conflict === null) return null;
      first ??= conflict;
    }
    return first;
  }

  #types(nodes: readonly SchemaNode[]): TypeName[] | Conflict {
    let types = [...allTypes];
    for (const node of nodes) {
      if (node.types === null) continue;
      types = types.filter((type) => node.types?.includes(type));
      if (types.length === 0) return { keyword: 'type', path: node.path };
    }
    for (const node of nodes) {
      for (const id of node.not) {
        const excluded = this.#excludedTypes(id);
        types = types.filter((type) => !excluded.includes(type));
        if (types.length === 0) return { keyword: 'not', path: node.path };
      }
    }
    return types;
  }

  /** The types all of whose values satisfy the node. */
  #excludedTypes(id: NodeId): readonly TypeName[] {
    const node = this.#node(id);
    const choices =
      node.anyOf.length + node.oneOf.length + node.not.length + node.conditions.length > 0;
    if (node.never || choices || node.values !== null) return [];
    const ruled = (type: TypeName): boolean => {
      if (type === 'number') return node.integer || node.number !== null;
      return type !== 'null' && type !== 'boolean' && node[type] !== null;
    };
    return (node.types ?? allTypes)
      .filter((type) => !ruled(type))
      .filter((type) => node.allOf.every((one) => this.#excludedTypes(one).includes(type)));
  }

  /** Values are listed: one of them must satisfy everything. */
  #values(
    listed: readonly SchemaNode[],
    ids: ReadonlySet<NodeId>,
    types: readonly TypeName[],
  ): Conflict | null {
    const shortest = listed.reduce((a, b) =>
      (b.values?.length ?? 0) < (a.values?.length ?? 0) ? b : a,
    );
    const values = shortest.values ?? [];
    const keyword = values.length === 1 ? 'const' : 'enum';
    for (const value of values) {
      this.#budget.spend(ids.size * 5, 0, keyword);
      if (!types.includes(value.type)) continue;
      const fits = [...ids].every((id) => evaluate(this.graph, value, this.texts, id) === null);
      if (fits) return null;
    }
    return { keyword, path: shortest.path };
  }

  #isImpossible(rules: StringRules): boolean {
    const key = JSON.stringify(rules);
    const known = this.#impossible.get(key);
    if (known !== undefined) return known;
    this.#budget.spend(1000, 1, 'pattern');
    const found = isImpossible(rules);
    this.#impossible.set(key, found);
    return found;
  }

  #ofType(type: TypeName, nodes: readonly SchemaNode[]): Conflict | null {
    switch (type) {
      case 'number': {
        const keyword = findNumberConflict(nodes);
        const culprit = nodes.find((node) => node.number !== null) ?? nodes[0];
        return keyword === null ? null : { keyword, path: culprit?.path ?? '#' };
      }
      case 'string':
        return findStringConflict(nodes, (rules) => this.#isImpossible(rules));
      case 'array':
        return findArrayConflict(nodes, this);
      case 'object':
        return findObjectConflict(nodes, this);
      default:
        return null;
    }
  }
}

/** Why no string satisfies the rules of the nodes together. */
function findStringConflict(
  nodes: readonly SchemaNode[],
  isImpossible: (rules: StringRules) => boolean,
): Conflict | null {
  const ruled = nodes.filter((node) => node.string !== null);
  const rules = ruled.map((node) => node.string as StringRules);
  const together: StringRules = {
    minLength: Math.max(0, ...rules.map((one) => one.minLength)),
    maxLength: Math.min(Infinity, ...rules.map((one) => one.maxLength)),
    patterns: [...new Set(rules.flatMap((one) => one.patterns))],
    formats: [...new Set(rules.flatMap((one) => one.formats))],
  };
  const { minLength, maxLength, patterns, formats } = together;
  if (minLength > maxLength || minLength === Infinity) {
    const culprit = ruled.find((node) => node.string?.minLength === minLength);
    return { keyword: 'minLength', path: culprit?.path ?? '#' };
  }
  const regexes = patterns.length + formats.length;
  const limited = minLength > 0 || maxLength < Infinity;
  if (regexes === 0 || (regexes === 1 && !limited) || !isImpossible(together)) return null;
  const culprit = ruled.find((node) => node.string?.patterns.length || node.string?.formats.length);
  return { keyword: patterns.length > 0 ? 'pattern' : 'format', path: culprit?.path ?? '#' };
}

function saysSomething(node: SchemaNode): boolean {
  return (
    node.types !== null ||
    node.integer ||
    node.values !== null ||
    node.number !== null ||
    node.string !== null ||
    node.array !== null ||
    node.object !== null ||
    node.not.length > 0
  );
}
