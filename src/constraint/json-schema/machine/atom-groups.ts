/**
 * Which assertions about strings and numbers are read as one, so that no dead end is between them.
 * Pure.
 */

import type { SchemaNode } from '../node.ts';
import type { Plan } from './plan.ts';

/**
 * For each node with assertions about strings or numbers, the nodes that its atom joins, so that no
 * dead end is between them: all that must hold in one (the last of them), and each way of an `anyOf` or
 * `oneOf` with what it needs and what must hold anyway. Null: no atom.
 */
export function atomGroups(plan: Plan): (SchemaNode[] | null)[] {
  const { nodes, must } = plan;
  const groups: (SchemaNode[] | null)[] = nodes.map((one) => (one.own ? [one.node] : null));
  const needed = nodes.filter((one, i) => must[i] === true && one.own).map((one) => one.node);
  const holder = nodes.findLastIndex((_, i) => must[i] === true);
  nodes.forEach((_, i) => {
    if (must[i] === true) groups[i] = i === holder && needed.length > 0 ? needed : null;
  });
  for (const i of positiveWays(plan)) {
    const closure = new Set([i]);
    for (const one of closure) for (const next of nodes[one]!.all) closure.add(next);
    const inside = [...closure].map((one) => nodes[one]!).filter((one) => one.own);
    const joined = [...new Set([...inside.map((one) => one.node), ...needed])];
    if (inside.length > 0) groups[i] = joined;
  }
  return groups;
}

/** Ways of `anyOf` and `oneOf` that count only as something that holds. */
function positiveWays(plan: Plan): number[] {
  const reached = new Set(plan.must.flatMap((one, i) => (one ? [i] : [])));
  const ways = new Set<number>();
  for (let i = plan.nodes.length - 1; i >= 0; i--) {
    if (!reached.has(i)) continue;
    const node = plan.nodes[i]!;
    for (const one of node.all) reached.add(one);
    for (const list of [...node.anyOf, ...node.oneOf]) {
      for (const one of list) {
        reached.add(one);
        if (plan.must[one] !== true) ways.add(one);
      }
    }
  }
  return [...ways];
}
