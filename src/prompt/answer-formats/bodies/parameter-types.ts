/**
 * What types a function's schema gives its parameters: formats that write values bare (`<parameter=n>2`)
 * need them to tell the number 2 from the string "2". Pure.
 */

export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** The types that a value may have; null = any, or not known. */
export type Types = ReadonlySet<JsonType> | null;

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many references and alternatives are followed. */
const deepest = 16;

export function parseSchema(text: string | null): Schema | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isSchema(value) ? value : null;
  } catch {
    return null;
  }
}

/** Names of the properties, in the schema's order. */
export function propertyNames(root: Schema | null): readonly string[] {
  const object = root === null ? null : resolve(root, root, 0);
  const properties = object?.['properties'];
  return isSchema(properties) ? Object.keys(properties) : [];
}

export function requiredNames(root: Schema | null): readonly string[] {
  const object = root === null ? null : resolve(root, root, 0);
  const required = object?.['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** The schema of one property, with the references of the whole resolved at its top; null = none. */
export function propertySchema(root: Schema | null, name: string): Schema | null {
  const object = root === null ? null : resolve(root, root, 0);
  const properties = object?.['properties'];
  if (root === null || !isSchema(properties) || !Object.hasOwn(properties, name)) return null;
  const property = properties[name];
  return isSchema(property) ? resolve(root, property, 0) : null;
}

export function typesOf(root: Schema | null, name: string): Types {
  const property = propertySchema(root, name);
  return root === null || property === null ? null : typesIn(root, property, 0);
}

/** The schema that a member of a value has: a property's, or the items'. */
export function memberSchema(
  root: Schema,
  schema: Schema | null,
  name: string | null,
): Schema | null {
  const place = name === null ? schema?.['items'] : schema?.['properties'];
  if (!isSchema(place)) return null;
  if (name === null) return resolve(root, place, 0);
  const member = Object.hasOwn(place, name) ? place[name] : null;
  return isSchema(member) ? resolve(root, member, 0) : null;
}

export const typesOfSchema = (root: Schema, schema: Schema | null): Types =>
  schema === null ? null : typesIn(root, schema, 0);

function resolve(root: Schema, schema: Schema, depth: number): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || depth > deepest) return schema;
  const target = pointed(root, reference);
  return target === null ? schema : resolve(root, target, depth + 1);
}

function pointed(root: Schema, reference: string): Schema | null {
  if (!reference.startsWith('#')) return null;
  let at: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isSchema(at) && Object.hasOwn(at, name) ? at[name] : null;
  }
  return isSchema(at) ? at : null;
}

function typesIn(root: Schema, given: Schema, depth: number): Types {
  const schema = resolve(root, given, depth);
  if (depth > deepest) return null;
  if (typeof schema['type'] === 'string') return named([schema['type']]);
  if (Array.isArray(schema['type'])) return named(schema['type']);
  if ('const' in schema) return new Set([typeOfValue(schema['const'])]);
  if (Array.isArray(schema['enum'])) return new Set(schema['enum'].map(typeOfValue));
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) return union(root, branches, depth);
  }
  if (Array.isArray(schema['allOf'])) {
    const known = schema['allOf'].map((one) =>
      isSchema(one) ? typesIn(root, one, depth + 1) : null,
    );
    return known.find((types) => types !== null) ?? null;
  }
  if (isSchema(schema['properties'])) return new Set(['object']);
  return isSchema(schema['items']) ? new Set(['array']) : null;
}

function union(root: Schema, branches: readonly unknown[], depth: number): Types {
  const all = new Set<JsonType>();
  for (const branch of branches) {
    const types = isSchema(branch) ? typesIn(root, branch, depth + 1) : null;
    if (types === null) return null;
    for (const type of types) all.add(type);
  }
  return all;
}

const spellings: Readonly<Record<string, JsonType>> = {
  string: 'string',
  str: 'string',
  number: 'number',
  integer: 'number',
  int: 'number',
  float: 'number',
  boolean: 'boolean',
  bool: 'boolean',
  null: 'null',
  object: 'object',
  dict: 'object',
  array: 'array',
  list: 'array',
};

function named(types: readonly unknown[]): Types {
  const all = new Set<JsonType>();
  for (const type of types) {
    const spelling = typeof type === 'string' ? type.toLowerCase() : '';
    const found = Object.hasOwn(spellings, spelling) ? spellings[spelling] : undefined;
    if (found === undefined) return null;
    all.add(found);
  }
  return all;
}

export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}
