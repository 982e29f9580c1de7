/**
 * The k-th largest of some values: a floor above which at least k tokens lie when the values are the
 * largest of blocks of tokens. Called by the filters and the log-probabilities. Pure.
 */

/** The `count`-th largest of the first `length` values (count <= length). */
export function leastOfBest(values: Float32Array, length: number, count: number): number {
  // Ascending, so that the one to beat is the first.
  const best = new Float32Array(count).fill(-Infinity);
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    if (value <= (best[0] as number)) continue;
    let place = 1;
    while (place < count && (best[place] as number) < value) {
      best[place - 1] = best[place] as number;
      place++;
    }
    best[place - 1] = value;
  }
  return best[0] as number;
}
