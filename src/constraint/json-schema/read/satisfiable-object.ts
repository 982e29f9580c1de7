/** Why no object satisfies the rules of some schemas together. Certain where it says so. Pure. */

import { evaluate, schemasFor } from '../../verify/evaluate.ts';
import type { NodeId, ObjectRules, SchemaNode } from '../node.ts';
import type { Conflict, Inner } from './satisfiable.ts';

interface Ruled {
  readonly path: string;
  readonly rules: ObjectRules;
}

/** The conflict; null where there is none that is found. */
export function findObjectConflict(nodes: readonly SchemaNode[], inner: Inner): Conflict | null {
  const ruled = nodes.flatMap((node): Ruled[] =>
    node.object === null ? [] : [{ path: node.path, rules: node.object }],
  );
  const first = ruled[0];
  if (first === undefined) return null;
  const most = Math.min(...ruled.map(({ rules }) => rules.maxProperties));
  const wanted = ruled.reduce((a, b) => (b.rules.minProperties > a.rules.minProperties ? b : a));
  const least = wanted.rules.minProperties;
  if (least > most || least === Infinity) return { keyword: 'minProperties', path: wanted.path };
  const required = requiredNames(ruled);
  if (required.size > most) {
    const limiting = ruled.find(({ rules }) => rules.maxProperties === most) ?? first;
    return { keyword: 'maxProperties', path: limiting.path };
  }
  for (const name of required) {
    const conflict = findNameConflict(name, ruled, inner);
    if (conflict !== null) return conflict;
  }
  if (least === 0) return null;
  const possible = possibleNames(ruled, inner);
  if (possible === null || possible >= least) return null;
  return { keyword: 'minProperties', path: wanted.path };
}

/** Names that are required, those that they in turn require among them. */
function requiredNames(ruled: readonly Ruled[]): Set<string> {
  const required = new Set(ruled.flatMap(({ rules }) => rules.required));
  const dependent = ruled.flatMap(({ rules }) => rules.dependentRequired);
  // A set hands out what is added to it while it is gone through.
  for (const name of required) {
    for (const [trigger, others] of dependent) {
      if (trigger === name) for (const other of others) required.add(other);
    }
  }
  return required;
}

/** Why there can be no property of this name. */
function findNameConflict(name: string, ruled: readonly Ruled[], inner: Inner): Conflict | null {
  const value = { type: 'string', value: name } as const;
  const schemas: NodeId[] = [];
  for (const { path, rules } of ruled) {
    const named = rules.names.some((id) => evaluate(inner.graph, value, inner.texts, id) !== null);
    if (named) return { keyword: 'propertyNames', path };
    const own = schemasFor(rules, name, inner.texts);
    if (own.length === 0 && rules.additional !== null) {
      if (inner.graph.nodes[rules.additional]?.never) {
        return { keyword: 'additionalProperties', path };
      }
      schemas.push(rules.additional);
    }
    schemas.push(...own);
  }
  return inner.conflictOf(schemas);
}

/** How many properties there can be; null where no end of names is seen. */
function possibleNames(ruled: readonly Ruled[], inner: Inner): number | null {
  const none = ruled.some(({ rules }) => rules.names.some((id) => inner.conflictOf([id]) !== null));
  if (none) return 0;
  const closed = ruled.filter(
    ({ rules }) =>
      rules.additional !== null &&
      rules.patterns.length === 0 &&
      inner.conflictOf([rules.additional]) !== null,
  );
  const [smallest] = closed.toSorted(
    (a, b) => a.rules.properties.length - b.rules.properties.length,
  );
  if (smallest === undefined) return null;
  return smallest.rules.properties.filter(([name]) => findNameConflict(name, ruled, inner) === null)
    .length;
}
