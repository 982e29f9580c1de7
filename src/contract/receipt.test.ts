import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatRequest, refusalOf } from '../../test/support/chat-body.ts';
import {
  contentNames,
  emulated,
  honoured,
  refused,
  type CapabilityRecord,
  type Decide,
} from './capability.ts';
import type { ParameterRow } from './parameters/row.ts';
import { parameterTable } from './parameters/table.ts';
import { admit, annotate, receiptHeader } from './receipt.ts';

/** A record that honours everything but what is given here. */
function record(changes: Partial<Record<keyof CapabilityRecord, Decide>>): CapabilityRecord {
  const rows = Object.entries(parameterTable) as [string, ParameterRow<unknown>][];
  const names = rows.filter(([, row]) => row.role === 'parameter').map(([name]) => name);
  const all = Object.fromEntries([...names, ...contentNames].map((name) => [name, honoured]));
  return { ...all, ...changes } as CapabilityRecord;
}

const image = { type: 'image_url', image_url: { url: 'x' } };
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

test('the receipt has the client’s spelling, in the order of the body', () => {
  const request = chatRequest({ seed: 1, max_completion_tokens: 5, top_k: 7, n: 1, stream: true });
  const { receipt } = admit(request, record({ seed: emulated('by hand') }), 'a target');
  assert.deepEqual(receipt, [
    { name: 'seed', fate: 'emulated', note: 'by hand' },
    { name: 'max_completion_tokens', fate: 'honoured' },
    { name: 'top_k', fate: 'honoured' },
  ]);
  assert.equal(
    receiptHeader(receipt),
    'seed=emulated; max_completion_tokens=honoured; top_k=honoured',
  );
});

test('a refused parameter is refused by name, target, reason and way out', () => {
  const request = chatRequest({ eos_token_id: 2, top_k: 7 });
  const none = refused('it cannot');
  const error = refusalOf(() => admit(request, record({ stop_token_ids: none }), 'embedded:m'));
  assert.equal(error.reason, 'unsupported_parameter');
  assert.equal(error.param, 'eos_token_id');
  assert.equal(
    error.message,
    '`eos_token_id` is not supported by embedded:m: it cannot. Leave `eos_token_id` out, or send the header x-parlance-unsupported: drop to go on without it.',
  );
  const way = refusalOf(() => admit(request, record({ top_k: refused('no', 'Use `top_p`') }), 't'));
  assert.match(way.message, /: no\. Use `top_p`, or send the header /);
});

for (const mode of ['warn', 'drop'] as const) {
  test(`${mode}: what is refused is dropped from every form, and the receipt says so`, () => {
    const request = chatRequest({ foo: 1, seed: 1, top_k: 7 }, mode);
    const admitted = admit(request, record({ top_k: refused('it cannot') }), 't');
    assert.deepEqual(admitted.receipt, [
      { name: 'foo', fate: 'dropped', note: 'not a field of the contract' },
      { name: 'seed', fate: 'honoured' },
      { name: 'top_k', fate: 'dropped', note: 'it cannot' },
    ]);
    assert.deepEqual(admitted.request.parameters, { seed: 1 });
    assert.deepEqual(Object.keys(admitted.request.wire), ['model', 'messages', 'seed']);
  });
}

test('a decision may depend on the request', () => {
  const decide: Decide = (request) => (request.stream ? honoured : refused('only in streams'));
  const streams = record({ logprobs: decide });
  assert.equal(
    admit(chatRequest({ logprobs: true, stream: true }), streams, 't').receipt.length,
    1,
  );
  assert.equal(
    refusalOf(() => admit(chatRequest({ logprobs: true }), streams, 't')).param,
    'logprobs',
  );
});

const contents: readonly (readonly [(typeof contentNames)[number], object, string])[] = [
  ['messages[].content.image_url', { role: 'user', content: [image] }, 'messages[0].content[0]'],
  [
    'messages[].content.file',
    { role: 'user', content: [{ type: 'file', file: {} }] },
    'messages[0].content[0]',
  ],
  [
    'messages[].content.input_audio',
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
    'messages[0].content[0]',
  ],
  [
    'messages[].content.input_audio',
    { role: 'assistant', audio: { id: 'x' } },
    'messages[0].audio',
  ],
  ['messages[].name', { role: 'user', content: 'x', name: 'bob' }, 'messages[0].name'],
  ['messages[].tool_calls', { role: 'assistant', tool_calls: [call] }, 'messages[0].tool_calls'],
  [
    'messages[].tool_calls',
    { role: 'assistant', function_call: { name: 'f', arguments: '' } },
    'messages[0].function_call',
  ],
  [
    'messages[].reasoning_content',
    { role: 'assistant', content: 'x', reasoning_content: 'y' },
    'messages[0].reasoning_content',
  ],
  [
    'messages[].reasoning_content',
    { role: 'assistant', content: 'x', reasoning: 'y' },
    'messages[0].reasoning',
  ],
  [
    'messages[].provider_state',
    { role: 'user', content: 'x', provider_state: { a: 1 } },
    'messages[0].provider_state',
  ],
  [
    'cache_control',
    { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'e' } }] },
    'messages[0].content[0].cache_control',
  ],
];
const dropped = new Set<string>([
  'messages[].name',
  'messages[].reasoning_content',
  'messages[].provider_state',
  'cache_control',
]);

for (const [name, message, path] of contents) {
  test(`${path} is decided by ${name}`, () => {
    const cannot = record({ [name]: refused('it cannot') });
    const strict = chatRequest({ messages: [message] });
    assert.deepEqual(admit(strict, record({}), 't').receipt, []);
    const error = refusalOf(() => admit(strict, cannot, 't'));
    assert.equal(error.param, path);
    assert.equal(
      error.message.includes('x-parlance-unsupported'),
      dropped.has(name),
      error.message,
    );
    const relaxed = chatRequest({ messages: [message] }, 'drop');
    if (!dropped.has(name)) {
      assert.equal(refusalOf(() => admit(relaxed, cannot, 't')).param, path);
      return;
    }
    const admitted = admit(relaxed, cannot, 't');
    assert.deepEqual(admitted.receipt, [{ name: path, fate: 'dropped', note: 'it cannot' }]);
    const key = path.split('.').at(-1) ?? '';
    assert.ok(!JSON.stringify(admitted.request.wire).includes(`"${key}"`));
    assert.ok(!JSON.stringify(admitted.request.input).includes(`"${key}"`));
    assert.ok(JSON.stringify(relaxed.wire).includes(`"${key}"`), 'the request itself is unchanged');
  });
}

test('cache_control on a tool is content too, and is dropped from the tools', () => {
  const tool = { type: 'function', function: { name: 'f' }, cache_control: { type: 'e' } };
  const cannot = record({ cache_control: refused('it cannot') });
  const error = refusalOf(() => admit(chatRequest({ tools: [tool] }), cannot, 't'));
  assert.equal(error.param, 'tools[0].cache_control');
  const admitted = admit(chatRequest({ tools: [tool] }, 'drop'), cannot, 't');
  assert.deepEqual(admitted.request.parameters.tools, [
    { type: 'function', function: { name: 'f' } },
  ]);
  assert.deepEqual(admitted.request.wire.tools, admitted.request.parameters.tools);
});

test('what a target learns is noted on the client’s own name', () => {
  const request = chatRequest({ max_completion_tokens: 5, seed: 1 });
  const { receipt } = admit(request, record({}), 't');
  assert.deepEqual(annotate(receipt, [{ parameter: 'max_tokens', note: 'cut to 3' }], request), [
    { name: 'max_completion_tokens', fate: 'honoured', note: 'cut to 3' },
    { name: 'seed', fate: 'honoured' },
  ]);
  assert.equal(annotate(receipt, [], request), receipt);
});

test('the header is visible ASCII of bounded length, whatever names a client sends', () => {
  const names = [
    'a b',
    'x;y=z,w',
    'd\u00e9j\u00e0',
    '\u{1F600}',
    'line\r\nbreak: 1',
    '',
    'x'.repeat(500),
  ];
  const request = chatRequest(Object.fromEntries(names.map((name) => [name, 1])), 'drop');
  const header = receiptHeader(admit(request, record({}), 't').receipt);
  assert.match(header, /^[\x20-\x7e]+$/);
  assert.equal(header.split('; ').length, names.length);
  for (const entry of header.split('; ')) assert.match(entry, /^[^;=,\s]{1,64}=dropped$/);
  const many = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`unknown${index}`, 1]),
  );
  const long = receiptHeader(admit(chatRequest(many, 'drop'), record({}), 't').receipt);
  assert.ok(long.length < 4200, String(long.length));
  assert.match(long, /; \.\.\.=\d+ more$/);
});

test('the header says what was honoured otherwise than asked for', () => {
  const line = { name: 'max_tokens', fate: 'honoured', note: 'cut to 3; é (all)' } as const;
  assert.equal(receiptHeader([line]), 'max_tokens=honoured (cut to 3_ _ _all_)');
});
