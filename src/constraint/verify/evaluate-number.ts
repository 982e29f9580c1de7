/** Whether a number, as it was written, satisfies what a schema says of numbers. Exact. Pure. */

import { compareNumbers, isInteger, isMultipleOf } from '../json/decimal.ts';
import type { SchemaNode } from '../json-schema/node.ts';

/** The keyword that the number breaks and what is wrong; null where there is none. */
export function findNumberFailure(
  node: Pick<SchemaNode, 'integer' | 'number'>,
  text: string,
  strictIntegers: boolean,
): { keyword: string; words: string } | null {
  if (node.integer && !isInteger(text, strictIntegers)) {
    return { keyword: 'type', words: 'must be an integer' };
  }
  const { number: rules } = node;
  if (rules === null) return null;
  for (const [keyword, bound, sign] of [
    ['minimum', rules.minimum, 1],
    ['maximum', rules.maximum, -1],
  ] as const) {
    if (bound === null) continue;
    const order = compareNumbers(text, bound.value) * sign;
    if (order < 0 || (order === 0 && bound.exclusive)) {
      const side = sign === 1 ? 'greater' : 'less';
      const words = bound.exclusive
        ? `must be ${side} than ${bound.value}`
        : `must be ${bound.value} or ${side}`;
      return { keyword, words };
    }
  }
  const step = rules.multipleOf.find((one) => !isMultipleOf(text, one));
  return step === undefined
    ? null
    : { keyword: 'multipleOf', words: `must be a multiple of ${step}` };
}
