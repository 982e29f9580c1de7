/**
 * The top-level entries of a JSON object as spans of its own text. Edits made by span keep every
 * byte that was not meant: number spelling, key order inside values, integers beyond 2^53. The
 * text must be valid JSON (a client's body that was parsed, or an upstream's answer that is).
 */

export interface JsonEntry {
  readonly key: string;
  /** From the key's opening quote to the end of the value, end exclusive. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COMMA = 44;
const COLON = 58;

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

function skipSpace(text: string, at: number): number {
  let position = at;
  while (isSpace(text.charCodeAt(position))) position += 1;
  return position;
}

/** Position after the closing quote of the string that opens at `at`. */
function skipString(text: string, at: number): number {
  let position = at + 1;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) return position + 1;
    position += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

function skipNested(text: string, at: number): number {
  let depth = 0;
  let position = at;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = skipString(text, position);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    position += 1;
    if (depth === 0) return position;
  }
  return text.length;
}

function skipScalar(text: string, at: number): number {
  let position = at;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)) break;
    position += 1;
  }
  return position;
}

function skipValue(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return skipString(text, at);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return skipNested(text, at);
  return skipScalar(text, at);
}

/** The entries of the object that `text` is, in order; nothing when it is not an object. */
export function jsonEntries(text: string): JsonEntry[] {
  const entries: JsonEntry[] = [];
  let position = skipSpace(text, 0);
  if (text.charCodeAt(position) !== OPEN_BRACE) return entries;
  position = skipSpace(text, position + 1);
  while (text.charCodeAt(position) === QUOTE) {
    const start = position;
    const keyEnd = skipString(text, start);
    const colon = skipSpace(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) return entries;
    const valueStart = skipSpace(text, colon + 1);
    const end = skipValue(text, valueStart);
    entries.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, valueStart, end });
    position = skipSpace(text, end);
    if (text.charCodeAt(position) === COMMA) position = skipSpace(text, position + 1);
  }
  return entries;
}

/** Key to new JSON text; `null` takes the entry out. Keys that are not there are added at the end. */
export type JsonEdits = ReadonlyMap<string, string | null>;

/** The same object with these entries changed and all others to the byte as they were. */
export function editJson(text: string, edits: JsonEdits): string {
  const last = new Map(jsonEntries(text).map((entry) => [entry.key, entry]));
  const parts: string[] = [];
  for (const [key, entry] of last) {
    const edit = edits.get(key);
    if (edit === undefined) parts.push(text.slice(entry.start, entry.end));
    else if (edit !== null) parts.push(`${text.slice(entry.start, entry.valueStart)}${edit}`);
  }
  for (const [key, edit] of edits) {
    if (edit !== null && !last.has(key)) parts.push(`${JSON.stringify(key)}:${edit}`);
  }
  return `{${parts.join(',')}}`;
}

/** The JSON text of one entry's value, or null when it is absent or null. */
export function jsonValue(text: string, entries: readonly JsonEntry[], key: string): string | null {
  const entry = entries.findLast((one) => one.key === key);
  if (entry === undefined) return null;
  const value = text.slice(entry.valueStart, entry.end);
  return value === 'null' ? null : value;
}
