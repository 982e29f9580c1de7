import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { createRandom } from '../../../test/support/random-numbers.ts';
import { chatCompletionRequest } from '../request/schema.ts';
import type { Schema } from './describe.ts';
import { explain } from './explain.ts';

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const tool = { type: 'function', function: { name: 'f', parameters: {}, strict: null } };

const bodies: readonly object[] = [
  {
    model: 'm',
    messages: [
      { role: 'system', content: 'x', name: null },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'u', detail: 'low' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'x', tool_call_id: 'c' },
    ],
    tools: [tool],
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
  },
  {
    model: 'm',
    prompt: [1, 2],
    stream: true,
    stream_options: { include_usage: true },
    stop: ['a', 'b'],
    seed: 5,
    logit_bias: { '5': 1.5 },
    metadata: { a: 'b' },
    documents: [{ a: 'b' }],
    temperature: 0.5,
    top_k: 5,
    early_stopping: 'never',
    episode_id: '01977ed9-7492-7b70-8347-9564aeb44a24',
  },
  {
    model: 'm',
    prompt: 'x',
    functions: [{ name: 'f' }],
    function_call: { name: 'f' },
    prediction: { type: 'content', content: [{ type: 'text' }] },
    disaggregated_params: { request_type: 'context_only', ctx_request_id: 'x' },
    modalities: ['text'],
    eos_token_id: 2,
    bad: 'x',
    structural_tag: {},
    guided_json: '{}',
    guided_choice: ['a'],
    n: 2,
  },
];

const replacements: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  129,
  1e300,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  -0,
  2n ** 62n,
  '',
  'x',
  'auto',
  'text',
  'never',
  'a\nb',
  '\u{1F600}'.repeat(1000),
  'x'.repeat(1001),
  [],
  [1],
  ['x'],
  [null],
  {},
  { type: 'text' },
  { type: 'function' },
  { role: 'user' },
  { a: 1 },
];
const keys = [
  'x',
  'type',
  'role',
  'content',
  '__proto__',
  'constructor',
  'model',
  '5',
  'a b',
  'a\nb',
];

/** Replaces, removes or adds one thing at a random depth; the body changes in place. */
function mutate(value: object, next: () => number): void {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const entries = Object.entries(value);
  const [key, inner] = entries.length === 0 ? ['x', null] : pick(entries);
  if (typeof inner === 'object' && inner !== null && next() < 0.7) {
    mutate(inner as object, next);
    return;
  }
  const holder = value as Record<string, unknown>;
  const how = next();
  if (how < 0.2 && !Array.isArray(value)) Reflect.deleteProperty(holder, key);
  else {
    const target = how < 0.4 && !Array.isArray(value) ? pick(keys) : key;
    Object.defineProperty(holder, target, {
      value: structuredClone(pick(replacements)),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

test('the explanation and the compiled check agree on every body', () => {
  const compiled = Compile(chatCompletionRequest);
  const schema = chatCompletionRequest as unknown as Schema;
  const next = createRandom(20_260_101);
  let valid = 0;
  let invalid = 0;
  for (let round = 0; round < 8000; round += 1) {
    const body: object = structuredClone(bodies[round % bodies.length] ?? {});
    for (let times = 1 + Math.floor(next() * 3); times > 0; times -= 1) mutate(body, next);
    const passes = compiled.Check(body);
    const issues = [...explain(schema, body)];
    const words = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    assert.equal(issues.length === 0, passes, `round ${round}: compiled says ${passes}; ${words}`);
    if (passes) valid += 1;
    else invalid += 1;
  }
  assert.ok(valid > 500 && invalid > 500, `${valid} valid and ${invalid} invalid bodies`);
});

test('the bodies that are mutated are valid', () => {
  const compiled = Compile(chatCompletionRequest);
  for (const body of bodies) assert.ok(compiled.Check(body), JSON.stringify(body));
});
