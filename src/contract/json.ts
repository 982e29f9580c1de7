/**
 * Reading JSON bodies: errors with line and column, a bound on nesting, and integers beyond 2^53
 * read exactly from the source text (as BigInt) so that a 64-bit seed or an ID never changes on its
 * way. The words for what is wrong with a text are in `json-syntax.ts`.
 */

import { ParlanceError } from './errors.ts';
import { findSyntaxError, nestedBeyond } from './json-syntax.ts';

const longDigits = /\d{16}/;
const integer = /^-?\d+$/;

/** Deeper values than this are refused, so that no recursion over a body can exhaust the stack. */
export const maxNesting = 512;

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
  return `line ${line}, column ${column} (position ${position})`;
}

function invalidJson(text: string): ParlanceError {
  if (text.trim() === '')
    return new ParlanceError('invalid_json', 'The body is empty; send a JSON object.');
  const { position, message } = findSyntaxError(text);
  return new ParlanceError(
    'invalid_json',
    `The body is not JSON: ${message} at ${place(text, position)}.`,
  );
}

/** @throws ParlanceError `invalid_json` with the position. */
export function parseJson(text: string): unknown {
  const tooDeep = nestedBeyond(text, maxNesting);
  if (tooDeep !== null) {
    throw new ParlanceError(
      'invalid_json',
      `The body is nested deeper than ${maxNesting} levels at ${place(text, tooDeep)}.`,
    );
  }
  try {
    if (!longDigits.test(text)) return JSON.parse(text) as unknown;
    return JSON.parse(text, exactIntegers) as unknown;
  } catch {
    throw invalidJson(text);
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
