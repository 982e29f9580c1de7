/**
 * Finds stop strings in text that arrives in pieces, and says how much of its tail could still become
 * one. Called by the text assembler. Pure: Knuth, Morris and Pratt (1977), one automaton a stop
 * string, so the cost is per character and stop string, whatever their lengths.
 */

export interface StopTable {
  readonly stops: readonly StopPattern[];
}

interface StopPattern {
  readonly text: string;
  /** [q]: length of the longest proper prefix that is also a suffix of the first q units. */
  readonly fallback: Uint32Array;
}

/** For each stop string, how many of its first units the text so far ends with. */
export type StopPositions = readonly number[];

export interface StopStep {
  readonly positions: StopPositions;
  /** UTF-16 units at the end of the text that are the beginning of some stop string. */
  readonly pending: number;
  readonly match: StopMatch | null;
}

export interface StopMatch {
  readonly stop: string;
  /** Where the match ends, in units from the start of this piece of text. */
  readonly end: number;
}

/**
 * Prepares stop strings. Empty ones are left out, and so are those with half a surrogate pair:
 * generated text never contains one, and a match inside a pair would cut a character in two.
 */
export function compileStops(stops: readonly string[]): StopTable {
  const usable = stops.filter((stop) => stop.length > 0 && stop.isWellFormed());
  return { stops: usable.map((text) => ({ text, fallback: fallbackOf(text) })) };
}

export function initialPositions(table: StopTable): StopPositions {
  return table.stops.map(() => 0);
}

/**
 * Reads one piece of text. The match is the one that ends first; of those that end together, the one
 * that begins first; of equals, the first in the list. With `accept` false a stop string that ends in
 * this piece does not count, but one that begins in it may end later.
 */
export function stepStops(
  table: StopTable,
  positions: StopPositions,
  piece: { readonly text: string; readonly accept: boolean },
): StopStep {
  const next = positions.slice();
  const { text, accept } = piece;
  for (let at = 0; at < text.length; at++) {
    const match = advance(table, next, text.charCodeAt(at));
    if (accept && match !== null) {
      return { positions: next, pending: 0, match: { stop: match, end: at + 1 } };
    }
  }
  return {
    positions: next,
    pending: next.reduce((most, at) => Math.max(most, at), 0),
    match: null,
  };
}

/** Moves all automata by one unit; returns the longest stop string that ends here. */
function advance(table: StopTable, positions: number[], unit: number): string | null {
  let longest: string | null = null;
  for (let index = 0; index < positions.length; index++) {
    const { text, fallback } = table.stops[index] as StopPattern;
    let at = positions[index] ?? 0;
    while (at > 0 && text.charCodeAt(at) !== unit) at = fallback[at] ?? 0;
    if (text.charCodeAt(at) === unit) at++;
    if (at === text.length) {
      if (longest === null || text.length > longest.length) longest = text;
      at = fallback[at] ?? 0;
    }
    positions[index] = at;
  }
  return longest;
}

function fallbackOf(text: string): Uint32Array {
  const fallback = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(length) !== text.charCodeAt(at)) {
      length = fallback[length] as number;
    }
    if (text.charCodeAt(length) === text.charCodeAt(at)) length++;
    fallback[at + 1] = length;
  }
  return fallback;
}
