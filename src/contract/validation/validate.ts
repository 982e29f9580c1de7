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
  /** JSON paths of the unknown fields that were left out because the caller asked for it. */
  readonly dropped: readonly string[];
}

/** With `dropUnknown` unknown fields are deleted from the body itself, which is then the value. */
export type Validator<T> = (body: unknown, dropUnknown?: boolean) => Validated<T>;

/** So many problems are counted (and so many unknown fields dropped); beyond that it says "more". */
const countLimit = 1000;

/** So many issues are searched for nulls that mean absent. */
const absentLimit = 20_000;

/** A validator for one schema; the schema is compiled once. */
export function createValidator<S extends TSchema>(schema: S): Validator<Static<S>> {
  const compiled = Compile(schema);
  return (body, dropUnknown = false) => {
    if (compiled.Check(body)) return { value: body, dropped: [] };
    roundLongNumbers(schema, body);
    removeAbsent(schema, body);
    if (compiled.Check(body)) return { value: body, dropped: [] };
    const issues = explain(schema, body)
      .take(countLimit + 1)
      .toArray();
    if (!dropUnknown) throw toError(issues);
    const unknown = issues.filter((issue) => issue.kind === 'unknown').slice(0, countLimit);
    for (const { holder, key } of unknown) Reflect.deleteProperty(holder, key);
    if (!compiled.Check(body))
      throw toError(issues.filter((issue) => !unknown.includes(issue as never)));
    return { value: body, dropped: unknown.map((issue) => issue.path) };
  };
}

/**
 * Long integers arrive as BigInt, which is what a seed or an ID needs. In a field that takes any
 * number (`repetition_penalty`, `top_k`) they are the number that the same digits mean elsewhere.
 */
function roundLongNumbers(schema: TSchema, body: unknown): void {
  const { properties } = schema as { properties?: Readonly<Record<string, TSchema>> };
  if (typeof body !== 'object' || body === null || properties === undefined) return;
  const fields = body as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (typeof value !== 'bigint' || field === undefined || matches(field, value)) continue;
    if (matches(field, Number(value))) fields[name] = Number(value);
  }
}

/** Deletes nulls that stand for a field which only other kinds of the same object have. */
function removeAbsent(schema: TSchema, body: unknown): void {
  const absent = explain(schema, body)
    .take(absentLimit)
    .filter((issue) => issue.kind === 'absent')
    .toArray();
  for (const { holder, key } of absent) Reflect.deleteProperty(holder, key);
}

const matches = (schema: TSchema, value: unknown): boolean =>
  explain(schema, value).next().done === true;

const reasons = {
  missing: 'missing_field',
  unknown: 'unknown_field',
  absent: 'unknown_field',
  invalid: 'invalid_value',
} as const;

/** The first issue in full, and how many others there are. */
function toError(issues: readonly Issue[]): ParlanceError {
  const [first] = issues;
  if (first === undefined) {
    return new ParlanceError('invalid_value', 'The body does not match the contract.');
  }
  const words = first.kind === 'invalid' ? `: ${first.message}` : ` ${first.message}`;
  return new ParlanceError(
    reasons[first.kind],
    `${first.path || 'The body'}${words}${countOf(issues.length - 1)}`,
    { param: first.path },
  );
}

function countOf(others: number): string {
  if (others === 0) return '';
  if (others >= countLimit) return ` (and at least ${countLimit} other problems)`;
  return ` (and ${others} other problem${others === 1 ? '' : 's'})`;
}
