/**
 * From a parsed body to a valid wire request. The compiled check is the hot path; the words for
 * what is wrong are made only when it fails.
 */

import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ParlanceError } from '../errors.ts';
import { explain, type Issue } from './explain.ts';

export interface Validated<T> {
  readonly value: T;
  /** Unknown top-level fields that were left out because the caller asked for it. */
  readonly dropped: readonly string[];
}

export type Validator<T> = (body: unknown, dropUnknown?: boolean) => Validated<T>;

/** A validator for one schema; the schema is compiled once. */
export function createValidator<S extends TSchema>(schema: S): Validator<Static<S>> {
  const compiled = Compile(schema);
  return (body, dropUnknown = false) => {
    if (compiled.Check(body)) return { value: body, dropped: [] };
    const issues = explain(schema, body);
    const unknown = issues.filter((issue) => issue.kind === 'unknown' && !issue.path.includes('.'));
    if (dropUnknown && unknown.length > 0 && unknown.length === issues.length) {
      const dropped = unknown.map((issue) => issue.path);
      return { value: without(body as object, dropped) as Static<S>, dropped };
    }
    throw toError(issues);
  };
}

function without(body: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !fields.includes(key)));
}

const reasons = {
  missing: 'missing_field',
  unknown: 'unknown_field',
  invalid: 'invalid_value',
} as const;

/** The first issue in full, and how many others there are. */
function toError(issues: readonly Issue[]): ParlanceError {
  const [first] = issues;
  if (first === undefined) {
    return new ParlanceError('invalid_value', 'The body does not match the contract.');
  }
  const others = issues.length - 1;
  const rest = others === 0 ? '' : ` (and ${others} other problem${others === 1 ? '' : 's'})`;
  const words = first.kind === 'invalid' ? `: ${first.message}` : ` ${first.message}`;
  return new ParlanceError(reasons[first.kind], `${first.path || 'The body'}${words}${rest}`, {
    param: first.path,
  });
}
