/**
 * Schemas that apply to the same value, one inside the other: they must not lead back to themselves,
 * and not be stacked too high, or no evaluation would end. Pure.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import type { NodeId, SchemaNode } from '../node.ts';
import { shorten } from './schema-keywords.ts';

/** Longer chains of schemas for one value are refused. */
export const maxInPlace = 200;

const entered = -1;

/** Throws `invalid_constraint` for a schema that applies itself to the same value, or too long a chain. */
export function checkInPlace(nodes: readonly SchemaNode[]): void {
  const heights = new Map<NodeId, number>();
  for (let start = 0; start < nodes.length; start++) follow(start, nodes, heights);
}

/**
 * Visits what is in place below a node, without recursion. `heights` has the longest chain below each
 * node that was left, and `entered` for those that are being followed.
 */
function follow(start: NodeId, nodes: readonly SchemaNode[], heights: Map<NodeId, number>): void {
  const stack: NodeId[] = [start];
  for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
    const node = nodes[id];
    const below = node === undefined ? [] : inPlace(node);
    const known = heights.get(id);
    if (known === undefined) {
      heights.set(id, entered);
      const loop = below.find((next) => heights.get(next) === entered);
      if (loop !== undefined) throw looping(nodes[loop]);
      for (const next of below) if (!heights.has(next)) stack.push(next);
      continue;
    }
    stack.pop();
    if (known !== entered) continue;
    const height = below.reduce((most, next) => Math.max(most, 1 + (heights.get(next) ?? 0)), 0);
    if (height > maxInPlace) throw tooHigh(node);
    heights.set(id, height);
  }
}

/** The visits that judging one value takes at most where nothing is remembered; of checked nodes. */
export function inPlaceWork(nodes: readonly SchemaNode[]): number {
  const known = new Map<NodeId, number>();
  const visits = (id: NodeId): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const node = nodes[id];
    const below = node === undefined ? [] : inPlace(node);
    const sum = below.reduce((all, next) => all + visits(next), 1);
    known.set(id, sum);
    return sum;
  };
  return nodes.reduce((most, _, id) => Math.max(most, visits(id)), 0);
}

/** The nodes that judge the same value as this one. */
export function inPlace(node: SchemaNode): NodeId[] {
  return [
    ...node.allOf,
    ...node.anyOf.flat(),
    ...node.oneOf.flat(),
    ...node.not,
    ...node.conditions.flatMap((one) =>
      [one.if, one.then, one.else].filter((id): id is NodeId => id !== null),
    ),
    ...(node.object?.dependentSchemas.map(([, id]) => id) ?? []),
  ];
}

function looping(node: SchemaNode | undefined): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `\`$ref\` leads from ${shorten(node?.path ?? '#')} of the schema back to the same place without going into a property or an item, so that it says nothing. Refer to it below \`properties\` or \`items\`.`,
    { keyword: '$ref' },
  );
}

function tooHigh(node: SchemaNode | undefined): ParlanceError {
  const steps = (node?.path ?? '').split('/');
  const keyword = ['allOf', 'anyOf', 'oneOf', 'not'].find((one) => steps.includes(one)) ?? '$ref';
  return new ParlanceError(
    'invalid_constraint',
    `More than ${maxInPlace} schemas are stacked on one value at ${shorten(node?.path ?? '#')} of the schema, by \`allOf\`, \`anyOf\`, \`$ref\` and the like. Flatten them.`,
    { keyword },
  );
}
