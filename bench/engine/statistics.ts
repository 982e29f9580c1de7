/** Medians, percentiles and spreads of measured values. Pure. */

/** The value at this share (0..1) of the sorted values, nearest rank; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[sorted.length / 2 - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of the quotients of values of the same run. */
export function medianRatio(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, run) => value / (base[run] ?? Number.NaN)));
}
