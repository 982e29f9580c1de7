import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { TSchema } from 'typebox';
import { chatCompletionRequest, completionRequest, errorCatalogue } from '../../contract/index.ts';
import { publicPaths, routeTable } from '../routes/route-table.ts';
import { openApiDocument } from './document.ts';
import { plainSchema } from './plain-schema.ts';

type Json = Record<string, unknown>;

const document = openApiDocument({ version: '1.2.3' }) as Json & {
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
};

/** Every object in a JSON value with its path, depth first. */
function* objects(value: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, inner] of Object.entries(value)) yield* objects(inner, `${path}/${key}`);
}

function resolve(reference: string): unknown {
  assert.ok(reference.startsWith('#/'), reference);
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

test('it is OpenAPI 3.1 with a title and the version', () => {
  assert.match(String(document['openapi']), /^3\.1\.\d$/);
  const info = document['info'] as Json;
  assert.equal(info['version'], '1.2.3');
  assert.equal(typeof info['title'], 'string');
});

test('it survives JSON unchanged', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
});

test('every reference resolves, and every component is referred to, or the answer to a wrong method', () => {
  const used = new Set<string>();
  for (const [path, object] of objects(document)) {
    const reference = object['$ref'];
    if (typeof reference !== 'string') continue;
    assert.equal(typeof resolve(reference), 'object', `${path}: ${reference}`);
    used.add(reference);
  }
  for (const kind of ['schemas', 'headers', 'parameters', 'responses'] as const) {
    for (const name of Object.keys(document.components[kind] ?? {})) {
      const anyRoute = name === 'error-405';
      assert.ok(
        anyRoute || used.has(`#/components/${kind}/${name}`),
        `${kind}/${name} is used nowhere`,
      );
    }
  }
});

test('every operation has an ID of its own, a summary, responses and its path’s parameters', () => {
  const ids = operations.map(({ operation }) => operation['operationId']);
  assert.equal(new Set(ids).size, ids.length);
  for (const { path, method, operation } of operations) {
    const what = `${method} ${path}`;
    assert.ok(['get', 'post', 'delete'].includes(method), what);
    assert.match(String(operation['operationId']), /^[a-z]\w+$/, what);
    assert.ok(String(operation['summary']).length > 3, what);
    const responses = operation['responses'] as Record<string, Json>;
    for (const [status, response] of Object.entries(responses)) {
      assert.match(status, /^[2-5]\d\d$/, what);
      const whole = '$ref' in response ? (resolve(String(response['$ref'])) as Json) : response;
      assert.equal(typeof whole['description'], 'string', `${what} ${status}`);
    }
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
    const given = ((operation['parameters'] ?? []) as Json[])
      .filter((parameter) => parameter['in'] === 'path')
      .map((parameter) => parameter['name']);
    assert.deepEqual(given, wanted, what);
  }
});

test('the paths are the server’s own routes, and public ones need no key', () => {
  assert.deepEqual(
    operations.map(({ path, method }) => `${method} ${path}`).toSorted(),
    routeTable.map(({ path, method }) => `${method.toLowerCase()} ${path}`).toSorted(),
  );
  for (const { path, operation } of operations) {
    const open = publicPaths.includes(path);
    assert.equal(operation['security'] !== undefined, open, path);
    const unauthenticated = Object.keys(operation['responses'] as Json).includes('401');
    assert.equal(unauthenticated, !open, path);
  }
});

for (const [name, schema] of Object.entries({
  ChatCompletionRequest: chatCompletionRequest,
  CompletionRequest: completionRequest,
})) {
  test(`${name} has every field with its description`, () => {
    const plain = document.components['schemas']?.[name] as { properties: Record<string, Json> };
    assert.deepEqual(Object.keys(plain.properties), Object.keys(schema.properties));
    for (const [field, one] of Object.entries(plain.properties)) {
      assert.ok(((one['description'] ?? '') as string).length > 3, `${field} has no description`);
    }
  });
}

test('schemas are plain JSON Schema 2020-12', () => {
  const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
  const keywords = new Set([
    'type',
    'const',
    'enum',
    'anyOf',
    'properties',
    'patternProperties',
    'additionalProperties',
    'required',
    'items',
    'minItems',
    'maxItems',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'pattern',
    'format',
    'description',
  ]);
  const walk = (schema: Json, path: string): void => {
    for (const key of Object.keys(schema)) assert.ok(keywords.has(key), `${path}: ${key}`);
    if ('type' in schema)
      assert.ok(types.has(String(schema['type'])), `${path}: ${String(schema['type'])}`);
    const inner = [
      ...((schema['anyOf'] ?? []) as Json[]),
      ...Object.values((schema['properties'] ?? {}) as Record<string, Json>),
      ...Object.values((schema['patternProperties'] ?? {}) as Record<string, Json>),
      ...[schema['items'], schema['additionalProperties']].filter((one) => typeof one === 'object'),
    ] as Json[];
    for (const [index, one] of inner.entries()) walk(one, `${path}/${index}`);
  };
  for (const [name, schema] of Object.entries(document.components['schemas'] ?? {}))
    walk(schema, name);
});

test('a big integer is int64, a record has additionalProperties, unions are flat', () => {
  const { properties } = (document.components['schemas']?.['ChatCompletionRequest'] ?? {}) as {
    properties: Record<string, Json>;
  };
  assert.deepEqual(properties['seed']?.['anyOf'], [
    { type: 'integer', format: 'int64' },
    { type: 'null' },
  ]);
  assert.deepEqual(properties['metadata']?.['anyOf'], [
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    { type: 'null' },
  ]);
  assert.deepEqual(properties['chat_template_kwargs']?.['anyOf'], [
    { type: 'object', additionalProperties: true },
    { type: 'null' },
  ]);
  assert.deepEqual(properties['early_stopping']?.['anyOf'], [
    { type: 'boolean' },
    { type: 'string', const: 'never' },
    { type: 'null' },
  ]);
});

test('the plain schema accepts and refuses what the contract’s does', () => {
  const own = Compile(chatCompletionRequest);
  const plain = Compile(plainSchema(chatCompletionRequest as never) as TSchema);
  const base = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
  const bodies = [
    base,
    { ...base, n: 0 },
    { ...base, seed: 5 },
    { ...base, foo: 1 },
    { ...base, logit_bias: { a: 1 } },
    { ...base, logit_bias: { '1': 1 } },
    { ...base, metadata: { a: 1 } },
    { ...base, stop: ['x'] },
    { ...base, tool_choice: 'any' },
    { ...base, response_format: { type: 'text' } },
    { model: 'm' },
    {},
  ];
  const verdicts = bodies.map((body) => own.Check(body));
  assert.deepEqual(
    bodies.map((body) => plain.Check(body)),
    verdicts,
  );
  assert.ok(verdicts.includes(true) && verdicts.includes(false));
});

test('errors: one shape, every status of the catalogue, a scheme for each form of the key', () => {
  const { responses = {}, securitySchemes = {}, schemas } = document.components;
  for (const [status, response] of Object.entries(responses)) {
    const content = response['content'] as Record<string, Json>;
    assert.deepEqual(
      content['application/json']?.['schema'],
      { $ref: '#/components/schemas/Error' },
      status,
    );
  }
  const { properties } = (schemas?.['Error'] ?? {}) as {
    properties: { error: { properties: Record<string, Json> } };
  };
  assert.deepEqual(properties.error.properties['reason']?.['enum'], Object.keys(errorCatalogue));
  for (const needs of document['security'] as Json[]) {
    for (const name of Object.keys(needs)) assert.ok(name in securitySchemes, name);
  }
});

test('generating routes name the receipt, the request ID and the way to relax', () => {
  for (const path of ['/v1/chat/completions', '/v1/completions']) {
    const text = JSON.stringify(document.paths[path]?.['post']);
    for (const name of ['x-parlance-receipt', 'x-request-id', 'x-parlance-unsupported']) {
      assert.ok(text.includes(name), `${path}: ${name}`);
    }
  }
});
