/** The members of JSON objects by name, as everybody reads them who looks one up. */

import type { JsonValue } from './json-value.ts';

const maps = new WeakMap<JsonValue, ReadonlyMap<string, JsonValue>>();

/**
 * The members of an object, in their order; of those with the same name the last one counts. Empty for
 * other values. Kept as long as the value is.
 */
export function membersOf(value: JsonValue): ReadonlyMap<string, JsonValue> {
  const known = maps.get(value);
  if (known !== undefined) return known;
  const made = new Map(value.type === 'object' ? value.members : []);
  maps.set(value, made);
  return made;
}
