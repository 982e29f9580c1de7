/**
 * Whether there is a number within bounds that is a multiple of given steps. Exact; spreads that no
 * arithmetic could hold count as possible. Pure.
 */

import { compareDecimals, readDecimal } from '../../json/decimal.ts';
import type { Decimal } from '../../json/decimal.ts';
import type { SchemaNode } from '../node.ts';

interface Limit {
  readonly value: Decimal;
  readonly exclusive: boolean;
  readonly keyword: string;
}

type NumberNode = Pick<SchemaNode, 'integer' | 'number'>;

/** Decimal places between the largest and the smallest number that is computed with. */
const maxSpread = 5000;

/** The keyword because of which no number satisfies all the nodes; null where one does. */
export function findNumberConflict(nodes: readonly NumberNode[]): string | null {
  const lower = tightest(nodes, 'minimum');
  const upper = tightest(nodes, 'maximum');
  if (lower !== null && upper !== null) {
    const order = compareDecimals(lower.value, upper.value);
    if (order > 0) return lower.keyword;
    if (order === 0 && lower.exclusive) return lower.keyword;
    if (order === 0 && upper.exclusive) return upper.keyword;
  }
  const steps = nodes.flatMap((node) => node.number?.multipleOf ?? []).map(readDecimal);
  const all = nodes.some((node) => node.integer) ? [...steps, readDecimal('1')] : steps;
  if (all.length === 0 || lower === null || upper === null) return null;
  if (hasMultiple(lower, upper, all)) return null;
  return steps.length > 0 ? 'multipleOf' : lower.keyword;
}

function tightest(nodes: readonly NumberNode[], side: 'minimum' | 'maximum'): Limit | null {
  const sign = side === 'minimum' ? 1 : -1;
  let best: Limit | null = null;
  for (const { number } of nodes) {
    const bound = number?.[side] ?? null;
    if (bound === null) continue;
    const keyword = bound.exclusive ? side.replace('m', 'exclusiveM') : side;
    const limit = { value: readDecimal(bound.value), exclusive: bound.exclusive, keyword };
    const order = best === null ? 1 : compareDecimals(limit.value, best.value) * sign;
    if (order > 0 || (order === 0 && limit.exclusive)) best = limit;
  }
  return best;
}

function hasMultiple(lower: Limit, upper: Limit, steps: readonly Decimal[]): boolean {
  const numbers = [lower.value, upper.value, ...steps];
  const least = Math.min(...numbers.map((one) => one.exponent));
  const most = Math.max(...numbers.map((one) => one.exponent + one.digits.length));
  if (most - least > maxSpread) return true;
  const scaled = (one: Decimal): bigint => {
    const size = BigInt(one.digits === '' ? '0' : one.digits) * 10n ** BigInt(one.exponent - least);
    return one.negative ? -size : size;
  };
  const step = steps.map(scaled).reduce((a, b) => (a / divisor(a, b)) * b);
  const low = scaled(lower.value);
  const first = low + (((-low % step) + step) % step);
  const candidate = lower.exclusive && first === low ? first + step : first;
  const high = scaled(upper.value);
  return upper.exclusive ? candidate < high : candidate <= high;
}

function divisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
