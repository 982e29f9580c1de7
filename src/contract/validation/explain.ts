/**
 * Why a value does not match a schema, in the words that a person wants: the exact path, what was
 * expected, what came. Runs only after the compiled check has failed, so it may be slow; it picks
 * the branch of a union by its discriminator and never lists the branches that were not meant.
 */

import { didYouMean } from './suggest.ts';
import { characters, describe, oneOf, preview, type Schema } from './describe.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

export type Issue =
  | (Problem & { readonly kind: 'missing' | 'invalid' })
  | (Located & { readonly kind: 'unknown' })
  /** Null in a field that other kinds of the same object have; null means absent. */
  | (Located & { readonly kind: 'absent' });

interface Located extends Problem {
  /** The object that has the field `key`. */
  readonly holder: object;
  readonly key: string;
}

/** Lazy, because a body of 32 MiB may have millions of issues and only the first is shown in full. */
type Issues = Generator<Issue, void>;

const at = (path: string, key: string): string => {
  const named = /^[A-Za-z_$][\w$]*$/.test(key);
  if (!named) return `${path}[${JSON.stringify(key.slice(0, 64))}]`;
  return path === '' ? key : `${path}.${key}`;
};

const invalid = (path: string, schema: Schema, value: unknown): Issue => ({
  path,
  kind: 'invalid',
  message: `expected ${describe(schema)}, got ${preview(value)}`,
});

const isEmpty = (issues: Issues): boolean => issues.next().done === true;

/** Every issue, in the order of the value's own fields; a missing field comes first. */
export function* explain(schema: Schema, value: unknown, path = ''): Issues {
  if (schema.anyOf !== undefined) {
    yield* explainUnion(schema.anyOf, value, path);
  } else if (isChoice(schema)) {
    yield* explainChoice(schema, value, path);
  } else if (schema.type === 'object' && isObject(value)) {
    yield* explainObject(schema, value, path);
  } else if (schema.type === 'array' && Array.isArray(value)) {
    yield* explainArray(schema, value as unknown[], path);
  } else if (!matchesScalar(schema, value)) {
    yield invalid(path, schema, value);
  }
}

const isChoice = (schema: Schema): boolean => schema.enum !== undefined || 'const' in schema;

/** Fields that tell the objects of a union apart. */
const discriminators = ['role', 'type'] as const;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function* explainChoice(schema: Schema, value: unknown, path: string): Issues {
  const allowed = schema.enum ?? [schema.const];
  if (allowed.includes(value)) return;
  const message = `expected ${oneOf(allowed)}, got ${preview(value)}${choiceHint(allowed, value)}`;
  yield { path, kind: 'invalid', message };
}

function choiceHint(allowed: readonly unknown[], value: unknown): string {
  if (typeof value !== 'string') return '';
  return didYouMean(
    value,
    allowed.filter((one) => typeof one === 'string'),
  );
}

/** Only called for what is not an object or array that the schema wants. */
function matchesScalar(schema: Schema, value: unknown): boolean {
  switch (schema.type) {
    case undefined:
      return true;
    case 'integer':
      return Number.isInteger(value) && within(value as number, schema);
    case 'number':
      return Number.isFinite(value) && within(value as number, schema);
    case 'string':
      return typeof value === 'string' && matchesString(schema, value);
    case 'null':
      return value === null;
    case 'boolean':
    case 'bigint':
      return typeof value === schema.type;
    default:
      return false;
  }
}

function within(value: number, schema: Schema): boolean {
  return (
    value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (schema.maximum ?? Number.POSITIVE_INFINITY)
  );
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function matchesString(schema: Schema, value: string): boolean {
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    const length = characters(value);
    if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? length)) return false;
  }
  if (schema.format === 'uuid' && !uuid.test(value)) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value);
}

function* explainArray(schema: Schema, value: unknown[], path: string): Issues {
  if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? value.length)) {
    const message = `expected ${describe(schema)}, got ${value.length} elements`;
    yield { path, kind: 'invalid', message };
    return;
  }
  const { items } = schema;
  if (items === undefined) return;
  for (const [index, one] of value.entries()) yield* explain(items, one, `${path}[${index}]`);
}

function* explainObject(schema: Schema, value: Record<string, unknown>, path: string): Issues {
  const properties = schema.properties ?? {};
  const kind = discriminators.find((name) => properties[name]?.const !== undefined);
  if (kind !== undefined && Object.hasOwn(value, kind) && value[kind] !== properties[kind]?.const) {
    // Another kind of object: what else it lacks or has is no news.
    yield* explain(properties[kind] ?? {}, value[kind], at(path, kind));
    return;
  }
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(value, key)) continue;
    const wanted = describe(properties[key] ?? {});
    yield { path: at(path, key), kind: 'missing', message: `is required: ${wanted}` };
  }
  for (const [key, one] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : otherKeys(schema, key);
    if (known === undefined) yield unknownKey(schema, value, key, at(path, key));
    else yield* explain(known, one, at(path, key));
  }
}

/** The schema of a key that is not among `properties`, or undefined where it may not be there. */
function otherKeys(schema: Schema, key: string): Schema | undefined {
  for (const [pattern, found] of Object.entries(schema.patternProperties ?? {})) {
    if (new RegExp(pattern, 'u').test(key)) return found;
  }
  if (schema.additionalProperties === false) return undefined;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
}

function unknownKey(schema: Schema, holder: object, key: string, path: string): Issue {
  const [pattern] = Object.keys(schema.patternProperties ?? {});
  if (pattern !== undefined) {
    const message = `expected a key that matches ${pattern}, got ${preview(key)}`;
    return { path, kind: 'invalid', message };
  }
  const hint = didYouMean(key, Object.keys(schema.properties ?? {}));
  return { path, kind: 'unknown', message: `is not a field of the contract${hint}`, holder, key };
}

function* explainUnion(all: readonly Schema[], value: unknown, path: string): Issues {
  const branches = flatten(all);
  if (value === null && branches.some((branch) => branch.type === 'null')) return;
  const meant = branches.filter((branch) => branch.type !== 'null');
  const alike = meant.filter((branch) => sameKind(branch, value));
  if (alike.some((branch) => isEmpty(explain(branch, value, path)))) return;
  const [only] = alike;
  if (alike.length > 1 && isObject(value)) {
    yield* explainDiscriminated(alike, value, path);
  } else if (alike.length === 1 && only !== undefined && (meant.length === 1 || !isChoice(only))) {
    yield* explain(only, value, path);
  } else {
    const hint = choiceHint(
      meant.flatMap((branch) => branch.enum ?? branch.const ?? []),
      value,
    );
    const { message } = invalid(path, { anyOf: meant }, value);
    yield { path, kind: 'invalid', message: `${message}${hint}` };
  }
}

/** Unions inside unions are one list of branches to a reader. */
function flatten(branches: readonly Schema[]): Schema[] {
  return branches.flatMap((branch) =>
    branch.anyOf === undefined ? [branch] : flatten(branch.anyOf),
  );
}

/** Whether a branch is of the JSON type that the value has, so that it may have been meant. */
function sameKind(branch: Schema, value: unknown): boolean {
  if (!isChoice(branch) && branch.type === undefined) return true;
  const type = branch.type ?? typeof (branch.enum?.[0] ?? branch.const);
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number' || typeof value === 'bigint')
    return /integer|number|bigint/.test(type);
  return isObject(value) ? type === 'object' : type === typeof value;
}

function* explainDiscriminated(
  branches: readonly Schema[],
  value: Record<string, unknown>,
  path: string,
): Issues {
  const key = discriminators.find((name) =>
    branches.every((branch) => branch.properties?.[name]?.const !== undefined),
  );
  if (key === undefined) {
    yield invalid(path, { anyOf: branches }, value);
    return;
  }
  const words = branches.map((branch) => branch.properties?.[key]?.const);
  const chosen = branches[words.indexOf(value[key])];
  if (chosen !== undefined) {
    for (const issue of explain(chosen, value, path)) yield nullAsAbsent(issue, branches, value);
  } else if (Object.hasOwn(value, key))
    yield* explainChoice({ enum: words }, value[key], at(path, key));
  else yield { path: at(path, key), kind: 'missing', message: `is required: ${oneOf(words)}` };
}

/** Clients that write every field of every kind of message send null for what a kind does not have. */
function nullAsAbsent(issue: Issue, branches: readonly Schema[], value: object): Issue {
  if (issue.kind !== 'unknown' || issue.holder !== value) return issue;
  const { key } = issue;
  if (Reflect.get(value, key) !== null) return issue;
  const elsewhere = branches.some(({ properties }) => Object.hasOwn(properties ?? {}, key));
  return elsewhere ? { ...issue, kind: 'absent' } : issue;
}
