/** JSON values as text again: numbers as they were spelled, members in their order. */

import type { JsonValue } from './json-value.ts';

/** The text without whitespace; reading it gives the same value. */
export function writeJson(value: JsonValue): string {
  switch (value.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(value.value);
    case 'number':
      return value.text;
    case 'string':
      return JSON.stringify(value.value);
    case 'array':
      return `[${value.items.map(writeJson).join(',')}]`;
    case 'object':
      return `{${value.members.map(([name, one]) => `${JSON.stringify(name)}:${writeJson(one)}`).join(',')}}`;
  }
}
