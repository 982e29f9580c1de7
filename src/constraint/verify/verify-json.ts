/**
 * Whether a finished text is JSON that satisfies a schema: our own evaluation and Ajv's, which both
 * must say yes. Runs in the verifier's thread. Patterns take linear time; the rest is bounded by the
 * thread's time limit.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { defaultLimits, TimedBudget } from '../budget.ts';
import type { JsonValue } from '../json/json-value.ts';
import { membersOf } from '../json/members.ts';
import { readJson } from '../json/read-json.ts';
import type { SchemaGraph } from '../json-schema/node.ts';
import { inPlaceWork } from '../json-schema/read/check-in-place.ts';
import { readSchema } from '../json-schema/read-schema.ts';
import { AjvOpinion } from './ajv-opinion.ts';
import { evaluate } from './evaluate.ts';
import type { Failure } from './evaluate.ts';
import { RegexTests } from './text-tests.ts';
import type { Verdict } from './verdict.ts';

/** Ajv visits shared schemas again for each way that leads to them. */
const maxAjvWork = 1_000_000;

/** One schema, ready to judge texts. */
export class JsonVerifier {
  readonly #budget: TimedBudget;
  readonly #graph: SchemaGraph;
  readonly #texts: RegexTests;
  readonly #ajv: AjvOpinion | null;

  /** Throws `invalid_constraint` for schemas that `readSchema` refuses. */
  constructor(schema: string) {
    this.#budget = new TimedBudget(defaultLimits);
    this.#graph = readSchema(schema, this.#budget);
    this.#texts = new RegexTests(this.#budget);
    this.#ajv =
      inPlaceWork(this.#graph.nodes) > maxAjvWork ? null : new AjvOpinion(schema, this.#texts);
  }

  get kept(): number {
    return this.#budget.kept;
  }

  /** It has kept so much of what it met that it is time for a new one. */
  get worn(): boolean {
    return this.#budget.kept > defaultLimits.kept / 2;
  }

  verify(text: string): Verdict {
    this.#budget.renew();
    const value = readText(text);
    if ('ok' in value) return value;
    const failure = evaluateWithin(this.#graph, value, this.#texts);
    if (failure !== null) {
      const where = failure.path === '#' ? 'The value' : `The value at ${failure.path}`;
      return no(`${where} ${failure.words}.`, failure.keyword);
    }
    if (this.#ajv?.of(value) === false) {
      return no('The value does not satisfy the schema in the opinion of Ajv.', 'schema');
    }
    return { ok: true };
  }
}

/** As `new JsonVerifier(schema).verify(text)`. */
export const verifyJson = (schema: string, text: string): Verdict =>
  new JsonVerifier(schema).verify(text);

const no = (reason: string, keyword: string): Verdict => ({ ok: false, reason, keyword });

function evaluateWithin(graph: SchemaGraph, value: JsonValue, texts: RegexTests): Failure | null {
  try {
    return evaluate(graph, value, texts);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { path: '#', keyword: '$ref', words: 'is nested too deeply to be checked' };
  }
}

/** The value, or why the text is not one that everybody reads alike. */
function readText(text: string): JsonValue | Verdict {
  let value: JsonValue;
  try {
    value = readJson(text);
  } catch (error) {
    if (error instanceof ParlanceError) return no(error.message, 'json');
    throw error;
  }
  const problem = findAmbiguity(value, '#');
  return problem === null ? value : no(problem, 'json');
}

function findAmbiguity(value: JsonValue, path: string): string | null {
  if (value.type === 'string') {
    return value.value.isWellFormed() ? null : `The string at ${path} has half a surrogate pair.`;
  }
  if (value.type === 'array') {
    for (const [index, item] of value.items.entries()) {
      const found = findAmbiguity(item, `${path}/${index}`);
      if (found !== null) return found;
    }
  }
  if (value.type !== 'object') return null;
  if (membersOf(value).size < value.members.length) {
    return `The object at ${path} has two members with the same name.`;
  }
  for (const [name, member] of value.members) {
    if (!name.isWellFormed()) return `A name in ${path} has half a surrogate pair.`;
    const found = findAmbiguity(member, `${path}/${name}`);
    if (found !== null) return found;
  }
  return null;
}
