/** Why no array satisfies the rules of some schemas together. Certain where it says so. Pure. */

import type { ArrayRules, NodeId, SchemaNode } from '../node.ts';
import type { Conflict, Inner } from './satisfiable.ts';

/** The conflict; null where there is none that is found. */
export function findArrayConflict(nodes: readonly SchemaNode[], inner: Inner): Conflict | null {
  const ruled = nodes.flatMap((node) =>
    node.array === null ? [] : [{ path: node.path, rules: node.array }],
  );
  if (ruled.length === 0) return null;
  const wanted = ruled.reduce((a, b) => (leastItems(b.rules) > leastItems(a.rules) ? b : a));
  const least = leastItems(wanted.rules);
  const most = Math.min(...ruled.map(({ rules }) => rules.maxItems));
  const keyword = least > wanted.rules.minItems ? 'contains' : 'minItems';
  if (least > most || least === Infinity) return { keyword, path: wanted.path };
  for (const { path, rules } of ruled) {
    for (const { node, min, max } of rules.contains) {
      if (min > max) return { keyword: 'minContains', path };
      const conflict = min > 0 ? inner.conflictOf([node]) : null;
      if (conflict !== null) return conflict;
    }
  }
  return findItemConflict(
    ruled.map(({ rules }) => rules),
    least,
    inner,
  );
}

const leastItems = (rules: ArrayRules): number =>
  Math.max(rules.minItems, ...rules.contains.map(({ min }) => min));

/** An item that must be there and cannot be. */
function findItemConflict(
  rules: readonly ArrayRules[],
  least: number,
  inner: Inner,
): Conflict | null {
  const prefix = Math.max(...rules.map((one) => one.prefix.length));
  for (let index = 0; index < least && index <= prefix; index++) {
    const schemas = rules
      .map((one) => one.prefix[index] ?? one.rest)
      .filter((id): id is NodeId => id !== null);
    const conflict = inner.conflictOf(schemas);
    if (conflict !== null) return conflict;
  }
  return null;
}
