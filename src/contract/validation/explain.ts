/**
 * Why a value does not match a schema, in the words that a person wants: the exact path, what was
 * expected, what came. Runs only after the compiled check has failed, so it may be slow; it picks
 * the branch of a union by its discriminator and never lists the branches that were not meant.
 */

import { didYouMean } from './suggest.ts';
import { describe, oneOf, preview, type Schema } from './describe.ts';

export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly kind: 'missing' | 'unknown' | 'invalid';
}

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

/** Every issue, in the order of the value's own fields; a missing field comes first. */
export function explain(schema: Schema, value: unknown, path = ''): Issue[] {
  if (schema.anyOf !== undefined) return explainUnion(schema.anyOf, value, path);
  if (schema.enum !== undefined || 'const' in schema) return explainChoice(schema, value, path);
  switch (schema.type) {
    case 'object':
      return isObject(value) ? explainObject(schema, value, path) : [invalid(path, schema, value)];
    case 'array':
      return Array.isArray(value)
        ? explainArray(schema, value as unknown[], path)
        : [invalid(path, schema, value)];
    default:
      return matchesScalar(schema, value) ? [] : [invalid(path, schema, value)];
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function explainChoice(schema: Schema, value: unknown, path: string): Issue[] {
  const allowed = schema.enum ?? [schema.const];
  if (allowed.includes(value)) return [];
  const hint =
    typeof value === 'string'
      ? didYouMean(
          value,
          allowed.filter((one): one is string => typeof one === 'string'),
        )
      : '';
  return [
    {
      path,
      kind: 'invalid',
      message: `expected ${oneOf(allowed)}, got ${preview(value)}${hint}`,
    },
  ];
}

function matchesScalar(schema: Schema, value: unknown): boolean {
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value) && within(value as number, schema);
    case 'number':
      return Number.isFinite(value) && within(value as number, schema);
    case 'bigint':
      return typeof value === 'bigint';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'string':
      return typeof value === 'string' && matchesString(schema, value);
    default:
      return true;
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
  const length = Array.from(value).length;
  if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? length)) return false;
  if (schema.format === 'uuid' && !uuid.test(value)) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value);
}

function explainArray(schema: Schema, value: unknown[], path: string): Issue[] {
  if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? value.length)) {
    const message = `expected ${describe(schema)}, got ${value.length} elements`;
    return [{ path, kind: 'invalid', message }];
  }
  const { items } = schema;
  if (items === undefined) return [];
  return value.flatMap((one, index) => explain(items, one, `${path}[${index}]`));
}

function explainObject(schema: Schema, value: Record<string, unknown>, path: string): Issue[] {
  const properties = schema.properties ?? {};
  const issues: Issue[] = [];
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(value, key)) continue;
    const wanted = describe(properties[key] ?? {});
    issues.push({ path: at(path, key), kind: 'missing', message: `is required: ${wanted}` });
  }
  for (const [key, one] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : byPattern(schema, key);
    if (known !== undefined) issues.push(...explain(known, one, at(path, key)));
    else if (schema.additionalProperties === false) issues.push(unknownKey(schema, key, path));
  }
  return issues;
}

function byPattern(schema: Schema, key: string): Schema | undefined {
  for (const [pattern, found] of Object.entries(schema.patternProperties ?? {})) {
    if (new RegExp(pattern, 'u').test(key)) return found;
  }
  return undefined;
}

function unknownKey(schema: Schema, key: string, path: string): Issue {
  const [pattern] = Object.keys(schema.patternProperties ?? {});
  if (pattern !== undefined) {
    const message = `expected a key that matches ${pattern}, got ${preview(key)}`;
    return { path: at(path, key), kind: 'invalid', message };
  }
  const hint = didYouMean(key, Object.keys(schema.properties ?? {}));
  return { path: at(path, key), kind: 'unknown', message: `is not a field of the contract${hint}` };
}

function explainUnion(all: readonly Schema[], value: unknown, path: string): Issue[] {
  if (value === null && all.some((branch) => branch.type === 'null')) return [];
  const branches = flatten(all).filter((branch) => branch.type !== 'null');
  const [single] = branches;
  if (branches.length === 1 && single !== undefined) return explain(single, value, path);
  const results = branches
    .filter((branch) => sameKind(branch, value))
    .map((branch) => ({ branch, issues: explain(branch, value, path) }));
  if (results.some((result) => result.issues.length === 0)) return [];
  const objects = results
    .map((result) => result.branch)
    .filter((branch) => branch.type === 'object');
  if (objects.length > 1 && isObject(value)) return explainDiscriminated(objects, value, path);
  const [only] = results;
  if (results.length === 1 && only !== undefined) return only.issues;
  return [invalid(path, { anyOf: branches }, value)];
}

/** Unions inside unions are one list of branches to a reader. */
function flatten(branches: readonly Schema[]): Schema[] {
  return branches.flatMap((branch) =>
    branch.anyOf === undefined ? [branch] : flatten(branch.anyOf),
  );
}

/** Whether a branch is of the JSON type that the value has, so that it may have been meant. */
function sameKind(branch: Schema, value: unknown): boolean {
  const type = branch.type ?? typeof (branch.enum?.[0] ?? branch.const);
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number' || typeof value === 'bigint')
    return /integer|number|bigint/.test(type);
  return isObject(value) ? type === 'object' : type === typeof value;
}

function explainDiscriminated(
  branches: readonly Schema[],
  value: Record<string, unknown>,
  path: string,
): Issue[] {
  const key = ['role', 'type'].find((name) =>
    branches.every((branch) => branch.properties?.[name]?.const !== undefined),
  );
  if (key === undefined) return explain(branches[0] ?? {}, value, path);
  const words = branches.map((branch) => branch.properties?.[key]?.const);
  const chosen = branches[words.indexOf(value[key])];
  if (chosen !== undefined) return explain(chosen, value, path);
  if (!Object.hasOwn(value, key)) {
    return [{ path: at(path, key), kind: 'missing', message: `is required: ${oneOf(words)}` }];
  }
  return explainChoice({ enum: words }, value[key], at(path, key));
}
