/** The older completions body: prompts in four forms, the same ranges, logprobs as a number. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { honoured, type CapabilityRecord } from './capability.ts';
import { completionRequest, parseCompletionRequest } from './completions.ts';
import { admit } from './receipt.ts';
import { chatCompletionRequest } from './request/schema.ts';

const parse = (more: object) =>
  parseCompletionRequest(JSON.stringify({ model: 'm', prompt: 'p', ...more }));

describe('prompts', () => {
  for (const [prompt, expected] of [
    ['a', ['a']],
    [['a'], ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[1, 2], [[1, 2]]],
    [
      [[1], [2, 3]],
      [[1], [2, 3]],
    ],
  ] as const) {
    test(JSON.stringify(prompt), () => {
      const requests = parse({ prompt });
      assert.deepEqual(
        requests.map(({ input }) => input),
        expected.map((one) => ({ kind: 'prompt', prompt: one })),
      );
    });
  }

  for (const prompt of [[], [[]], [1, 'a'], [['a']], null, [-1], Array(129).fill('a')]) {
    test(`${JSON.stringify(prompt).slice(0, 20)} is refused`, () => {
      assert.throws(() => parse({ prompt }), { reason: /invalid_value|missing_field/ });
    });
  }

  test('each request’s source is its own body on the chat route', () => {
    const [, second] = parse({ prompt: ['a', 'b'], seed: 1, logprobs: 2 });
    assert.deepEqual(JSON.parse(second?.source ?? ''), {
      model: 'm',
      prompt: 'b',
      seed: 1,
      logprobs: true,
      top_logprobs: 2,
    });
  });
});

test('a seed beyond 2^53 stays exact', () => {
  const [request] = parseCompletionRequest('{"model":"m","prompt":"p","seed":9223372036854775807}');
  assert.equal(request?.parameters.seed, 9223372036854775807n);
  assert.match(request?.source ?? '', /9223372036854775807/);
});

describe('logprobs', () => {
  test('are a number, which becomes two parameters in one spelling', () => {
    const [request] = parse({ logprobs: 3 });
    assert.deepEqual(request?.parameters, { logprobs: true, top_logprobs: 3 });
    assert.deepEqual(
      request?.given.map(({ field }) => field),
      ['logprobs', 'logprobs'],
    );
  });

  test('of zero are the token’s own', () => {
    assert.deepEqual(parse({ logprobs: 0 })[0]?.parameters, { logprobs: true });
  });

  for (const logprobs of [true, -1, 21]) {
    test(`${logprobs} is refused`, () => {
      assert.throws(() => parse({ logprobs }), { reason: 'invalid_value', param: 'logprobs' });
    });
  }
});

describe('refusals', () => {
  test('suffix', () => {
    assert.throws(() => parse({ suffix: 'x' }), {
      reason: 'unsupported_parameter',
      param: 'suffix',
    });
    assert.equal(parse({ suffix: '' }).length, 1);
    assert.equal(parse({ suffix: null }).length, 1);
  });

  test('fields of the chat route only', () => {
    assert.throws(() => parse({ tools: [] }), { reason: 'unknown_field' });
    assert.throws(() => parse({ messages: [] }), { reason: 'unknown_field' });
    assert.throws(() => parse({ prediction: { type: 'content', content: 'x' } }), {
      message:
        '`prediction` is a field of POST /v1/chat/completions only. Send the request there (it takes `prompt` too), or leave `prediction` out.',
      param: 'prediction',
    });
    assert.throws(() => parse({ predictoin: 1 }), { message: /not a field of the contract/ });
  });

  test('conflicts are the chat route’s', () => {
    assert.throws(() => parse({ stream_options: {} }), { reason: 'conflicting_fields' });
    assert.throws(() => parse({ n: 3, best_of: 2 }), { reason: 'conflicting_fields' });
  });
});

test('ranges are the chat route’s own', () => {
  const chat = chatCompletionRequest.properties as Record<string, unknown>;
  const own = new Set(['prompt', 'logprobs', 'suffix']);
  for (const [name, schema] of Object.entries(completionRequest.properties)) {
    if (!own.has(name)) assert.equal(schema, chat[name], name);
  }
});

test('a number of logprobs is one line of the receipt', () => {
  const [request] = parse({ logprobs: 2 });
  assert.ok(request !== undefined);
  const record = { logprobs: honoured, top_logprobs: honoured } as unknown as CapabilityRecord;
  assert.deepEqual(admit(request, record, 'x').receipt, [{ name: 'logprobs', fate: 'honoured' }]);
});
