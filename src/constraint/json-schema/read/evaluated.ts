/**
 * What the schemas of one value evaluate of its properties and items, for `unevaluatedProperties` and
 * `unevaluatedItems`. Where that depends on which schemas hold there are several ways; each says under
 * which conditions it is one. Pure.
 */

import type { NodeId, SchemaNode } from '../node.ts';

export interface Way {
  readonly holds: readonly NodeId[];
  readonly fails: readonly NodeId[];
  /** Properties that are there. */
  readonly present: readonly string[];
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  readonly allNames: boolean;
  /** The first items, so many. */
  readonly items: number;
  readonly allItems: boolean;
  /** Items that satisfy one of these. */
  readonly matching: readonly NodeId[];
}

/** Schemas with `unevaluatedProperties` or `unevaluatedItems` leave nothing to those around them. */
export interface Leftovers {
  readonly properties: ReadonlySet<NodeId>;
  readonly items: ReadonlySet<NodeId>;
  /** Whether `contains` evaluates the items that it finds: since 2020-12. */
  readonly containsCounts: boolean;
}

const nothing: Way = {
  holds: [],
  fails: [],
  present: [],
  names: [],
  patterns: [],
  allNames: false,
  items: 0,
  allItems: false,
  matching: [],
};

/** More ways than this are not followed. */
const maxWays = 64;

/**
 * The ways in which the schemas inside a node evaluate: it is right to take the best of those whose
 * conditions hold. null where there are too many.
 */
export function waysOf(
  id: NodeId,
  nodes: readonly SchemaNode[],
  leftovers: Leftovers,
): readonly Way[] | null {
  try {
    return new Ways(nodes, leftovers).inside(nodes[id] as SchemaNode);
  } catch (error) {
    if (error instanceof TooMany) return null;
    throw error;
  }
}

class TooMany extends Error {}

class Ways {
  readonly #nodes: readonly SchemaNode[];
  readonly #leftovers: Leftovers;
  readonly #known = new Map<NodeId, readonly Way[]>();

  constructor(nodes: readonly SchemaNode[], leftovers: Leftovers) {
    this.#nodes = nodes;
    this.#leftovers = leftovers;
  }

  #of(id: NodeId): readonly Way[] {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const allNames = this.#leftovers.properties.has(id);
    const allItems = this.#leftovers.items.has(id);
    const found = this.inside(this.#nodes[id] as SchemaNode).map((way) => ({
      ...way,
      allNames: way.allNames || allNames,
      allItems: way.allItems || allItems,
    }));
    this.#known.set(id, found);
    return found;
  }

  inside(node: SchemaNode): readonly Way[] {
    let ways: readonly Way[] = [this.#own(node)];
    for (const id of node.allOf) ways = product(ways, this.#of(id));
    /** What is evaluated whatever else holds, as far as that is simple to say. */
    const [base = nothing] = ways.length === 1 ? ways : [];
    const adding = (id: NodeId): Way[] => this.#of(id).filter((way) => addsTo(base, way));
    const ifHolds = (id: NodeId): Way[] =>
      adding(id).map((way) => ({ ...way, holds: [...way.holds, id] }));
    for (const list of node.anyOf) {
      for (const id of list) ways = product(ways, [nothing, ...ifHolds(id)]);
    }
    for (const list of node.oneOf) ways = product(ways, [nothing, ...list.flatMap(ifHolds)]);
    for (const condition of node.conditions) {
      const yes = condition.then === null ? [nothing] : this.#of(condition.then);
      const no = condition.else === null ? [nothing] : this.#of(condition.else);
      const met = product(this.#of(condition.if), yes).filter((way) => addsTo(base, way));
      const unmet = no.filter((way) => addsTo(base, way));
      ways = product(ways, [
        nothing,
        ...met.map((way) => ({ ...way, holds: [...way.holds, condition.if] })),
        ...unmet.map((way) => ({ ...way, fails: [...way.fails, condition.if] })),
      ]);
    }
    for (const [name, id] of node.object?.dependentSchemas ?? []) {
      const found = adding(id);
      ways = product(ways, [
        nothing,
        ...found.map((way) => ({ ...way, present: [...way.present, name] })),
      ]);
    }
    return ways;
  }

  #own({ object, array }: SchemaNode): Way {
    return {
      ...nothing,
      names: object?.properties.map(([name]) => name) ?? [],
      patterns: object?.patterns.map(([pattern]) => pattern) ?? [],
      allNames: object !== null && object.additional !== null,
      items: array?.prefix.length ?? 0,
      allItems: array !== null && array.rest !== null,
      matching: this.#leftovers.containsCounts
        ? (array?.contains.map(({ node }) => node) ?? [])
        : [],
    };
  }
}

/** Whether it evaluates anything that the other does not. */
function addsTo(base: Way, way: Way): boolean {
  const moreNames =
    way.allNames ||
    way.names.some((name) => !base.names.includes(name)) ||
    way.patterns.some((pattern) => !base.patterns.includes(pattern));
  const moreItems =
    way.allItems ||
    way.items > base.items ||
    way.matching.some((id) => !base.matching.includes(id));
  return (moreNames && !base.allNames) || (moreItems && !base.allItems);
}

/** Each of these with each of those. */
function product(left: readonly Way[], right: readonly Way[]): readonly Way[] {
  if (left.length * right.length > maxWays) throw new TooMany();
  return left.flatMap((a) =>
    right.map((b) => ({
      holds: [...new Set([...a.holds, ...b.holds])],
      fails: [...new Set([...a.fails, ...b.fails])],
      present: [...new Set([...a.present, ...b.present])],
      names: [...new Set([...a.names, ...b.names])],
      patterns: [...new Set([...a.patterns, ...b.patterns])],
      allNames: a.allNames || b.allNames,
      items: Math.max(a.items, b.items),
      allItems: a.allItems || b.allItems,
      matching: [...new Set([...a.matching, ...b.matching])],
    })),
  );
}
