/**
 * `unevaluatedProperties` and `unevaluatedItems` said in other keywords: what is evaluated is known for
 * each way in which the schemas of a value can hold, so that a schema becomes "one of these ways, and
 * nothing beyond it". The reader runs it when all nodes are there.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import type { ArrayRules, NodeId, ObjectRules, SchemaNode } from '../node.ts';
import { waysOf } from './evaluated.ts';
import type { Way } from './evaluated.ts';
import { freeNode } from '../free-node.ts';
import { shorten } from './schema-keywords.ts';

/** One keyword of one node. */
export interface Unevaluated {
  readonly node: NodeId;
  readonly keyword: 'unevaluatedProperties' | 'unevaluatedItems';
  /** What the rest has to satisfy. */
  readonly rest: NodeId;
}

const anyObject: ObjectRules = {
  minProperties: 0,
  maxProperties: Infinity,
  properties: [],
  patterns: [],
  additional: null,
  required: [],
  names: [],
  dependentRequired: [],
  dependentSchemas: [],
};

const anyArray: ArrayRules = {
  minItems: 0,
  maxItems: Infinity,
  prefix: [],
  rest: null,
  unique: false,
  contains: [],
};

/**
 * Adds what the keywords mean to `nodes`. Throws `invalid_constraint` where what is evaluated depends on
 * too many schemas.
 */
export function closeUnevaluated(
  nodes: SchemaNode[],
  keywords: readonly Unevaluated[],
  containsCounts: boolean,
): void {
  const having = (keyword: string): Set<NodeId> =>
    new Set(keywords.filter((one) => one.keyword === keyword).map(({ node }) => node));
  const leftovers = {
    properties: having('unevaluatedProperties'),
    items: having('unevaluatedItems'),
    containsCounts,
  };
  // What is added below evaluates nothing: all ways are found first.
  const found = keywords.map((one) => ({ one, ways: waysOf(one.node, nodes, leftovers) }));
  for (const { one, ways } of found) {
    const node = nodes[one.node] as SchemaNode;
    if (ways === null) throw tooMany(one, node);
    const isDone = (way: Way): boolean =>
      one.keyword === 'unevaluatedProperties' ? way.allNames : way.allItems;
    const add = (made: SchemaNode): NodeId => nodes.push(made) - 1;
    const closed = ways.map((way): NodeId => {
      const conditions = conditionsOf(way, node, add);
      if (isDone(way)) return add({ ...conditions });
      const rules =
        one.keyword === 'unevaluatedProperties'
          ? closedObject(way, one.rest, node, add)
          : closedArray(way, one.rest, node, add);
      return add({ ...conditions, ...rules });
    });
    const [only] = closed;
    nodes[one.node] =
      closed.length === 1 && only !== undefined
        ? { ...node, allOf: [...node.allOf, only] }
        : { ...node, anyOf: [...node.anyOf, closed] };
  }
}

/** Without the parts that assert nothing and were only of interest here. */
export function withoutSilent(node: SchemaNode): SchemaNode {
  const { array, conditions } = node;
  return {
    ...node,
    array: array && {
      ...array,
      contains: array.contains.filter(({ min, max }) => min > 0 || max < Infinity),
    },
    conditions: conditions.filter((one) => one.then !== null || one.else !== null),
  };
}

type Add = (node: SchemaNode) => NodeId;

function conditionsOf(way: Way, { path }: SchemaNode, add: Add): SchemaNode {
  const present =
    way.present.length === 0
      ? []
      : [
          add({
            ...freeNode(path),
            types: ['object'],
            object: { ...anyObject, required: way.present },
          }),
        ];
  return { ...freeNode(path), allOf: [...way.holds, ...present], not: way.fails };
}

function closedObject(
  way: Way,
  rest: NodeId,
  { path }: SchemaNode,
  add: Add,
): Pick<SchemaNode, 'object'> {
  const free = add(freeNode(path));
  return {
    object: {
      ...anyObject,
      properties: way.names.map((name) => [name, free]),
      patterns: way.patterns.map((pattern) => [pattern, free]),
      additional: rest,
    },
  };
}

function closedArray(
  way: Way,
  rest: NodeId,
  { path }: SchemaNode,
  add: Add,
): Pick<SchemaNode, 'array'> {
  const free = add(freeNode(path));
  const item =
    way.matching.length === 0 ? rest : add({ ...freeNode(path), anyOf: [[rest, ...way.matching]] });
  return {
    array: {
      ...anyArray,
      prefix: Array.from({ length: way.items }, () => free),
      rest: item,
    },
  };
}

function tooMany({ keyword }: Unevaluated, { path }: SchemaNode): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `\`${keyword}\` at ${shorten(path)} of the schema depends on too many alternatives. Use \`additionalProperties\` or \`items\` in each of them.`,
    { keyword },
  );
}
