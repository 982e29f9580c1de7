/**
 * One text for each JSON value in the sense of JSON Schema: numbers by value, members in any order.
 * `enum`, `const` and `uniqueItems` compare by it.
 */

import { canonicalNumber } from './decimal.ts';
import type { JsonValue } from './json-value.ts';
import { membersOf } from './members.ts';

/** Two values are equal iff their texts are. Of members with the same name the last one counts. */
export function canonicalJson(value: JsonValue): string {
  switch (value.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(value.value);
    case 'number':
      return canonicalNumber(value.text);
    case 'string':
      return JSON.stringify(value.value);
    case 'array':
      return `[${value.items.map(canonicalJson).join(',')}]`;
    case 'object': {
      const members = [...membersOf(value)].toSorted(([a], [b]) => (a < b ? -1 : 1));
      const texts = members.map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`);
      return `{${texts.join(',')}}`;
    }
  }
}
