import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatRequest } from '../../../test/support/chat-body.ts';
import { chatCompletionRequest } from '../request/schema.ts';
import type { ParameterRow } from './row.ts';
import { parameterTable } from './table.ts';

const rows = Object.entries(parameterTable) as [string, ParameterRow<unknown>][];
const tool = { type: 'function', function: { name: 'f' } };

test('the table has exactly the fields of the schema', () => {
  assert.deepEqual(
    Object.keys(parameterTable).toSorted(),
    Object.keys(chatCompletionRequest.properties).toSorted(),
  );
});

test('every row has words, and its synonym is a row that is no synonym itself', () => {
  for (const [field, row] of rows) {
    assert.ok(row.default.length > 0, field);
    assert.ok(row.neutralText.length > 0, field);
    if (row.synonymOf === undefined) continue;
    const own = parameterTable[row.synonymOf] as ParameterRow<unknown>;
    assert.equal(own.synonymOf, undefined, field);
    assert.equal(own.role, 'parameter', field);
  }
});

/** Values that change nothing: none of them may reach a target or a receipt. */
const neutral: Record<string, readonly unknown[]> = {
  echo: [false],
  add_generation_prompt: [true],
  continue_final_message: [false],
  add_special_tokens: [false],
  documents: [[]],
  chat_template_kwargs: [{}],
  chat_template_args: [{}],
  mm_processor_kwargs: [{}],
  template_input: [{}],
  disaggregated_params: [{ request_type: 'context_and_generation' }],
  min_tokens: [0],
  n: [1],
  best_of: [1],
  temperature: [1, 1.0],
  top_p: [1],
  top_k: [-1, 0],
  min_p: [0],
  top_p_min: [0],
  top_p_decay: [1],
  top_p_reset_ids: [[]],
  frequency_penalty: [0, -0],
  presence_penalty: [0],
  repetition_penalty: [1],
  logit_bias: [{}],
  bad: [[]],
  bad_token_ids: [[]],
  use_beam_search: [false],
  length_penalty: [1],
  early_stopping: [false],
  stop: [[]],
  stop_token_ids: [[]],
  eos_token_id: [[]],
  include_stop_str_in_output: [false],
  ignore_eos: [false],
  logprobs: [false],
  top_logprobs: [0],
  skip_special_tokens: [true],
  spaces_between_special_tokens: [true],
  modalities: [['text']],
  verbosity: ['medium'],
  response_format: [{ type: 'text' }],
  guided_decoding_backend: ['auto'],
  tools: [[]],
  tool_choice: ['auto', 'none'],
  parallel_tool_calls: [true, false],
  functions: [[]],
  function_call: ['auto', 'none'],
  store: [false],
  service_tier: ['auto', 'default'],
  priority: [0],
  stream: [false],
  dry_run: [false],
};

test('fields without a neutral value are those whose sender always means them', () => {
  const without = rows.map(([field]) => field).filter((field) => neutral[field] === undefined);
  assert.deepEqual(without.toSorted(), [
    'cache_salt',
    'chat_template',
    'episode_id',
    'guided_choice',
    'guided_grammar',
    'guided_json',
    'guided_regex',
    'guided_whitespace_pattern',
    'max_completion_tokens',
    'max_tokens',
    'messages',
    'metadata',
    'model',
    'prediction',
    'prompt',
    'prompt_cache_key',
    'reasoning_effort',
    'safety_identifier',
    'seed',
    'stream_options',
    'structural_tag',
    'truncate_prompt_tokens',
    'user',
  ]);
});

for (const [field, values] of Object.entries(neutral)) {
  test(`${field}: its neutral values leave no trace`, () => {
    for (const value of values) {
      const request = chatRequest({ [field]: value });
      assert.deepEqual(request.given, [], JSON.stringify(value));
      assert.deepEqual(request.parameters, {}, JSON.stringify(value));
    }
  });
}

test('what is neutral may depend on other fields', () => {
  const given = (extra: Record<string, unknown>) =>
    chatRequest(extra).given.map((one) => one.field);
  assert.deepEqual(given({ n: 3, best_of: 3 }), ['n']);
  assert.deepEqual(given({ n: 3, best_of: 4 }), ['n', 'best_of']);
  assert.deepEqual(given({ messages: null, prompt: 'x', add_special_tokens: true }), []);
  assert.deepEqual(given({ messages: null, prompt: 'x', add_special_tokens: false }), [
    'add_special_tokens',
  ]);
  assert.deepEqual(given({ add_special_tokens: true }), ['add_special_tokens']);
  assert.deepEqual(given({ tools: [tool], tool_choice: 'none' }), ['tools', 'tool_choice']);
  assert.deepEqual(given({ tools: [tool], parallel_tool_calls: false }), [
    'tools',
    'parallel_tool_calls',
  ]);
  assert.deepEqual(given({ functions: [{ name: 'f' }], parallel_tool_calls: false }), [
    'functions',
    'parallel_tool_calls',
  ]);
  assert.deepEqual(given({ stream: true, stream_options: {} }), []);
  assert.deepEqual(given({ stream: true, stream_options: { include_usage: true } }), [
    'stream_options',
  ]);
  assert.deepEqual(given({ modalities: ['text', 'audio'] }), ['modalities']);
});

test('input and recorded fields are never parameters', () => {
  const request = chatRequest({ stream: true, dry_run: true, user: 'u', metadata: { a: 'b' } });
  assert.deepEqual(request.given, []);
  assert.deepEqual(request.recorded, { user: 'u', metadata: { a: 'b' }, episodeId: null });
  assert.equal(request.stream, true);
  assert.equal(request.dryRun, true);
});
