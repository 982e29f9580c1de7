/** Whether two bodies of `POST /deploy` ask for the same, and what differs. Pure. */

import type { DeploymentSpec } from './spec.ts';

/** Characters of a value; templates may be long. */
const mostShown = 200;

/**
 * What differs, one `field: old -> new` each; empty when both ask for the same. A field that is not
 * there means what null means, so that specs of earlier versions compare.
 */
export function compareSpecs(one: DeploymentSpec, other: DeploymentSpec): string[] {
  const before = flatten(one);
  const after = flatten(other);
  const fields = [...new Set([...before.keys(), ...after.keys()])];
  const show = (value = 'nothing'): string =>
    value.length > mostShown ? `${value.slice(0, mostShown)}…` : value;
  return fields
    .filter((field) => (before.get(field) ?? 'null') !== (after.get(field) ?? 'null'))
    .map((field) => `${field}: ${show(before.get(field))} -> ${show(after.get(field))}`);
}

function flatten({ options, ...fields }: DeploymentSpec): Map<string, string> {
  const all = [
    ...Object.entries(fields),
    ...Object.entries(options).map(([name, value]) => [`options.${name}`, value] as const),
  ];
  return new Map(all.map(([name, value]) => [name, JSON.stringify(value)]));
}
