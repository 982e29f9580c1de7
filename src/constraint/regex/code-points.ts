/**
 * Sets of code points as sorted ranges, and the sets that regexes name: \d, \w, \s, `.`, Unicode
 * properties. The parser makes them, the alphabet cuts them into classes. Surrogates belong to no set:
 * a text of characters has none.
 */

/** Low and high ends in turn, ascending, neither overlapping nor adjacent. */
export type Ranges = readonly number[];

export const lastCodePoint = 0x10ffff;

export const anything: Ranges = [0, 0xd7ff, 0xe000, lastCodePoint];

/** The same set in normal form, without surrogates. */
export function rangesOf(pairs: readonly number[]): Ranges {
  const sorted: [number, number][] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const low = pairs[i]!;
    const high = pairs[i + 1]!;
    if (low < 0xd800) sorted.push([low, Math.min(high, 0xd7ff)]);
    if (high > 0xdfff) sorted.push([Math.max(low, 0xe000), high]);
  }
  sorted.sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [low, high] of sorted) {
    const end = out.at(-1);
    if (end !== undefined && low <= end + 1) {
      if (high > end) out[out.length - 1] = high;
    } else out.push(low, high);
  }
  return out;
}

export function union(...sets: readonly Ranges[]): Ranges {
  return sets.length === 1 ? sets[0]! : rangesOf(sets.flat());
}

export function complement(set: Ranges): Ranges {
  const out: number[] = [];
  let from = 0;
  for (let i = 0; i < set.length; i += 2) {
    if (set[i]! > from) out.push(from, set[i]! - 1);
    from = set[i + 1]! + 1;
  }
  if (from <= lastCodePoint) out.push(from, lastCodePoint);
  return rangesOf(out);
}

export function intersection(a: Ranges, b: Ranges): Ranges {
  return complement(union(complement(a), complement(b)));
}

export function single(codePoint: number): Ranges {
  return rangesOf([codePoint, codePoint]);
}

export const digits: Ranges = [0x30, 0x39];
export const wordCharacters: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** WhiteSpace and LineTerminator of ECMA-262. */
export const spaces: Ranges = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f,
  0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
];
export const lineTerminators: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];
export const notLineTerminators: Ranges = complement(lineTerminators);

let everyCharacter: string | null = null;

/** All code points but the surrogates, in order. */
function allCharacters(): string {
  if (everyCharacter !== null) return everyCharacter;
  const pieces: string[] = [];
  for (let block = 0; block <= lastCodePoint; block += 0x800) {
    if (block === 0xd800) continue;
    pieces.push(String.fromCodePoint(...Array.from({ length: 0x800 }, (_, i) => block + i)));
  }
  everyCharacter = pieces.join('');
  return everyCharacter;
}

const properties = new Map<string, Ranges | null>();

/**
 * The characters with a Unicode property, as this JavaScript engine knows it: `L`, `Script=Greek`,
 * `Greek`. null: there is no such property.
 */
export function unicodeProperty(name: string): Ranges | null {
  const known = properties.get(name);
  if (known !== undefined) return known;
  if (properties.size > 200) properties.clear();
  const found = readProperty(name) ?? (name.includes('=') ? null : readProperty(`Script=${name}`));
  properties.set(name, found);
  return found;
}

function readProperty(name: string): Ranges | null {
  if (!/^\w+(?:=\w+)?$/.test(name)) return null;
  let regex: RegExp;
  try {
    regex = new RegExp(`\\p{${name}}+`, 'gu');
  } catch {
    return null;
  }
  const pairs: number[] = [];
  for (const [run] of allCharacters().matchAll(regex)) addRun(run, pairs);
  return rangesOf(pairs);
}

/** A run may step over the gap of the surrogates; nothing else interrupts it. */
function addRun(run: string, pairs: number[]): void {
  const first = run.codePointAt(0)!;
  const tail = run.charCodeAt(run.length - 1);
  const isLow = tail >= 0xdc00 && tail <= 0xdfff;
  pairs.push(first, run.codePointAt(run.length - (isLow ? 2 : 1))!);
}
