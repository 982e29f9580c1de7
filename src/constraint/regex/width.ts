/** How many characters terms take, from how many their parts take. Pure arithmetic. */

import type { Width } from './term.ts';

export const zeroWidth: Width = { min: 0, max: 0, dense: true };
export const oneWide: Width = { min: 1, max: 1, dense: true };
export const anyWidth: Width = { min: 0, max: Infinity, dense: true };
export const unknownWidth: Width = { min: 0, max: Infinity, dense: false };

export function sumOf(a: Width, b: Width): Width {
  return {
    min: a.min + b.min,
    max: a.max + b.max,
    dense: (a.dense && b.dense) || isUpwards(a) || isUpwards(b),
  };
}

/** All numbers: whatever is added, all from the sum of the least on occur. */
function isUpwards(width: Width): boolean {
  return width.dense && width.min === 0 && width.max === Infinity;
}

export function unionOf(widths: readonly Width[]): Width {
  const min = widths.reduce((least, width) => Math.min(least, width.min), Infinity);
  const max = widths.reduce((most, width) => Math.max(most, width.max), 0);
  if (widths.some((width) => !width.dense)) return { min, max, dense: false };
  const sorted = widths.toSorted((a, b) => a.min - b.min);
  let reach = min;
  for (const width of sorted) {
    if (width.min > reach + 1) return { min, max, dense: false };
    reach = Math.max(reach, width.max);
  }
  return { min, max, dense: true };
}

/** Bounds only: the numbers that several have in common need not be what they have in common. */
export function commonOf(widths: readonly Width[]): Width {
  const min = widths.reduce((most, width) => Math.max(most, width.min), 0);
  const max = widths.reduce((least, width) => Math.min(least, width.max), Infinity);
  return { min, max, dense: false };
}

/** `body` from `least` to `most` times. */
export function repeated(body: Width, least: number, most: number): Width {
  const min = body.min * least;
  const max = most === 0 || body.max === 0 ? 0 : body.max * most;
  return { min, max, dense: least === most ? body.dense : body.dense && joins(body, least) };
}

/**
 * Whether k and k + 1 times `body` leave no number out between them, for each k from `least` on: k times
 * the greatest, and one, reaches k + 1 times the least.
 */
export function joins(body: Width, least: number): boolean {
  const reach = least === 0 || body.max === 0 ? 0 : body.max * least;
  return body.dense && body.min * (least + 1) <= reach + 1;
}
