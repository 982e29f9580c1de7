/**
 * Reading JSON bodies: errors with line and column, and integers beyond 2^53 read exactly from the
 * source text (as BigInt) so that a 64-bit seed or an ID never changes on its way.
 */

import { ParlanceError } from './errors.ts';

const longDigits = /\d{16}/;
const integer = /^-?\d+$/;

interface ReviverContext {
  readonly source?: string;
}

/** Integers that a double cannot hold become BigInt; everything else is as JSON.parse has it. */
function exactIntegers(
  this: unknown,
  _key: string,
  value: unknown,
  context?: ReviverContext,
): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && integer.test(source) ? BigInt(source) : value;
}

/** Line and column, both from 1, of a position in a text. */
function place(text: string, position: number): string {
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return `line ${line}, column ${column}`;
}

function invalidJson(text: string, error: unknown): ParlanceError {
  if (text.trim() === '')
    return new ParlanceError('invalid_json', 'The body is empty; send a JSON object.');
  const words = error instanceof Error ? error.message : 'unreadable';
  const found = /at position (\d+)/.exec(words);
  const position = found === null ? text.length : Number(found[1]);
  // The parser's own message quotes the text, which may hold a prompt: only its first words are kept.
  const what = words.split(/ in JSON|, "|, \.\.\."/)[0] ?? 'unreadable';
  return new ParlanceError(
    'invalid_json',
    `The body is not JSON: ${what} at ${place(text, position)} (position ${position}).`,
  );
}

/** @throws ParlanceError `invalid_json` with the position. */
export function parseJson(text: string): unknown {
  try {
    if (!longDigits.test(text)) return JSON.parse(text) as unknown;
    return JSON.parse(text, exactIntegers) as unknown;
  } catch (error) {
    throw invalidJson(text, error);
  }
}

/** JSON text of a value that may hold BigInt, written as the integers they are. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' ? (JSON as unknown as RawJson).rawJSON(one.toString()) : one,
  );
}

interface RawJson {
  rawJSON(text: string): unknown;
}
