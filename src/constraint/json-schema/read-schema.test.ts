import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { TimedBudget } from '../budget.ts';
import type { SchemaGraph } from './node.ts';
import { readSchema } from './read-schema.ts';

const read = (schema: unknown): SchemaGraph =>
  readSchema(typeof schema === 'string' ? schema : JSON.stringify(schema), new TimedBudget());

function refusal(schema: unknown): ParlanceError {
  try {
    read(schema);
  } catch (error) {
    if (error instanceof ParlanceError) return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(schema)} was read`);
}

const draft = (name: string): string => `http://json-schema.org/draft-${name}/schema#`;

const nested = (keyword: string, levels: number): unknown => {
  let schema: unknown = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { [keyword]: [schema] };
  return schema;
};

/** Schema -> the keyword that the refusal names. */
const malformed: readonly (readonly [unknown, string])[] = [
  ['{"type": "string"', 'json'],
  ['', 'json'],
  [5, 'schema'],
  [['a'], 'schema'],
  [{ type: 'any' }, 'type'],
  [{ type: [] }, 'type'],
  [{ type: ['string', 5] }, 'type'],
  [{ properties: [] }, 'properties'],
  [{ properties: { a: 5 } }, 'properties'],
  [{ required: true }, 'required'],
  [{ required: [1] }, 'required'],
  [{ minimum: '5' }, 'minimum'],
  [{ minLength: -1 }, 'minLength'],
  [{ maxItems: 1.5 }, 'maxItems'],
  [{ multipleOf: 0 }, 'multipleOf'],
  [{ multipleOf: -2 }, 'multipleOf'],
  [{ enum: 'a' }, 'enum'],
  [{ pattern: 5 }, 'pattern'],
  [{ properties: { a: { pattern: '(' } } }, 'pattern'],
  [{ patternProperties: { '[': {} } }, 'pattern'],
  [{ pattern: String.raw`(a)\1` }, 'backreference'],
  [{ uniqueItems: 'yes' }, 'uniqueItems'],
  [{ allOf: [] }, 'allOf'],
  [{ anyOf: {} }, 'anyOf'],
  [{ not: 'a' }, 'not'],
  [{ dependentRequired: { a: 'b' } }, 'dependentRequired'],
  [{ $schema: draft('07'), exclusiveMinimum: true }, 'exclusiveMinimum'],
  [{ $schema: draft('04'), exclusiveMinimum: 5 }, 'exclusiveMinimum'],
  [{ $schema: 'https://json-schema.org/draft/2020-12/schema', items: [true] }, 'items'],
  [{ $schema: 'http://json-schema.org/draft-03/schema#' }, '$schema'],
  [{ $schema: 'https://example.com/own' }, '$schema'],
  [{ $ref: 'https://example.com/schema.json' }, '$ref'],
  [{ $ref: '#/$defs/none' }, '$ref'],
  [{ $ref: '#name' }, '$ref'],
  [{ $ref: 5 }, '$ref'],
  [{ $ref: '#' }, '$ref'],
  [{ anyOf: [{ type: 'string' }, { not: { $ref: '#' } }] }, '$ref'],
  [{ dependentSchemas: { a: { $ref: '#' } } }, '$ref'],
  [nested('allOf', 230), 'allOf'],
  [nested('anyOf', 2000), 'json'],
];

for (const [schema, keyword] of malformed) {
  test(`${JSON.stringify(schema).slice(0, 90)} is refused because of ${keyword}`, () => {
    const error = refusal(schema);
    assert.equal(error.reason, 'invalid_constraint');
    assert.equal(error.keyword, keyword);
  });
}

const unsatisfiable: readonly (readonly [unknown, string])[] = [
  [false, 'false'],
  [{ type: 'number', minimum: 5, maximum: 3 }, 'minimum'],
  [{ type: 'number', exclusiveMinimum: 3, maximum: 3 }, 'exclusiveMinimum'],
  [{ type: 'number', minimum: 3, exclusiveMaximum: 3 }, 'exclusiveMaximum'],
  [{ type: 'number', allOf: [{ minimum: 5 }, { maximum: 3 }] }, 'minimum'],
  [{ type: 'integer', minimum: 1.2, maximum: 1.8 }, 'minimum'],
  [{ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 }, 'exclusiveMinimum'],
  [{ type: 'number', multipleOf: 7, minimum: 8, maximum: 13 }, 'multipleOf'],
  [{ type: 'integer', multipleOf: 0.4, minimum: 1, maximum: 1.9 }, 'multipleOf'],
  ['{"type":"number","minimum":1e400000001,"maximum":1e400000000}', 'minimum'],
  ['{"type":"integer","minimum":9007199254740993,"maximum":9007199254740992}', 'minimum'],
  [{ type: 'string', minLength: 5, maxLength: 3 }, 'minLength'],
  [
    { type: 'string', minLength: 5, $ref: '#/$defs/a', $defs: { a: { maxLength: 3 } } },
    'minLength',
  ],
  [{ type: 'string', pattern: '^a{5}$', maxLength: 3 }, 'pattern'],
  [{ type: 'string', pattern: '^a', allOf: [{ pattern: '^b' }] }, 'pattern'],
  [{ type: 'string', format: 'uuid', maxLength: 10 }, 'format'],
  [{ type: 'array', minItems: 3, maxItems: 1 }, 'minItems'],
  [{ type: 'array', maxItems: 1, contains: {}, minContains: 2 }, 'contains'],
  [{ type: 'array', contains: {}, minContains: 3, maxContains: 2 }, 'minContains'],
  [{ type: 'array', contains: false }, 'contains'],
  [{ type: 'array', minItems: 1, items: false }, 'items'],
  [
    { type: 'array', minItems: 2, prefixItems: [true, { type: 'number', minimum: 2, maximum: 1 }] },
    'minimum',
  ],
  [{ type: 'object', minProperties: 3, maxProperties: 1 }, 'minProperties'],
  [
    { type: 'object', minProperties: 2, properties: { a: {} }, additionalProperties: false },
    'minProperties',
  ],
  [{ type: 'object', required: ['a', 'b'], maxProperties: 1 }, 'maxProperties'],
  [
    { type: 'object', required: ['a'], dependentRequired: { a: ['b'] }, maxProperties: 1 },
    'maxProperties',
  ],
  [{ type: 'object', required: ['a'], additionalProperties: false }, 'additionalProperties'],
  [{ type: 'object', required: ['a'], propertyNames: { minLength: 2 } }, 'propertyNames'],
  [{ type: 'object', required: ['a'], properties: { a: false } }, 'properties'],
  [{ type: 'object', required: ['a'], patternProperties: { '^a': false } }, 'patternProperties'],
  [{ type: 'object', required: ['a'], properties: { a: { $ref: '#' } } }, '$ref'],
  [{ type: 'array', minItems: 1, items: { $ref: '#' } }, '$ref'],
  [
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' } },
      allOf: [{ properties: { a: { type: 'number' } } }],
    },
    'type',
  ],
  [{ type: 'string', allOf: [{ type: 'number' }] }, 'type'],
  [{ type: 'string', not: { type: 'string' } }, 'not'],
  [{ not: {} }, 'not'],
  [{ enum: [] }, 'enum'],
  [{ enum: ['a', 'b'], type: 'number' }, 'enum'],
  [{ enum: [1, 2, 3], allOf: [{ minimum: 4 }] }, 'enum'],
  [{ enum: ['a', 'b'], pattern: '^c' }, 'enum'],
  [{ const: 5, not: { const: 5 } }, 'const'],
  [{ anyOf: [{ type: 'number', minimum: 2, maximum: 1 }, false] }, 'anyOf'],
  [{ type: 'string', oneOf: [{ type: 'number' }, { type: 'array' }] }, 'oneOf'],
];

for (const [schema, keyword] of unsatisfiable) {
  test(`nothing satisfies ${JSON.stringify(schema)}, because of ${keyword}`, () => {
    const error = refusal(schema);
    assert.match(error.message, /Nothing satisfies/);
    assert.equal(error.keyword, keyword);
  });
}

const satisfiable: readonly unknown[] = [
  true,
  {},
  { minimum: 5, maximum: 3 },
  { type: 'integer', minimum: 1.2, maximum: 2 },
  { type: 'number', multipleOf: 7, minimum: 8, maximum: 14 },
  { type: 'array', items: { $ref: '#' } },
  { type: 'object', properties: { next: { $ref: '#' } } },
  {
    anyOf: [
      { type: 'object', required: ['a'], properties: { a: { $ref: '#' } } },
      { type: 'null' },
    ],
  },
  { type: 'array', minItems: 0, items: false },
  { type: 'object', properties: { a: false } },
  { type: 'object', required: ['a'], properties: { a: {} }, additionalProperties: false },
  { not: { type: 'integer' }, type: 'number' },
  { not: { required: ['a'] }, type: 'object' },
  { $ref: 'http://json-schema.org/draft-07/schema#' },
];

for (const schema of satisfiable) {
  test(`${JSON.stringify(schema)} is read`, () => {
    const graph = read(schema);
    assert.equal(graph.nodes[graph.root]?.never, false);
  });
}

test('schemas inside that nothing satisfies are marked, and only they', () => {
  const { nodes } = read({
    properties: {
      a: { type: 'string', minLength: 2, maxLength: 1 },
      b: { type: 'object', required: ['x'], properties: { x: { $ref: '#/properties/a' } } },
      c: { type: 'string' },
    },
  });
  const never = nodes.filter((node) => node.never).map((node) => node.path);
  assert.deepEqual(
    new Set(never),
    new Set(['#/properties/a', '#/properties/b', '#/properties/b/properties/x']),
  );
});

test('only what is reachable is read', () => {
  const unused = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`d${at}`, { type: 'nonsense' }]),
  );
  const graph = read({ $ref: '#/$defs/used', $defs: { ...unused, used: { type: 'string' } } });
  assert.equal(graph.nodes.length, 2);
});

test('declared properties keep the order of the schema, also those that look like numbers', () => {
  const graph = read('{"properties":{"b":{},"10":{},"a":{},"2":{}}}');
  assert.deepEqual(
    graph.nodes[0]?.object?.properties.map(([name]) => name),
    ['b', '10', 'a', '2'],
  );
});

test('large schemas are read or refused within the budget', () => {
  const many = (make: (at: number) => [string, unknown]): unknown =>
    Object.fromEntries(Array.from({ length: 5000 }, (_, at) => make(at)));
  const chain = {
    $ref: '#/$defs/d0',
    $defs: many((at) => [`d${at}`, at === 4999 ? {} : { $ref: `#/$defs/d${at + 1}` }]),
  };
  assert.equal(refusal(chain).keyword, '$ref');
  const list = {
    $ref: '#/$defs/d0',
    $defs: many((at) => [
      `d${at}`,
      {
        type: 'object',
        required: ['x'],
        properties: { x: at === 4999 ? {} : { $ref: `#/$defs/d${at + 1}` } },
      },
    ]),
  };
  assert.equal(read(list).nodes.length, 10_001);
  assert.equal(
    read({ enum: Array.from({ length: 20_000 }, (_, at) => `v${at}`), minLength: 1 }).nodes.length,
    1,
  );
  const doubling = {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `d${at}`,
        at === 59
          ? {}
          : { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    ),
  };
  assert.equal(read(doubling).nodes.length, 179);
  const small = new TimedBudget({ milliseconds: 1000, kept: 100 });
  assert.throws(() => readSchema(JSON.stringify(list), small), /too large/);
});
