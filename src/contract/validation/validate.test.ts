import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatBody, chatRequest, refusalOf, refusalWith } from '../../../test/support/chat-body.ts';
import { parseChatRequest } from '../parse-chat.ts';

const user = { role: 'user', content: 'hi' };

test('a wrong content part is named by its path, with what was probably meant', () => {
  const error = refusalWith({
    messages: [
      user,
      user,
      { role: 'user', content: [{ type: 'img_url', image_url: { url: 'x' } }] },
    ],
  });
  assert.equal(
    error.message,
    'messages[2].content[0].type: expected one of "text", "image_url", "file", "input_audio", got "img_url" (did you mean "image_url"?)',
  );
  assert.equal(error.param, 'messages[2].content[0].type');
  assert.equal(error.reason, 'invalid_value');
});

const messages: readonly (readonly [string, object, string])[] = [
  [
    'a role',
    { messages: [{ role: 'asistant', content: 'x' }] },
    'messages[0].role: expected one of "system", "developer", "user", "assistant", "tool", got "asistant" (did you mean "assistant"?)',
  ],
  [
    'a number out of range',
    { temperature: 5 },
    'temperature: expected a number from 0 to 4, got 5',
  ],
  [
    'a string for a number',
    { temperature: '0.7' },
    'temperature: expected a number from 0 to 4, got "0.7"',
  ],
  ['an integer', { top_k: 1.5 }, 'top_k: expected an integer of at least -1, got 1.5'],
  [
    'too many elements',
    { stop: Array.from({ length: 33 }, () => 'x') },
    'stop: expected an array of at most 32 elements, got 33 elements',
  ],
  [
    'too many characters',
    { stop: '\u{1f600}'.repeat(1001) },
    'stop: expected a string of 1 to 1000 characters, got a string of 1001 characters',
  ],
  [
    'an empty array',
    { guided_choice: [] },
    'guided_choice: expected a non-empty array, got 0 elements',
  ],
  [
    'a union',
    { stop: 5 },
    'stop: expected a string of 1 to 1000 characters or an array of at most 32 elements, got 5',
  ],
  [
    'a union with one word',
    { early_stopping: 'nevr', use_beam_search: true },
    'early_stopping: expected true or false or "never", got "nevr" (did you mean "never"?)',
  ],
  [
    'a union of words and objects',
    { tool_choice: 'requird' },
    'tool_choice: expected one of "none", "auto", "required" or an object, got "requird" (did you mean "required"?)',
  ],
  [
    'an object’s kind',
    { response_format: { type: 'json_shema' } },
    'response_format.type: expected one of "text", "json_object", "json_schema", "regex", "grammar", "structural_tag", got "json_shema" (did you mean "json_schema"?)',
  ],
  [
    'what an object lacks',
    { response_format: { type: 'json_schema', json_schema: {} } },
    'response_format.json_schema.name is required: a string',
  ],
  [
    'a key',
    { logit_bias: { abc: 1 } },
    'logit_bias.abc: expected a key that matches ^[0-9]+$, got "abc"',
  ],
  ['a form', { episode_id: 'x' }, 'episode_id: expected a string in uuid form, got "x"'],
  [
    'a top-level field',
    { temprature: 1 },
    'temprature is not a field of the contract (did you mean "temperature"?)',
  ],
  [
    'camel case',
    { maxTokens: 1 },
    'maxTokens is not a field of the contract (did you mean "max_tokens"?)',
  ],
  ['a field like no other', { zzzzzzzzzzzz: 1 }, 'zzzzzzzzzzzz is not a field of the contract'],
  [
    'a nested field',
    { stream: true, stream_options: { includeUsage: true } },
    'stream_options.includeUsage is not a field of the contract (did you mean "include_usage"?)',
  ],
  [
    'a field with spaces',
    { 'top k': 1 },
    '["top k"] is not a field of the contract (did you mean "top_k"?)',
  ],
  [
    'the number of others',
    { n: 0, temperature: 9, top_p: 2 },
    'n: expected an integer from 1 to 128, got 0 (and 2 other problems)',
  ],
  [
    'one other',
    { n: 0, temperature: 9 },
    'n: expected an integer from 1 to 128, got 0 (and 1 other problem)',
  ],
];

for (const [what, extra, message] of messages) {
  test(`the words for ${what}`, () =>
    assert.equal(refusalWith(extra as Record<string, unknown>).message, message));
}

test('a missing field comes first, and has its own reason', () => {
  const error = refusalOf(() => parseChatRequest('{"messages":[],"n":0}'));
  assert.equal(error.message, 'model is required: a non-empty string (and 2 other problems)');
  assert.equal(error.reason, 'missing_field');
  assert.equal(error.param, 'model');
});

test('an unknown field has its own reason', () => {
  assert.equal(refusalWith({ foo: 1 }).reason, 'unknown_field');
  assert.equal(refusalWith({ foo: 1 }).param, 'foo');
});

for (const source of ['[]', '"x"', '1', 'null', 'true']) {
  test(`a body that is ${source} is no object`, () => {
    const error = refusalOf(() => parseChatRequest(source));
    assert.match(error.message, /^The body: expected an object, got /);
    assert.equal(error.param, null);
  });
}

test('long strings are not quoted, they may be a prompt or a key', () => {
  const secret = 'swordfish '.repeat(50);
  for (const extra of [{ messages: secret }, { n: secret }, { tool_choice: secret }]) {
    const { message } = refusalWith(extra);
    assert.ok(!message.includes('swordfish'), message);
    assert.match(message, /got a string of 500 characters$/);
  }
});

for (const mode of ['warn', 'drop'] as const) {
  test(`${mode}: unknown fields are left out wherever they are, and named`, () => {
    const request = chatRequest(
      {
        foo: 1,
        'a b': { c: 1 },
        messages: [
          { ...user, mood: 'glad' },
          { role: 'user', content: [{ type: 'text', text: 'x', 'y.z': 1 }] },
        ],
      },
      mode,
    );
    assert.deepEqual(request.dropped, [
      'messages[0].mood',
      'messages[1].content[0]["y.z"]',
      'foo',
      '["a b"]',
    ]);
    assert.deepEqual(Object.keys(request.wire), ['model', 'messages']);
    assert.deepEqual(request.wire.messages?.[0], user);
    assert.deepEqual(request.wire.messages?.[1]?.content, [{ type: 'text', text: 'x' }]);
  });

  test(`${mode}: a wrong value is still refused, and unknown fields do not count`, () => {
    assert.equal(
      refusalWith({ foo: 1, n: 0 }, mode).message,
      'n: expected an integer from 1 to 128, got 0',
    );
  });
}

for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
  const source = (inside: string) =>
    `{"model":"m","messages":[{"role":"user","content":"x"${inside}}]`;
  test(`${key} is a field like any unknown one`, () => {
    const top = refusalOf(() => parseChatRequest(`${source('')},"${key}":{"n":5}}`));
    assert.equal(top.reason, 'unknown_field');
    assert.equal(top.param, key);
    const nested = refusalOf(() => parseChatRequest(`${source(`,"${key}":{"x":1}`)}}`));
    assert.equal(nested.param, `messages[0].${key}`);
    const dropped = parseChatRequest(`${source('')},"${key}":{"n":5}}`, 'drop');
    assert.deepEqual(dropped.dropped, [key]);
    assert.equal(dropped.parameters.n, undefined);
    assert.equal(Object.getPrototypeOf(dropped.wire), Object.prototype);
  });
  test(`${key} inside a free object changes no prototype`, () => {
    const request = parseChatRequest(
      `${source('')},"chat_template_kwargs":{"${key}":{"polluted":1}}}`,
    );
    assert.deepEqual(Object.keys(request.parameters.chat_template_kwargs ?? {}), [key]);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
}

test('10,000 messages are taken, and the last one that is wrong is found', () => {
  const many = Array.from({ length: 10_000 }, () => user);
  assert.equal(chatRequest({ messages: many }).wire.messages?.length, 10_000);
  const error = refusalWith({ messages: [...many, { role: 'usr', content: 'x' }] });
  assert.equal(error.param, 'messages[10000].role');
});

test('a body with 300,000 problems gets one bounded error', () => {
  const error = refusalOf(() =>
    parseChatRequest(
      `{"model":"m","prompt":[${Array.from({ length: 300_000 }, () => '""').join()}]}`,
    ),
  );
  assert.equal(
    error.message,
    'prompt[0]: expected an integer of at least 0, got "" (and at least 1000 other problems)',
  );
});

test('more unknown fields than can be dropped are an error, not an answer without end', () => {
  const extra = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`f${index}`, 1]));
  assert.equal(refusalWith(extra, 'drop').reason, 'unknown_field');
  assert.equal(chatBody(extra)['f0'], 1);
});

test('a long integer is a number like any other where any number will do', () => {
  const body = JSON.stringify(chatBody({ messages: [user] })).slice(0, -1);
  const long = parseChatRequest(
    `${body},"repetition_penalty":100000000000000000000,"top_k":9007199254740993,` +
      `"max_completion_tokens":18446744073709551616,"seed":9007199254740993,"stop":null}`,
  );
  assert.deepEqual(long.parameters, {
    repetition_penalty: 1e20,
    top_k: 2 ** 53,
    max_tokens: 2 ** 64,
    seed: 9_007_199_254_740_993n,
  });
  const refused = [
    ['temperature', 'temperature: expected a number from 0 to 4, got 9007199254740993'],
    ['stop_token_ids', 'stop_token_ids: expected an array, got 9007199254740993'],
    ['frequncy_penalty', 'frequncy_penalty is not a field of the contract'],
  ] as const;
  for (const [name, words] of refused) {
    const error = refusalOf(() => parseChatRequest(`${body},"${name}":9007199254740993}`));
    assert.equal(error.param, name);
    assert.ok(error.message.startsWith(words), error.message);
  }
});

test('a dropped field leaves a long seed as it is', () => {
  const body = JSON.stringify(chatBody({ messages: [user] })).slice(0, -1);
  const source = `${body},"unheard_of":1,"top_k":9007199254740993,"seed":9007199254740993}`;
  const { parameters, dropped } = parseChatRequest(source, 'drop');
  assert.deepEqual(parameters, { top_k: 2 ** 53, seed: 9_007_199_254_740_993n });
  assert.deepEqual(dropped, ['unheard_of']);
});

test('null is absent, also in a field that only other kinds of message, part or format have', () => {
  const every = { tool_calls: null, tool_call_id: null, reasoning_content: null, name: null };
  const messages = [
    { role: 'system', content: 'x', ...every },
    { role: 'user', content: [{ type: 'text', text: 'x', image_url: null }], ...every },
    { role: 'assistant', content: 'x', ...every },
    { role: 'tool', content: 'x', ...every, tool_call_id: 'c' },
  ];
  const request = chatRequest({ messages, response_format: { type: 'text', json_schema: null } });
  assert.deepEqual(request.wire.messages?.[0], { role: 'system', content: 'x', name: null });
  const refused = [
    [{ ...every, tool_calls: [] }, 'messages[0].tool_calls is not a field of the contract'],
    [{ ...every, tool_cals: null }, 'messages[0].tool_cals is not a field of the contract'],
  ] as const;
  for (const [fields, words] of refused) {
    assert.equal(refusalWith({ messages: [{ ...user, ...fields }] }).message, words);
  }
  const required = refusalWith({ messages: [{ role: 'tool', content: 'x', ...every }] });
  assert.equal(required.message, 'messages[0].tool_call_id: expected a string, got null');
});
