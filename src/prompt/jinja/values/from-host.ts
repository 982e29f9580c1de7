/**
 * What our own code hands to a template, as values of the template: objects and maps become
 * dictionaries of their own keys, whole numbers integers. Nothing else of an object comes along.
 */

import { TemplateFailure } from './failure.ts';
import { PyDict, PyFloat, type Value } from './value.ts';

const maxDepth = 600;

/** @throws TemplateFailure LimitError for what is nested too deeply */
export function fromHost(given: unknown, depth = 0): Value {
  switch (typeof given) {
    case 'string':
    case 'boolean':
      return given;
    case 'number':
      return Number.isSafeInteger(given) && !Object.is(given, -0) ? given : fromNumber(given);
    case 'bigint':
      return given;
    case 'object':
      break;
    default:
      return null;
  }
  if (given === null) return null;
  // What was read from JSON text is in order already.
  if (given instanceof PyDict || given instanceof PyFloat) return given;
  if (depth > maxDepth) {
    throw new TemplateFailure('LimitError', 'the context of the template is nested too deeply');
  }
  if (Array.isArray(given)) return given.map((item) => fromHost(item, depth + 1));
  const dict = new PyDict();
  const entries = given instanceof Map ? given.entries() : Object.entries(given);
  for (const [key, value] of entries as Iterable<[unknown, unknown]>) {
    if (value !== undefined) dict.set(fromHost(key, depth + 1), fromHost(value, depth + 1));
  }
  return dict;
}

/** A whole number beyond 2^53 was written without a point nearly always; JSON does not tell. */
const fromNumber = (value: number): Value => new PyFloat(value);

/** What a template is rendered with: names and what they hold. */
export type HostContext = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

export function contextFromHost(context: HostContext): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [name, value] of context instanceof Map ? context : Object.entries(context)) {
    if (value !== undefined) values.set(name, fromHost(value));
  }
  return values;
}
