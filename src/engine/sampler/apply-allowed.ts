/**
 * Puts a constraint's mask on a row of logits: what it does not allow becomes impossible. Called by the
 * sampler on its own copy of a row.
 */

import type { Allowed } from './sampler.ts';

const all = 0xff_ff_ff_ff;

/** Edits `row` in place. Costs O(vocabulary / 32 + tokens banned). */
export function applyAllowed(row: Float32Array, { mask, except }: Allowed): void {
  const words = Math.ceil(row.length / 32);
  for (let word = 0; word < words; word += 1) {
    const bits = mask[word] ?? 0;
    if (bits === all) continue;
    const first = word * 32;
    if (bits === 0) row.fill(-Infinity, first, first + 32);
    else banClear(row, first, bits);
  }
  for (const id of except ?? []) row[id] = -Infinity;
}

function banClear(row: Float32Array, first: number, bits: number): void {
  const count = Math.min(32, row.length - first);
  for (let bit = 0; bit < count; bit += 1) {
    if (((bits >>> bit) & 1) === 0) row[first + bit] = -Infinity;
  }
}
