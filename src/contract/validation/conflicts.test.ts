import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatRequest, refusalOf, refusalWith } from '../../../test/support/chat-body.ts';
import { parseChatRequest } from '../parse-chat.ts';

const tool = { type: 'function', function: { name: 'f' } };
const json = { type: 'json_object' };

/** Each: the fields, the field that is blamed, the words. */
const conflicts: readonly (readonly [Record<string, unknown>, string, string])[] = [
  ...[
    { temperature: 0.5 },
    { top_p: 0.9 },
    { top_k: 5 },
    { min_p: 0.1 },
    { top_p_min: 0.1 },
    { frequency_penalty: 1 },
    { presence_penalty: 1 },
    { repetition_penalty: 1.1 },
    { logit_bias: { '3': 1 } },
    { seed: 0 },
  ].map((fields) => {
    const field = Object.keys(fields)[0] ?? '';
    const words = `\`${field}\` and \`use_beam_search\` exclude each other: beam search ranks by raw logprobs and draws nothing. Leave one of them out.`;
    return [{ use_beam_search: true, ...fields }, field, words] as const;
  }),
  ...[{ n: 2 }, { best_of: 2 }, { use_beam_search: true }].map((fields) => {
    const field = Object.keys(fields)[0] ?? '';
    const words = `\`${field}\` and request_type context_only exclude each other: the context of one choice is handed over.`;
    return [
      { disaggregated_params: { request_type: 'context_only' }, ...fields },
      field,
      words,
    ] as const;
  }),
  [{ prompt: 'x' }, 'prompt', '`messages` and `prompt` are both there; send exactly one of them.'],
  [
    { guided_json: {}, guided_regex: 'a' },
    'guided_regex',
    '`guided_json` and `guided_regex` both constrain the text; send at most one constraint.',
  ],
  [
    { guided_choice: ['a'], guided_grammar: 'x' },
    'guided_grammar',
    '`guided_choice` and `guided_grammar` both constrain the text; send at most one constraint.',
  ],
  [
    { structural_tag: {}, guided_json: {} },
    'structural_tag',
    '`guided_json` and `structural_tag` both constrain the text; send at most one constraint.',
  ],
  [
    { response_format: json, guided_json: {} },
    'guided_json',
    '`response_format` and `guided_json` both constrain the text; send at most one constraint.',
  ],
  [
    { stream_options: {} },
    'stream_options',
    '`stream_options` needs `stream: true`, which this request does not have. Add that, or leave `stream_options` out.',
  ],
  [
    { stream: false, stream_options: { include_usage: false } },
    'stream_options',
    '`stream_options` needs `stream: true`, which this request does not have. Add that, or leave `stream_options` out.',
  ],
  [
    { top_logprobs: 5 },
    'top_logprobs',
    '`top_logprobs` needs `logprobs: true`, which this request does not have. Add that, or leave `top_logprobs` out.',
  ],
  [
    { logprobs: false, top_logprobs: 5 },
    'top_logprobs',
    '`top_logprobs` needs `logprobs: true`, which this request does not have. Add that, or leave `top_logprobs` out.',
  ],
  [
    { length_penalty: 2 },
    'length_penalty',
    '`length_penalty` needs `use_beam_search: true`, which this request does not have. Add that, or leave `length_penalty` out.',
  ],
  [
    { early_stopping: 'never' },
    'early_stopping',
    '`early_stopping` needs `use_beam_search: true`, which this request does not have. Add that, or leave `early_stopping` out.',
  ],
  [
    { top_p_decay: 0.9 },
    'top_p_decay',
    '`top_p_decay` needs `top_p_min` above 0, which this request does not have. Add that, or leave `top_p_decay` out.',
  ],
  [
    { top_p_reset_ids: [1] },
    'top_p_reset_ids',
    '`top_p_reset_ids` needs `top_p_min` above 0, which this request does not have. Add that, or leave `top_p_reset_ids` out.',
  ],
  [
    { guided_whitespace_pattern: ' ' },
    'guided_whitespace_pattern',
    '`guided_whitespace_pattern` needs a JSON constraint (`guided_json`, or `response_format` of type json_object or json_schema), which this request does not have. Add that, or leave `guided_whitespace_pattern` out.',
  ],
  [
    { tool_choice: 'required' },
    'tool_choice',
    '`tool_choice` needs `tools`, which this request does not have. Add that, or leave `tool_choice` out.',
  ],
  [
    { function_call: { name: 'f' } },
    'function_call',
    '`function_call` needs `functions`, which this request does not have. Add that, or leave `function_call` out.',
  ],
  [
    { chat_template_kwargs: { a: 1 }, chat_template_args: { a: 2 } },
    'chat_template_args',
    '`chat_template_kwargs` and `chat_template_args` mean the same thing and have different values; send one of them.',
  ],
  [
    { tools: [tool], functions: [{ name: 'g' }] },
    'functions',
    '`tools` and `functions` mean the same thing and have different values; send one of them.',
  ],
  [
    { tools: [tool], tool_choice: 'auto', function_call: 'none' },
    'function_call',
    '`tool_choice` and `function_call` mean the same thing and have different values; send one of them.',
  ],
  [
    { min_tokens: 20, max_tokens: 10 },
    'min_tokens',
    '`min_tokens` (20) is above `max_tokens` (10); lower it or raise the limit.',
  ],
  [
    { min_tokens: 20, max_tokens: 30, max_completion_tokens: 10 },
    'min_tokens',
    '`min_tokens` (20) is above `max_completion_tokens` (10); lower it or raise the limit.',
  ],
  [
    { n: 3, best_of: 2 },
    'best_of',
    '`best_of` (2) is below `n` (3); it must be at least as large.',
  ],
  [
    { add_generation_prompt: true, continue_final_message: true },
    'continue_final_message',
    '`continue_final_message` and `add_generation_prompt` are both true; a turn is either continued or opened.',
  ],
];

for (const [extra, field, message] of conflicts) {
  test(`a conflict: ${JSON.stringify(extra).slice(0, 70)}`, () => {
    const error = refusalWith(extra);
    assert.equal(error.message, message);
    assert.equal(error.param, field);
    assert.equal(error.reason, 'conflicting_fields');
    assert.equal(error.status, 400);
  });
}

const peaceful: readonly Record<string, unknown>[] = [
  { response_format: { type: 'text' }, guided_json: {} },
  { response_format: json, tools: [tool] },
  { guided_json: {}, guided_regex: null },
  { stream: true, stream_options: { include_usage: true } },
  { stream: true, stream_options: null },
  { stream_options: null },
  { logprobs: true, top_logprobs: 5 },
  { top_logprobs: 0 },
  { length_penalty: 1, early_stopping: false },
  { use_beam_search: true, length_penalty: 2, early_stopping: 'never' },
  { use_beam_search: true, temperature: 0, top_p: 1, top_k: -1, logit_bias: {}, seed: null },
  { use_beam_search: true, n: 2, best_of: 4, min_tokens: 2, max_tokens: 9, bad: ['x'] },
  { disaggregated_params: { request_type: 'context_only' }, n: 1, best_of: 1 },
  { disaggregated_params: { request_type: 'generation_only' }, n: 2 },
  { top_p_min: 0.1, top_p_decay: 0.9, top_p_reset_ids: [1] },
  { top_p_decay: 1, top_p_reset_ids: [] },
  { tool_choice: 'none' },
  { tool_choice: 'auto' },
  { functions: [{ name: 'f' }], tool_choice: 'required' },
  { chat_template_kwargs: { a: 1 }, chat_template_args: { a: 1 } },
  { chat_template_kwargs: { a: 1, b: [2] }, chat_template_args: { b: [2], a: 1 } },
  { tools: [tool], functions: [{ name: 'f' }] },
  { min_tokens: 10, max_tokens: 10 },
  { min_tokens: 10, max_tokens: null },
  { n: 2, best_of: 2 },
  { add_generation_prompt: false, continue_final_message: true },
  { continue_final_message: true },
  { messages: null, prompt: 'x' },
  { prompt: null },
];

for (const extra of peaceful) {
  test(`no conflict: ${JSON.stringify(extra).slice(0, 70)}`, () => {
    assert.doesNotThrow(() => chatRequest(extra));
  });
}

for (const source of ['{"model":"m"}', '{"model":"m","messages":null,"prompt":null}']) {
  test(`neither messages nor prompt: ${source}`, () => {
    const error = refusalOf(() => parseChatRequest(source));
    assert.equal(error.reason, 'missing_field');
    assert.equal(error.param, 'messages');
    assert.equal(
      error.message,
      '`messages` is required: send `messages`, or `prompt` for raw text.',
    );
  });
}
