/**
 * A value of a request as its author wrote it: spelling of numbers and order of keys, which parsing loses,
 * count in schemas. Called for texts that have been parsed, so it checks nothing.
 */

/**
 * The source text of the value at `path`, or null where there is none. Of members with the same name the
 * last one counts, as for `JSON.parse`.
 */
export function sourceTextAt(text: string, path: readonly (string | number)[]): string | null {
  let from = skipSpace(text, 0);
  for (const key of path) {
    const found = text[from] === '{' ? findMember(text, from, key) : findItem(text, from, key);
    if (found === null) return null;
    from = found;
  }
  return text.slice(from, skipValue(text, from));
}

/** The source texts of all items of the list at `path`, read once; none where there is no list. */
export function sourceItemsAt(text: string, path: readonly (string | number)[]): readonly string[] {
  const list = sourceTextAt(text, path) ?? '';
  const items: string[] = [];
  if (list[0] !== '[') return items;
  for (let at = skipSpace(list, 1); at < list.length && list[at] !== ']';) {
    const end = skipValue(list, at);
    items.push(list.slice(at, end));
    at = nextEntry(list, end);
  }
  return items;
}

function findMember(text: string, open: number, name: string | number): number | null {
  let found: number | null = null;
  let at = skipSpace(text, open + 1);
  while (text[at] === '"') {
    const end = skipString(text, at);
    const key = JSON.parse(text.slice(at, end)) as string;
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (key === name) found = value;
    at = nextEntry(text, skipValue(text, value));
  }
  return found;
}

function findItem(text: string, open: number, wanted: string | number): number | null {
  if (text[open] !== '[') return null;
  let at = skipSpace(text, open + 1);
  for (let index = 0; at < text.length && text[at] !== ']'; index += 1) {
    if (index === wanted) return at;
    at = nextEntry(text, skipValue(text, at));
  }
  return null;
}

/** Behind the comma, or at the bracket that closes. */
function nextEntry(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

const space = /[ \t\n\r]*/y;
const scalar = /[^\s,\]}]*/y;

function skipSpace(text: string, from: number): number {
  space.lastIndex = from;
  return from + (space.exec(text)?.[0].length ?? 0);
}

function skipString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function skipValue(text: string, from: number): number {
  if (text[from] === '"') return skipString(text, from);
  if (text[from] !== '{' && text[from] !== '[') {
    scalar.lastIndex = from;
    return from + (scalar.exec(text)?.[0].length ?? 0);
  }
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = skipString(text, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
