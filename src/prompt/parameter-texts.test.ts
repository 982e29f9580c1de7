import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { ChatRequest } from '../contract/index.ts';
import { parameterTextsOf } from './parameter-texts.ts';

/** What is read of a request, as the parser of requests makes it: old functions are tools. */
function textsOf(source: string): readonly (string | null)[] {
  const wire = JSON.parse(source) as { tools?: unknown[]; functions?: unknown[] };
  const tools = wire.tools ?? wire.functions?.map((one) => ({ type: 'function', function: one }));
  return parameterTextsOf({ source, wire, parameters: { tools } } as unknown as ChatRequest);
}

it('schemas are as they were spelled, under either name', () => {
  const schema = '{"b": 1.0, "a": 12345678901234567890}';
  const body = `{"name": "f", "parameters": ${schema}}`;
  assert.deepEqual(textsOf(`{"tools": [{"function": ${body}}, {"function": {"name": "g"}}]}`), [
    schema,
    null,
  ]);
  assert.deepEqual(textsOf(`{"functions": [{"name": "g"}, ${body}]}`), [null, schema]);
  assert.deepEqual(textsOf('{"messages": []}'), []);
});

it('a request with very many functions is gone through once', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    function: { name: `f${index}`, parameters: { const: index } },
  }));
  const texts = textsOf(JSON.stringify({ messages: 'x'.repeat(1_000_000), tools: many }));
  assert.equal(texts.length, 20_000);
  assert.equal(texts.at(-1), '{"const":19999}');
});
