/** Did-you-mean: the nearest of the known words, if one is near enough to be meant. */

/** Damerau-Levenshtein distance (adjacent swaps count one), restricted form. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(
        at(rows, i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        at(rows, i - 1, j - 1) + cost,
      );
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, at(rows, i - 2, j - 2) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The known word that was probably meant, or null. Words over 64 characters are not looked at. */
export function suggest(word: string, known: Iterable<string>): string | null {
  if (word.length > 64) return null;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 0.5;
  for (const candidate of known) {
    const found =
      plain(candidate) === plain(word) ? 0 : distance(word.toLowerCase(), candidate.toLowerCase());
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** ` (did you mean "x"?)`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = suggest(word, known);
  return found === null ? '' : ` (did you mean "${found}"?)`;
}
