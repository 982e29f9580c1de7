/**
 * The dialects of JSON Schema: which one a schema is written in, which keywords it knows, and which of
 * their values hold schemas. The reader and the maker of Ajv's schemas share these tables. Pure data.
 */

/** `draft` is the year of the dialects that have one. */
export interface Dialect {
  readonly draft: 4 | 6 | 7 | 2019 | 2020;
  /** No dialect is named: the rules of 2020-12, and older spellings where those mean nothing in it. */
  readonly mixed: boolean;
}

const named: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft-04/schema': { draft: 4, mixed: false },
  'json-schema.org/draft-06/schema': { draft: 6, mixed: false },
  'json-schema.org/draft-07/schema': { draft: 7, mixed: false },
  'json-schema.org/draft/2019-09/schema': { draft: 2019, mixed: false },
  'json-schema.org/draft/2020-12/schema': { draft: 2020, mixed: false },
};

export const mixedDialect: Dialect = { draft: 2020, mixed: true };

/** The dialect that `$schema` names; null where it is none that we know. */
export function findDialect(uri: string): Dialect | null {
  const plain = uri
    .replace(/^https?:\/\//, '')
    .replace(/#$/, '')
    .replace('/hyper-schema', '/schema')
    // The keywords of draft-05 are those of draft-04.
    .replace('/draft-05/', '/draft-04/');
  if (plain === 'json-schema.org/schema') return mixedDialect;
  return Object.hasOwn(named, plain) ? (named[plain] ?? null) : null;
}

/** What a keyword's value holds: one schema, a list or a map of them, or none. */
export type Children = 'none' | 'schema' | 'list' | 'map' | 'schema or list' | 'dependencies';

interface Keyword {
  readonly children: Children;
  readonly since: number;
  readonly until: number;
}

const keyword = (children: Children, since = 4, until = 2020): Keyword => ({
  children,
  since,
  until,
});

/** Every keyword that asserts something, applies or holds schemas, or names places. */
const keywords: Readonly<Record<string, Keyword>> = {
  $ref: keyword('none'),
  $recursiveRef: keyword('none', 2019, 2019),
  $dynamicRef: keyword('none', 2020),
  definitions: keyword('map'),
  $defs: keyword('map'),
  type: keyword('none'),
  enum: keyword('none'),
  const: keyword('none', 6),
  minimum: keyword('none'),
  maximum: keyword('none'),
  exclusiveMinimum: keyword('none'),
  exclusiveMaximum: keyword('none'),
  multipleOf: keyword('none'),
  minLength: keyword('none'),
  maxLength: keyword('none'),
  pattern: keyword('none'),
  format: keyword('none'),
  minItems: keyword('none'),
  maxItems: keyword('none'),
  uniqueItems: keyword('none'),
  prefixItems: keyword('list', 2020),
  items: keyword('schema or list'),
  additionalItems: keyword('schema', 4, 2019),
  contains: keyword('schema', 6),
  minContains: keyword('none', 2019),
  maxContains: keyword('none', 2019),
  unevaluatedItems: keyword('schema', 2019),
  minProperties: keyword('none'),
  maxProperties: keyword('none'),
  required: keyword('none'),
  properties: keyword('map'),
  patternProperties: keyword('map'),
  additionalProperties: keyword('schema'),
  propertyNames: keyword('schema', 6),
  dependencies: keyword('dependencies', 4, 7),
  dependentRequired: keyword('none', 2019),
  dependentSchemas: keyword('map', 2019),
  unevaluatedProperties: keyword('schema', 2019),
  allOf: keyword('list'),
  anyOf: keyword('list'),
  oneOf: keyword('list'),
  not: keyword('schema'),
  if: keyword('schema', 7),
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name; never awaited
  then: keyword('schema', 7),
  else: keyword('schema', 7),
};

/** What the values of a keyword hold in this dialect; null where it does not know the keyword. */
export function childrenOf(dialect: Dialect, name: string): Children | null {
  const found = Object.hasOwn(keywords, name) ? keywords[name] : undefined;
  if (found === undefined) return null;
  if (dialect.mixed) return name === '$recursiveRef' ? null : found.children;
  return found.since <= dialect.draft && dialect.draft <= found.until ? found.children : null;
}
