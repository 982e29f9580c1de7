/**
 * Where and why a text is not JSON. The runtime's own parser often leaves the position out and
 * quotes the text, which may hold a prompt; this one says the position and never quotes. Used by
 * `json.ts` only, after the fast parser has failed, and for the bound on nesting.
 */

export interface SyntaxProblem {
  /** Index in UTF-16 units, from 0; the text's length when it ends too early. */
  readonly position: number;
  /** A noun phrase without the position: `expected "," or "}"`. */
  readonly message: string;
}

const quote = 0x22;
const backslash = 0x5c;

/** The index of the quote that closes a string begun before `from`, or the text's length. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The position where brackets nest deeper than `limit`, or null. Linear, and jumps over strings. */
export function nestedBeyond(text: string, limit: number): number | null {
  if (text.length <= limit) return null;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = closingQuote(text, at + 1);
    // 0x5b and 0x7b open, 0x5d and 0x7d close: braces and brackets differ by one bit.
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > limit) return at;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return null;
}

type State = 'value' | 'first-element' | 'first-key' | 'key' | 'colon' | 'after' | 'end';

const expectations: Record<State, string> = {
  value: 'expected a value',
  'first-element': 'expected a value or "]"',
  'first-key': 'expected a field name in double quotes, or "}"',
  key: 'expected a field name in double quotes',
  colon: 'expected ":" after the field name',
  after: 'expected ","',
  end: 'expected the end of the text',
};

interface Cursor {
  readonly text: string;
  at: number;
  state: State;
  /** The closing brackets that are still owed. */
  readonly open: string[];
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const space = /[ \t\n\r]*/y;

/** The first syntax error of a text that JSON.parse refuses. */
export function findSyntaxError(text: string): SyntaxProblem {
  const cursor: Cursor = { text, at: 0, state: 'value', open: [] };
  for (;;) {
    space.lastIndex = cursor.at;
    cursor.at += space.exec(text)?.[0].length ?? 0;
    const problem = step(cursor);
    if (problem !== null) return problem;
  }
}

function unexpected(cursor: Cursor): SyntaxProblem {
  const owed = cursor.open.at(-1);
  const wanted =
    cursor.state === 'after' && owed !== undefined
      ? `${expectations.after} or "${owed}"`
      : expectations[cursor.state];
  if (cursor.at < cursor.text.length) return { position: cursor.at, message: wanted };
  return { position: cursor.at, message: `the text ends too early: ${wanted}` };
}

/** Reads one token; null as long as all is well. */
function step(cursor: Cursor): SyntaxProblem | null {
  const { text, state, open } = cursor;
  const char = text[cursor.at];
  if (state === 'end' || char === undefined) return unexpected(cursor);
  const closes = state !== 'value' && state !== 'key' && state !== 'colon' && char === open.at(-1);
  if (closes) {
    open.pop();
    return advance(cursor, 1, open.length === 0 ? 'end' : 'after');
  }
  switch (state) {
    case 'first-key':
    case 'key':
      return char === '"' ? readString(cursor, 'colon') : unexpected(cursor);
    case 'colon':
      return char === ':' ? advance(cursor, 1, 'value') : unexpected(cursor);
    case 'after':
      if (char !== ',') return unexpected(cursor);
      return advance(cursor, 1, open.at(-1) === '}' ? 'key' : 'value');
    default:
      return readValue(cursor, char);
  }
}

function advance(cursor: Cursor, length: number, state: State): null {
  cursor.at += length;
  cursor.state = state;
  return null;
}

function readValue(cursor: Cursor, char: string): SyntaxProblem | null {
  const next: State = cursor.open.length === 0 ? 'end' : 'after';
  if (char === '"') return readString(cursor, next);
  if (char === '{' || char === '[') {
    cursor.open.push(char === '{' ? '}' : ']');
    return advance(cursor, 1, char === '{' ? 'first-key' : 'first-element');
  }
  scalar.lastIndex = cursor.at;
  const found = scalar.exec(cursor.text);
  return found === null ? unexpected(cursor) : advance(cursor, found[0].length, next);
}

const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function readString(cursor: Cursor, next: State): SyntaxProblem | null {
  const { text } = cursor;
  const end = closingQuote(text, cursor.at + 1);
  for (let at = cursor.at + 1; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20) {
      return { position: at, message: 'a control character in a string must be escaped' };
    }
    if (code !== backslash) continue;
    escape.lastIndex = at;
    const found = escape.exec(text);
    if (found === null) return { position: at, message: 'a string has an escape that JSON lacks' };
    at += found[0].length - 1;
  }
  if (end === text.length) return { position: end, message: 'a string is never closed' };
  return advance(cursor, end + 1 - cursor.at, next);
}
