/* oxlint-disable unicorn/no-thenable -- the keyword `then` in schemas; never awaited */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { JsonVerifier, verifyJson } from './verify-json.ts';

interface Case {
  readonly what: string;
  readonly schema: unknown;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const draft = (name: string): string => `http://json-schema.org/draft-${name}/schema#`;
const draft2019 = 'https://json-schema.org/draft/2019-09/schema';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

const dialects: readonly Case[] = [
  {
    what: 'integers of draft-04',
    schema: { $schema: draft('04'), type: 'integer' },
    yes: ['1', '-0', '100'],
    no: ['1.0', '1e2', '1.5', '"1"'],
  },
  {
    what: 'integers since draft-06',
    schema: { $schema: draft('06'), type: 'integer' },
    yes: ['1', '1.0', '1e2', '150e-1'],
    no: ['1.5', '1e-1'],
  },
  {
    what: 'integers that doubles cannot hold',
    schema: { type: 'integer', maximum: 100 },
    yes: ['100'],
    no: ['100.00000000000000000000001', '101'],
  },
  {
    what: 'exclusive bounds of draft-04',
    schema: {
      $schema: draft('04'),
      minimum: 3,
      exclusiveMinimum: true,
      maximum: 5,
      exclusiveMaximum: false,
    },
    yes: ['3.1', '5'],
    no: ['3', '5.1'],
  },
  {
    what: 'exclusive bounds since draft-06',
    schema: { $schema: draft('06'), exclusiveMinimum: 3, maximum: 5 },
    yes: ['3.1', '5'],
    no: ['3', '5.1'],
  },
  {
    what: 'the tighter of both bounds',
    schema: { minimum: 3, exclusiveMinimum: 2, maximum: 5, exclusiveMaximum: 5 },
    yes: ['3', '4.9'],
    no: ['2.5', '5'],
  },
  {
    what: 'keywords that draft-04 does not know',
    schema: {
      $schema: draft('04'),
      const: 1,
      contains: { type: 'null' },
      propertyNames: false,
      if: true,
      then: false,
    },
    yes: ['2', '[]', '{"a":1}'],
    no: [],
  },
  {
    what: 'if in draft-06',
    schema: { $schema: draft('06'), if: true, then: false },
    yes: ['1'],
    no: [],
  },
  {
    what: 'if in draft-07',
    schema: {
      $schema: draft('07'),
      if: { minimum: 10 },
      then: { multipleOf: 10 },
      else: { multipleOf: 3 },
    },
    yes: ['20', '9'],
    no: ['15', '8'],
  },
  {
    what: 'siblings of $ref in draft-07',
    schema: {
      $schema: draft('07'),
      $ref: '#/definitions/a',
      maxLength: 1,
      definitions: { a: { type: 'string' } },
    },
    yes: ['"abc"'],
    no: ['1'],
  },
  {
    what: 'siblings of $ref since 2019-09',
    schema: {
      $schema: draft2019,
      $ref: '#/$defs/a',
      maxLength: 1,
      $defs: { a: { type: 'string' } },
    },
    yes: ['"a"'],
    no: ['1', '"abc"'],
  },
  {
    what: 'siblings of $ref without a dialect',
    schema: { $ref: '#/definitions/a', maxLength: 1, definitions: { a: { type: 'string' } } },
    yes: ['"a"'],
    no: ['1', '"abc"'],
  },
  {
    what: 'dependencies',
    schema: { $schema: draft('07'), dependencies: { a: ['b'], c: { required: ['d'] } } },
    yes: ['{}', '{"a":1,"b":1}', '{"c":1,"d":1}'],
    no: ['{"a":1}', '{"c":1}'],
  },
  {
    what: 'dependencies mean nothing in 2020-12',
    schema: { $schema: draft2020, dependencies: { a: ['b'] } },
    yes: ['{"a":1}'],
    no: [],
  },
  {
    what: 'items as a list, additionalItems',
    schema: {
      $schema: draft('07'),
      items: [{ type: 'number' }],
      additionalItems: { type: 'string' },
    },
    yes: ['[]', '[1]', '[1,"a"]'],
    no: ['["a"]', '[1,2]'],
  },
  {
    what: 'additionalItems beside one schema',
    schema: { $schema: draft('07'), items: { type: 'number' }, additionalItems: false },
    yes: ['[1,2]'],
    no: ['["a"]'],
  },
  {
    what: 'minContains means nothing in draft-07',
    schema: { $schema: draft('07'), contains: { type: 'number' }, minContains: 2 },
    yes: ['[1]'],
    no: ['[]'],
  },
  {
    what: 'minContains and maxContains',
    schema: { $schema: draft2019, contains: { type: 'number' }, minContains: 2, maxContains: 3 },
    yes: ['[1,2]', '[1,2,"a",3]'],
    no: ['[1]', '[1,2,3,4]'],
  },
  {
    what: 'old spellings without a dialect',
    schema: {
      items: [{ type: 'number' }],
      additionalItems: false,
      minimum: 1,
      exclusiveMinimum: true,
      dependencies: { a: ['b'] },
    },
    yes: ['[1]', '2', '{"b":1}'],
    no: ['[1,2]', '1', '{"a":1}'],
  },
  {
    what: 'prefixItems',
    schema: { $schema: draft2020, prefixItems: [{ type: 'number' }], items: { type: 'string' } },
    yes: ['[]', '[1,"a"]'],
    no: ['["a"]', '[1,2]'],
  },
];

const references: readonly Case[] = [
  {
    what: 'recursion',
    schema: { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
    yes: ['{"next":{"next":{}}}'],
    no: ['{"next":{"next":1}}', '{"other":{}}'],
  },
  {
    what: 'pointers with escapes',
    schema: { $ref: '#/$defs/a~1b%20c~0d', $defs: { 'a/b c~d': { type: 'null' } } },
    yes: ['null'],
    no: ['1'],
  },
  {
    what: 'pointers into any place',
    schema: {
      properties: {
        a: { type: 'number' },
        b: { $ref: '#/properties/a' },
        c: { $ref: '#/x-own/0' },
      },
      'x-own': [{ type: 'null' }],
    },
    yes: ['{"b":1,"c":null}'],
    no: ['{"b":"x"}', '{"c":1}'],
  },
  {
    what: 'ids of draft-04',
    schema: {
      $schema: draft('04'),
      id: 'http://x.test/root.json',
      properties: { a: { $ref: 'item.json' }, b: { $ref: '#plain' } },
      definitions: { i: { id: 'item.json', type: 'number' }, p: { id: '#plain', type: 'null' } },
    },
    yes: ['{"a":1,"b":null}'],
    no: ['{"a":"x"}', '{"b":1}'],
  },
  {
    what: '$id and $anchor',
    schema: {
      $schema: draft2020,
      $id: 'http://x.test/root',
      properties: { a: { $ref: 'inner#n' }, b: { $ref: '/inner' } },
      $defs: {
        i: { $id: 'inner', type: 'object', $defs: { x: { $anchor: 'n', type: 'number' } } },
      },
    },
    yes: ['{"a":1,"b":{}}'],
    no: ['{"a":"x"}', '{"b":1}'],
  },
  {
    what: 'pointers below an $id',
    schema: {
      $schema: draft('07'),
      properties: {
        a: {
          $id: 'http://x.test/a',
          properties: { b: { $ref: '#/definitions/c' } },
          definitions: { c: { type: 'null' } },
        },
      },
      definitions: { c: { type: 'number' } },
    },
    yes: ['{"a":{"b":null}}'],
    no: ['{"a":{"b":1}}'],
  },
  {
    what: 'ids that are no ids',
    schema: {
      properties: {
        a: { id: 'user', $ref: '#/definitions/n' },
        enum: { enum: [{ $id: 'x', $ref: 'nowhere' }] },
      },
      definitions: { n: { type: 'number' } },
    },
    yes: ['{"a":1}', '{"enum":{"$id":"x","$ref":"nowhere"}}'],
    no: ['{"a":"x"}', '{"enum":1}'],
  },
  {
    what: 'the schema of a dialect',
    schema: { $ref: 'http://json-schema.org/draft-07/schema#' },
    yes: ['{"type":"string"}', 'true'],
    no: ['{"type":"any"}', '{"minLength":-1}', '1'],
  },
  {
    what: 'the schema of 2020-12, through $dynamicRef',
    schema: { $ref: draft2020 },
    yes: ['{"properties":{"a":{"type":"string"}}}'],
    no: ['{"properties":{"a":{"type":"any"}}}', '{"allOf":[{"minLength":"1"}]}'],
  },
  {
    what: 'the schema of 2019-09, through $recursiveRef',
    schema: { $schema: draft2019, $ref: draft2019 },
    yes: ['{"items":{"type":"string"}}'],
    no: ['{"items":{"type":"any"}}'],
  },
  {
    what: 'a $dynamicRef that is bound outside',
    schema: {
      $schema: draft2020,
      $id: 'http://x.test/strings',
      $ref: 'list',
      $defs: {
        s: { $dynamicAnchor: 'item', type: 'string' },
        l: {
          $id: 'list',
          items: { $dynamicRef: '#item' },
          $defs: { d: { $dynamicAnchor: 'item' } },
        },
      },
    },
    yes: ['["a"]'],
    no: ['[1]'],
  },
];

const keywords: readonly Case[] = [
  {
    what: 'annotations',
    schema: {
      title: 1,
      description: [],
      default: {},
      format: 'phone',
      contentEncoding: 'base64',
      $comment: 'x',
      $async: true,
      nullable: true,
      discriminator: { propertyName: 'x' },
      'x-own': {},
      type: 'string',
    },
    yes: ['"a"'],
    no: ['null', '1'],
  },
  {
    what: 'exact multiples',
    schema: { multipleOf: 0.01 },
    yes: ['19.99', '4.02', '1e400000000', '-0.07'],
    no: ['0.001', '1e-400000000'],
  },
  {
    what: 'exact bounds',
    schema: '{"maximum":9007199254740992}',
    yes: ['9007199254740992'],
    no: ['9007199254740993', '1e400'],
  },
  {
    what: 'exact enums',
    schema: '{"enum":[9007199254740993,1.0,{"a":[1,{"b":null,"c":2}]}]}',
    yes: ['9007199254740993', '1', '1.00', '{"a":[1e0,{"c":2,"b":null}]}'],
    no: ['9007199254740992', '{"a":[1]}'],
  },
  {
    what: 'unique items by value',
    schema: { uniqueItems: true },
    yes: ['[1,"1",true,null,[1],{"a":1}]', '[9007199254740993,9007199254740992]'],
    no: ['[1,1.0]', '[{"a":1,"b":2},{"b":2,"a":1}]'],
  },
  {
    what: 'lengths in characters',
    schema: { minLength: 2, maxLength: 2 },
    yes: ['"ab"', String.raw`"\ud83d\ude00é"`],
    no: ['"a"', '"😀"', '"abc"'],
  },
  { what: 'patterns search', schema: { pattern: 'b+' }, yes: ['"abc"', '1'], no: ['"ac"'] },
  {
    what: 'patterns that backtracking never ends',
    schema: { pattern: '^(a|a)*b$' },
    yes: [`"${'a'.repeat(5000)}b"`],
    no: [`"${'a'.repeat(5000)}"`],
  },
  {
    what: 'not, anyOf, oneOf, allOf',
    schema: {
      allOf: [
        { anyOf: [{ type: 'number' }, { type: 'string' }] },
        {
          oneOf: [
            { minimum: 5, type: 'number' },
            { multipleOf: 2, type: 'number' },
            { type: 'string' },
          ],
        },
      ],
      not: { const: 8 },
    },
    yes: ['7', '2', '"a"'],
    no: ['6', '8', '3', 'null'],
  },
  {
    what: 'property names',
    schema: { propertyNames: { pattern: '^a', maxLength: 2 } },
    yes: ['{"a":1,"ab":2}'],
    no: ['{"b":1}', '{"abc":1}'],
  },
  {
    what: 'overlapping patterns',
    schema: {
      properties: { ab: { minimum: 1 } },
      patternProperties: { '^a': { maximum: 5 }, b$: { multipleOf: 2 } },
      additionalProperties: { type: 'null' },
    },
    yes: ['{"ab":4,"a":5,"c":null}'],
    no: ['{"ab":0}', '{"ab":3}', '{"ab":6}', '{"c":1}'],
  },
  {
    what: 'names that objects of JavaScript have',
    schema: {
      type: 'object',
      required: ['constructor', '__proto__'],
      properties: { __proto__x: {}, toString: { type: 'null' } },
      additionalProperties: { type: 'number' },
    },
    yes: ['{"constructor":1,"__proto__":2}'],
    no: [
      '{}',
      '{"constructor":1}',
      '{"constructor":1,"__proto__":"x"}',
      '{"constructor":1,"__proto__":1,"toString":1}',
    ],
  },
  {
    what: 'counts of properties',
    schema: { minProperties: 1, maxProperties: 2, dependentRequired: { a: ['b'] } },
    yes: ['{"b":1}', '{"a":1,"b":1}'],
    no: ['{}', '{"a":1}', '{"a":1,"b":1,"c":1}'],
  },
  {
    what: 'unevaluated properties',
    schema: {
      properties: { a: {} },
      oneOf: [
        { required: ['b'], properties: { b: {} } },
        { required: ['c'], properties: { c: {} } },
      ],
      if: { required: ['d'], properties: { d: {} } },
      unevaluatedProperties: false,
    },
    yes: ['{"b":1}', '{"a":1,"c":1}', '{"b":1,"d":1}'],
    no: ['{"b":1,"e":1}', '{"a":1}', '{"b":1,"c":1}'],
  },
  {
    what: 'unevaluated properties behind references, choices and dependencies',
    schema: {
      $ref: '#/$defs/base',
      anyOf: [{ properties: { x: { const: 1 } }, required: ['x'] }, { properties: { y: {} } }],
      dependentSchemas: { y: { properties: { z: {} } } },
      not: { properties: { q: { const: 1 } }, required: ['q'] },
      unevaluatedProperties: { type: 'null' },
      $defs: { base: { properties: { a: {} }, patternProperties: { '^p': {} } } },
    },
    yes: ['{"a":1,"p1":1,"y":1,"z":1}', '{"x":1,"q":null}', '{"x":null,"y":1}'],
    no: ['{"z":1}', '{"x":2}', '{"q":2}', '{"x":2,"y":1}'],
  },
  {
    what: 'unevaluated properties of schemas beside each other',
    schema: {
      allOf: [{ properties: { a: {} }, unevaluatedProperties: false }],
      properties: { b: {} },
    },
    yes: ['{"a":1}'],
    no: ['{"b":1}', '{"a":1,"b":1}'],
  },
  {
    what: 'unevaluated items',
    schema: { prefixItems: [{}], contains: { type: 'string' }, unevaluatedItems: { type: 'null' } },
    yes: ['[1,"a"]', '[1,"a",null,"b"]'],
    no: ['[1]', '[1,"a",2]'],
  },
  {
    what: 'formats',
    schema: {
      properties: {
        d: { format: 'date' },
        i: { format: 'ipv4' },
        u: { format: 'uuid' },
        t: { format: 'uri-template' },
      },
    },
    yes: ['{"d":"2024-02-29","i":"10.0.0.1"}', '{"d":1}', '{"t":"http://x.test/{a,b*}/{?c:3}"}'],
    no: ['{"d":"2023-02-29"}', '{"i":"10.0.0.256"}', '{"u":"x"}', '{"t":"http://x.test/{"}'],
  },
];

const texts: readonly Case[] = [
  {
    what: 'what is no JSON',
    schema: true,
    yes: ['{}', ' [1]\n'],
    no: ['', '{', '{"a":1}}', "{'a':1}", 'NaN', '01', '[1,]', '"\u0001"'],
  },
  {
    what: 'members with the same name',
    schema: {},
    yes: ['{"a":{"b":1},"b":{"b":1}}'],
    no: ['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]'],
  },
  {
    what: 'halves of surrogate pairs',
    schema: {},
    yes: [String.raw`"\ud83d\ude00"`],
    no: [String.raw`"\ud83d"`, String.raw`{"\ude00":1}`],
  },
];

for (const { what, schema, yes, no } of [...dialects, ...references, ...keywords, ...texts]) {
  test(what, () => {
    const verifier = new JsonVerifier(typeof schema === 'string' ? schema : JSON.stringify(schema));
    for (const text of yes) assert.deepEqual(verifier.verify(text), { ok: true }, text);
    for (const text of no) assert.equal(verifier.verify(text).ok, false, text);
  });
}

test('a verdict says where and why', () => {
  const schema = JSON.stringify({ properties: { list: { items: { maximum: 5 } } } });
  const verdict = verifyJson(schema, '{"list":[1,9]}');
  assert.deepEqual(verdict, {
    ok: false,
    reason: 'The value at #/list/1 must be 5 or less.',
    keyword: 'maximum',
  });
});

test('lists nested in lists of schemas take time in proportion', () => {
  let schema: object = { $ref: '#/$defs/any' };
  // Where each level doubles the time, the process does not end.
  for (let level = 0; level < 100; level += 1) {
    schema = { allOf: [schema, { type: 'object', minProperties: 1 }] };
  }
  const text = JSON.stringify({ ...schema, $defs: { any: true } });
  assert.equal(verifyJson(text, '{"a":1}').ok, true);
  assert.equal(verifyJson(text, '{}').ok, false);
});
