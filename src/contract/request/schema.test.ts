import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chatBody, chatRequest, refusalOf, refusalWith } from '../../../test/support/chat-body.ts';
import { parseChatRequest } from '../parse-chat.ts';
import { chatCompletionRequest } from './schema.ts';

type Values = readonly unknown[];
interface Case {
  readonly good: Values;
  readonly bad: Values;
  /** What else the body needs so that the values are judged for themselves. */
  readonly with?: Readonly<Record<string, unknown>>;
}

const boolean: Case = { good: [true, false], bad: [0, 1, 'true', []] };
const text: Case = { good: ['x', 'a\nb'], bad: [1, true, ['x'], {}] };
const object: Case = { good: [{}, { a: { b: [1] } }], bad: ['{}', [], 1] };
const fraction: Case = { good: [0, 0.5, 1], bad: [-0.01, 1.01, '0.5', true] };
const penalty: Case = { good: [-2, 0, 2], bad: [-2.01, 2.01, '0'] };
const tokenIds: Case = { good: [[], [0], [1, 49_151]], bad: [[-1], [1.5], ['1'], 'x', 7] };
const fn = { name: 'f', parameters: { type: 'object' } };
const tool = { type: 'function', function: fn };

/** Values just inside and just outside of what fields.md says, for every field. */
const cases: Record<string, Case> = {
  model: { good: ['m', 'a/b:c'], bad: ['', 1, ['m']] },
  messages: { good: [[{ role: 'user', content: 'x' }]], bad: [[], 'x', [{}], [{ role: 'user' }]] },
  prompt: {
    good: ['x', '', [1, 2]],
    bad: [1, ['x'], [-1], [1.5]],
    with: { messages: null },
  },
  stream: boolean,
  stream_options: {
    good: [{}, { include_usage: true }, { continuous_usage_stats: true, include_usage: null }],
    bad: [{ include_usage: 1 }, { includeUsage: true }, true],
    with: { stream: true },
  },
  max_tokens: { good: [1, 262_144], bad: [0, -1, 262_145, 1.5, '16'] },
  max_completion_tokens: { good: [1, 262_145, 1_000_000], bad: [0, -1, 1.5, '1'] },
  temperature: { good: [0, 1, 4], bad: [-0.01, 4.01, '1'] },
  top_p: fraction,
  top_k: { good: [-1, 0, 1, 50], bad: [-2, 1.5, '1'] },
  min_p: fraction,
  top_p_min: fraction,
  top_p_decay: { ...fraction, with: { top_p_min: 0.1 } },
  top_p_reset_ids: { ...tokenIds, with: { top_p_min: 0.1 } },
  min_tokens: { good: [0, 10], bad: [-1, 0.5, '1'] },
  seed: { good: [0, -1, 42], bad: ['1', 1.5, true, []] },
  frequency_penalty: penalty,
  presence_penalty: penalty,
  repetition_penalty: { good: [0, 1, 1.5, 100], bad: [-0.01, '1'] },
  length_penalty: { good: [-1, 0, 1, 2.5], bad: ['1', true], with: { use_beam_search: true } },
  early_stopping: {
    good: [true, false, 'never'],
    bad: ['always', 1],
    with: { use_beam_search: true },
  },
  use_beam_search: boolean,
  n: { good: [1, 128], bad: [0, 129, 1.5, '1'] },
  best_of: { good: [1, 128], bad: [0, 129, 1.5] },
  stop: {
    good: ['x', [], ['a', 'b'], 'x'.repeat(1000), Array.from({ length: 32 }, (_, i) => `s${i}`)],
    bad: ['', [''], 'x'.repeat(1001), Array.from({ length: 33 }, (_, i) => `s${i}`), 1, [1]],
  },
  stop_token_ids: tokenIds,
  eos_token_id: { good: [[], [2, 50_256], 2], bad: [-1, [-1], '2', 1.5] },
  include_stop_str_in_output: boolean,
  ignore_eos: boolean,
  bad: { good: ['x', [], ['a', 'b']], bad: ['', [''], 1, [1]] },
  bad_token_ids: tokenIds,
  logit_bias: {
    good: [{}, { '7': -100, '8': 100, '9': 0.5 }],
    bad: [{ '7': -100.5 }, { '7': 101 }, { x: 1 }, { '-1': 1 }, { '7': '1' }, []],
  },
  logprobs: boolean,
  top_logprobs: { good: [0, 20], bad: [-1, 21, 1.5], with: { logprobs: true } },
  skip_special_tokens: boolean,
  spaces_between_special_tokens: boolean,
  echo: boolean,
  add_generation_prompt: boolean,
  continue_final_message: boolean,
  add_special_tokens: boolean,
  truncate_prompt_tokens: { good: [1, 100_000], bad: [0, -1, 1.5] },
  documents: { good: [[], [{ title: 'a', text: 'b' }]], bad: [['x'], [{ a: 1 }], {}] },
  chat_template: text,
  chat_template_kwargs: object,
  chat_template_args: object,
  mm_processor_kwargs: object,
  template_input: object,
  disaggregated_params: {
    good: [
      { request_type: 'context_only' },
      {
        request_type: 'generation_only',
        first_gen_tokens: [1],
        ctx_request_id: 7,
        opaque_state: 's',
        draft_tokens: [],
        multimodal_embedding_handles: [{}],
        multimodal_hashes: ['x'],
      },
    ],
    bad: [{}, { request_type: 'other' }, { request_type: 'context_only', more: 1 }],
  },
  response_format: {
    good: [
      { type: 'text' },
      { type: 'json_object' },
      {
        type: 'json_schema',
        json_schema: { name: 'n', schema: {}, strict: true, description: 'd' },
      },
      { type: 'grammar', grammar: 'root ::= "x"' },
      { type: 'structural_tag', structural_tag: {} },
      { type: 'regex', pattern: 'a+' },
    ],
    bad: ['json', { type: 'json' }, {}, { type: 'grammar' }, { type: 'text', more: 1 }],
  },
  guided_json: { good: [{ type: 'object' }, '{}'], bad: [1, []] },
  guided_regex: text,
  guided_choice: { good: [['a'], ['a', 'b']], bad: [[], 'a', [1]] },
  guided_grammar: text,
  structural_tag: { good: ['{}', {}], bad: [1, []] },
  guided_decoding_backend: text,
  guided_whitespace_pattern: { ...text, with: { guided_json: {} } },
  tools: {
    good: [[], [tool], [{ ...tool, cache_control: { type: 'ephemeral' } }]],
    bad: [tool, [fn], [{ type: 'function' }], [{ ...tool, type: 'other' }]],
  },
  tool_choice: {
    good: [
      'none',
      'auto',
      'required',
      { type: 'function', function: { name: 'f' } },
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{}] } },
    ],
    bad: ['any', { type: 'function' }, { type: 'function', name: 'f' }, 1],
    with: { tools: [tool] },
  },
  parallel_tool_calls: boolean,
  functions: { good: [[], [fn]], bad: [fn, [tool], [{}]] },
  function_call: {
    good: ['none', 'auto', { name: 'f' }],
    bad: ['required', {}, 1],
    with: { functions: [fn] },
  },
  reasoning_effort: {
    good: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    bad: ['max', 1],
  },
  user: text,
  metadata: { good: [{}, { a: 'b' }], bad: [{ a: 1 }, { 'a\nb': 1 }, 'x', []] },
  episode_id: {
    good: ['01977ed9-7492-7b70-8347-9564aeb44a24'],
    bad: ['x', '01977ed974927b7083479564aeb44a24', 1],
  },
  store: boolean,
  service_tier: { good: ['auto', 'default', 'flex', 'priority', 'scale'], bad: ['gold', 1] },
  modalities: { good: [['text'], ['text', 'audio']], bad: ['text', ['video']] },
  prediction: {
    good: [
      { type: 'content', content: 'x' },
      { type: 'content', content: [{ type: 'text', text: 'x' }] },
    ],
    bad: [{ type: 'content' }, { type: 'other', content: 'x' }, 'x'],
  },
  priority: { good: [-1, 0, 5], bad: [1.5, 'high'] },
  cache_salt: text,
  verbosity: { good: ['low', 'medium', 'high'], bad: ['loud', 1] },
  prompt_cache_key: text,
  safety_identifier: text,
  dry_run: boolean,
};

test('every field of the schema has its cases here, and every case its field', () => {
  assert.deepEqual(
    Object.keys(cases).toSorted(),
    Object.keys(chatCompletionRequest.properties).toSorted(),
  );
});

for (const [field, { good, bad, with: more = {} }] of Object.entries(cases)) {
  test(`${field}: takes what is in its range and refuses what is not`, () => {
    for (const value of good) {
      const shown = JSON.stringify(value).slice(0, 80);
      assert.doesNotThrow(() => chatRequest({ ...more, [field]: value }), `${field}: ${shown}`);
    }
    for (const value of bad) {
      const error = refusalWith({ ...more, [field]: value });
      const shown = `${field}: ${JSON.stringify(value).slice(0, 80)} got ${error.message}`;
      assert.ok(['invalid_value', 'missing_field', 'unknown_field'].includes(error.reason), shown);
      assert.equal(error.status, 400);
      assert.ok(error.param?.startsWith(field), shown);
      assert.ok(error.message.startsWith(field), shown);
    }
  });
}

test('null means absent for every optional field', () => {
  const plain = chatRequest();
  for (const field of Object.keys(cases)) {
    if (field === 'model' || field === 'messages') continue;
    const request = chatRequest({ [field]: null });
    assert.deepEqual(
      { ...request, wire: null, source: null },
      { ...plain, wire: null, source: null },
    );
  }
  const raw = chatRequest({ messages: null, prompt: 'x' });
  assert.deepEqual(raw.input, { kind: 'prompt', prompt: 'x' });
  assert.equal(
    refusalWith({ model: null }).message,
    'model: expected a non-empty string, got null',
  );
});

test('null means absent inside messages too', () => {
  const messages = [
    { role: 'system', content: 'x', name: null, provider_state: null },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'u', detail: null } }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: null,
      function_call: null,
      reasoning_content: null,
      refusal: null,
      audio: null,
      annotations: null,
    },
  ];
  assert.equal(chatRequest({ messages }).input.kind, 'messages');
});

test('messages of every role and every kind of part are taken', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const messages = [
    { role: 'system', content: 'a' },
    { role: 'developer', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'user',
      name: 'bob',
      content: [
        { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
        { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
        { type: 'file', file: { file_data: 'data:,', filename: 'x.pdf' } },
        { type: 'input_audio', input_audio: { data: 'x', format: 'wav' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'because' },
    { role: 'tool', tool_call_id: 'c', content: '{}' },
  ];
  assert.equal(chatRequest({ messages }).input.kind, 'messages');
});

test('what a message lacks is named', () => {
  const messageOf = (message: object): string => refusalWith({ messages: [message] }).message;
  assert.equal(
    messageOf({ role: 'tool', content: 'x' }),
    'messages[0].tool_call_id is required: a string',
  );
  assert.equal(
    messageOf({ content: 'x' }),
    'messages[0].role is required: one of "system", "developer", "user", "assistant", "tool"',
  );
  assert.equal(
    messageOf({ role: 'user' }),
    'messages[0].content is required: a string or an array',
  );
  assert.equal(
    messageOf({ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
    'messages[0].content[0].type: expected "text", got "image_url"',
  );
});

test('a seed is a signed 64-bit integer, read exactly', () => {
  const withSeed = (digits: string) =>
    parseChatRequest(`{"model":"m","prompt":"x","seed":${digits}}`).parameters.seed;
  assert.equal(withSeed('9007199254740991'), 9007199254740991);
  assert.equal(withSeed('9007199254740993'), 9007199254740993n);
  assert.equal(withSeed('9223372036854775807'), 2n ** 63n - 1n);
  assert.equal(withSeed('-9223372036854775808'), -(2n ** 63n));
  for (const digits of ['9223372036854775808', '-9223372036854775809', '1e300', '9'.repeat(400)]) {
    const error = refusalOf(() => withSeed(digits));
    assert.equal(error.param, 'seed');
    assert.match(error.message, /signed 64-bit integer/);
    assert.ok(error.message.length < 120, error.message);
  }
});

test('integers beyond 2^53 are refused, exactly, where no 64-bit field is', () => {
  const error = refusalOf(() =>
    parseChatRequest('{"model":"m","prompt":"x","n":9007199254740993}'),
  );
  assert.equal(
    error.message,
    'n: expected an integer from 1 to 128, got 9007199254740993 (beyond 2^53)',
  );
});

const fieldsFile = '../shared/contract/fields.md';

test(
  'every field that the contract names is in the schema',
  { skip: existsSync(fieldsFile) ? false : `${fieldsFile} is not there` },
  () => {
    const section =
      /## Request fields\n([\s\S]*?)\n## /.exec(readFileSync(fieldsFile, 'utf8'))?.[1] ?? '';
    const cells = section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1);
    const named = cells.flatMap((line) =>
      (line.split('|')[1] ?? '')
        .replaceAll(/\([^)]*\)/g, '')
        .split(',')
        .map((name) => name.trim()),
    );
    const extra = [...section.matchAll(/\+ (top_p_decay|top_p_reset_ids|continue_final_message)/g)];
    assert.ok(named.length > 70, `${named.length} names were read`);
    assert.ok(extra.length > 0);
    const inside = new Set([
      'tool_call_id',
      'reasoning_content',
      'provider_state',
      'cache_control',
      'tool_calls',
    ]);
    const known = new Set(Object.keys(chatBody(cases)));
    for (const name of named) {
      if (name.startsWith('messages[]') || inside.has(name)) continue;
      assert.ok(known.has(name), `${name} is a field of the contract and not of the schema`);
    }
  },
);
