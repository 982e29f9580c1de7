/**
 * The little language in which families of formats write their tags: literal text with places for a name, an
 * id, a key. One pattern is read leniently (whitespace may be more, less or none) and written exactly. Pure.
 *
 * `«name»`, `«id»`, `«index»`, `«key»`, `«type»`, `«word»`: something of that class. `«?text»`: may be absent (it is not
 * written). `«lf»`: a line break that must be there. `«{»`: JSON follows, which is not part of the match. `«nl»`: nothing or a line break, whichever the model prefers.
 */

export type Place = 'name' | 'id' | 'index' | 'key' | 'type' | 'word';

type Item =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'space'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'optional'; readonly text: string }
  | { readonly kind: 'peek'; readonly text: string }
  | { readonly kind: 'place'; readonly place: Place };

export interface Pattern {
  readonly source: string;
  readonly items: readonly Item[];
}

export type Captures = Partial<Readonly<Record<Place, string>>>;

export type Match =
  | { readonly found: 'yes'; readonly end: number; readonly captures: Captures }
  /** What is there so far fits, but it ends too early. */
  | { readonly found: 'more' }
  | { readonly found: 'no' };

const classes: Readonly<Record<Place, RegExp>> = {
  name: /[^\s<>{}[\]()"'`=|｜:,;\\]*/y,
  id: /[\w.:-]*/y,
  index: /\d*/y,
  key: /(?!\/)[^<>"\n]*/y,
  type: /[a-z_]*/y,
  word: /[a-z_]*/y,
};

const longestPlace = 256;

const no: Match = { found: 'no' };
const more: Match = { found: 'more' };

export function compilePattern(source: string): Pattern {
  const items: Item[] = [];
  for (const part of source.split(/(«[^»]*»|\s+)/)) {
    if (part !== '') items.push(itemOf(part));
  }
  return { source, items };
}

function itemOf(part: string): Item {
  if (/^\s/.test(part)) return { kind: 'space', text: part };
  if (!part.startsWith('«')) return { kind: 'literal', text: part };
  const inner = part.slice(1, -1);
  if (inner === 'lf') return { kind: 'break' };
  if (inner === 'nl') return { kind: 'space', text: '' };
  if (inner.startsWith('?')) return { kind: 'optional', text: inner.slice(1) };
  if (inner === '{') return { kind: 'peek', text: '{"' };
  return { kind: 'place', place: inner as Place };
}

/** Matches the pattern at `from`; `final`: nothing follows the text. */
export function matchPattern(pattern: Pattern, text: string, from: number, final: boolean): Match {
  const captures: Partial<Record<Place, string>> = {};
  let at = from;
  for (const item of pattern.items) {
    if (item.kind === 'place') {
      const word = wordAt(classes[item.place], text, at);
      if (word.length > longestPlace || (word === '' && at < text.length)) return no;
      if (at + word.length === text.length && !final) return more;
      captures[item.place] = word;
      at += word.length;
    } else if (item.kind === 'space') {
      at = skipSpace(text, at);
    } else if (item.kind === 'peek') {
      const next = skipSpace(text, at);
      if (next === text.length) return final ? { found: 'yes', end: at, captures } : more;
      if (!item.text.includes(text.charAt(next))) return no;
    } else {
      const wanted = item.kind === 'break' ? '\n' : item.text;
      if (text.startsWith(wanted, at)) at += wanted.length;
      else if (wanted.startsWith(text.slice(at))) return more;
      else if (item.kind !== 'optional') return no;
    }
  }
  return { found: 'yes', end: at, captures };
}

function wordAt(allowed: RegExp, text: string, at: number): string {
  allowed.lastIndex = at;
  return allowed.exec(text)?.[0] ?? '';
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}

/** The first of the patterns that matches here, in their order: one that may still match comes first. */
export function firstMatch<T extends { readonly pattern: Pattern }>(
  candidates: readonly T[],
  text: string,
  at: number,
  final: boolean,
): { readonly match: Match; readonly candidate: T | null } {
  let open = false;
  for (const candidate of candidates) {
    const match = matchPattern(candidate.pattern, text, at, final);
    if (match.found === 'yes') return { match, candidate };
    if (match.found === 'more') {
      if (!final) return { match, candidate: null };
      open = true;
    }
  }
  return { match: open ? more : no, candidate: null };
}

/** Characters with which a text that matches may begin, whitespace left out. */
export function firstCharacters(pattern: Pattern): string {
  let found = '';
  for (const item of pattern.items) {
    if (item.kind === 'literal') return found + item.text.charAt(0);
    if (item.kind === 'optional') found += item.text.charAt(0);
    if (item.kind === 'place') return found;
  }
  return found;
}

/** Whether it begins with something that tells it from ordinary text. */
export function hasLead(pattern: Pattern): boolean {
  return pattern.items[0]?.kind === 'literal' || pattern.items[0]?.kind === 'optional';
}

/** Pieces of the pattern as it is written: texts, and places that the writer fills. */
export function writtenPieces(
  pattern: Pattern,
): readonly (string | { readonly place: Place } | null)[] {
  const pieces: (string | { readonly place: Place } | null)[] = [];
  for (const item of pattern.items) {
    if (item.kind === 'place') pieces.push({ place: item.place });
    else if (item.kind === 'break') pieces.push('\n');
    else if (item.kind === 'space' && item.text === '') pieces.push(null);
    else if (item.kind === 'literal' || item.kind === 'space') pieces.push(item.text);
  }
  return pieces;
}
