/**
 * For every field of the request one value that means something and one that changes nothing. A
 * field of the contract that has no row here does not compile, so the matrix test misses none.
 */

import type { ContentName, FieldName, WireRequest } from '../../src/contract/index.ts';

type Fields = Partial<WireRequest>;

export interface Sample {
  /** The field with a non-neutral value, first, and whatever it needs after it. */
  readonly sent: Fields;
  /** The field with a value that every target accepts, null where there is none. */
  readonly neutral: Fields | null;
}

const user = { role: 'user', content: 'Say hi.' } as const;
const getWeather = {
  name: 'get_weather',
  description: 'The weather somewhere.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
} as const;
const tools: NonNullable<WireRequest['tools']> = [{ type: 'function', function: getWeather }];
const tags = {
  type: 'structural_tag',
  triggers: ['<f'],
  structures: [{ begin: '<f>', schema: { type: 'object' }, end: '</f>' }],
};
const jsonSchema = { type: 'object', properties: { a: { type: 'integer' } } };

/** Fields that say who answers and from what; they are no parameters, and tests of their own send them. */
export type InputField = 'model' | 'messages' | 'prompt' | 'stream' | 'dry_run';

export const samples: { readonly [K in Exclude<FieldName, InputField>]: Sample } = {
  truncate_prompt_tokens: { sent: { truncate_prompt_tokens: 4 }, neutral: null },
  echo: { sent: { echo: true }, neutral: { echo: false } },
  add_generation_prompt: {
    sent: { add_generation_prompt: false },
    neutral: { add_generation_prompt: true },
  },
  continue_final_message: {
    sent: { continue_final_message: true, add_generation_prompt: false },
    neutral: { continue_final_message: false },
  },
  add_special_tokens: {
    sent: { add_special_tokens: true },
    neutral: { add_special_tokens: false },
  },
  documents: { sent: { documents: [{ title: 'a', text: 'b' }] }, neutral: { documents: [] } },
  chat_template: { sent: { chat_template: '{{ messages[0].content }}' }, neutral: null },
  chat_template_kwargs: {
    sent: { chat_template_kwargs: { enable_thinking: true } },
    neutral: { chat_template_kwargs: {} },
  },
  chat_template_args: {
    sent: { chat_template_args: { enable_thinking: true } },
    neutral: { chat_template_args: {} },
  },
  mm_processor_kwargs: {
    sent: { mm_processor_kwargs: { num_crops: 4 } },
    neutral: { mm_processor_kwargs: {} },
  },
  template_input: { sent: { template_input: { topic: 'sea' } }, neutral: { template_input: {} } },
  disaggregated_params: {
    sent: { disaggregated_params: { request_type: 'context_only' } },
    neutral: { disaggregated_params: { request_type: 'context_and_generation' } },
  },

  max_tokens: { sent: { max_tokens: 3 }, neutral: null },
  max_completion_tokens: { sent: { max_completion_tokens: 3 }, neutral: null },
  min_tokens: { sent: { min_tokens: 1 }, neutral: { min_tokens: 0 } },
  n: { sent: { n: 2 }, neutral: { n: 1 } },
  best_of: { sent: { best_of: 2 }, neutral: { best_of: 1 } },

  temperature: { sent: { temperature: 0.5 }, neutral: { temperature: 1 } },
  top_p: { sent: { top_p: 0.5 }, neutral: { top_p: 1 } },
  top_k: { sent: { top_k: 5 }, neutral: { top_k: -1 } },
  min_p: { sent: { min_p: 0.1 }, neutral: { min_p: 0 } },
  top_p_min: { sent: { top_p_min: 0.2 }, neutral: { top_p_min: 0 } },
  top_p_decay: { sent: { top_p_decay: 0.9, top_p_min: 0.2 }, neutral: { top_p_decay: 1 } },
  top_p_reset_ids: {
    sent: { top_p_reset_ids: [3], top_p_min: 0.2 },
    neutral: { top_p_reset_ids: [] },
  },
  seed: { sent: { seed: 42 }, neutral: null },
  frequency_penalty: { sent: { frequency_penalty: 0.5 }, neutral: { frequency_penalty: 0 } },
  presence_penalty: { sent: { presence_penalty: 0.5 }, neutral: { presence_penalty: 0 } },
  repetition_penalty: { sent: { repetition_penalty: 1.1 }, neutral: { repetition_penalty: 1 } },
  logit_bias: { sent: { logit_bias: { '100': -5 } }, neutral: { logit_bias: {} } },
  bad: { sent: { bad: ['never'] }, neutral: { bad: [] } },
  bad_token_ids: { sent: { bad_token_ids: [100] }, neutral: { bad_token_ids: [] } },
  use_beam_search: { sent: { use_beam_search: true }, neutral: { use_beam_search: false } },
  length_penalty: {
    sent: { length_penalty: 2, use_beam_search: true },
    neutral: { length_penalty: 1 },
  },
  early_stopping: {
    sent: { early_stopping: true, use_beam_search: true },
    neutral: { early_stopping: false },
  },
  prediction: { sent: { prediction: { type: 'content', content: 'hi' } }, neutral: null },

  stop: { sent: { stop: ['###'] }, neutral: { stop: [] } },
  stop_token_ids: { sent: { stop_token_ids: [2] }, neutral: { stop_token_ids: [] } },
  eos_token_id: { sent: { eos_token_id: [2] }, neutral: { eos_token_id: [] } },
  include_stop_str_in_output: {
    sent: { include_stop_str_in_output: true },
    neutral: { include_stop_str_in_output: false },
  },
  ignore_eos: { sent: { ignore_eos: true }, neutral: { ignore_eos: false } },

  stream_options: {
    sent: { stream_options: { include_usage: true }, stream: true },
    neutral: { stream_options: { include_usage: false }, stream: true },
  },
  logprobs: { sent: { logprobs: true }, neutral: { logprobs: false } },
  top_logprobs: { sent: { top_logprobs: 2, logprobs: true }, neutral: { top_logprobs: 0 } },
  skip_special_tokens: {
    sent: { skip_special_tokens: false },
    neutral: { skip_special_tokens: true },
  },
  spaces_between_special_tokens: {
    sent: { spaces_between_special_tokens: false },
    neutral: { spaces_between_special_tokens: true },
  },
  modalities: { sent: { modalities: ['audio'] }, neutral: { modalities: ['text'] } },
  verbosity: { sent: { verbosity: 'low' }, neutral: { verbosity: 'medium' } },

  response_format: {
    sent: { response_format: { type: 'json_object' } },
    neutral: { response_format: { type: 'text' } },
  },
  guided_json: { sent: { guided_json: jsonSchema }, neutral: null },
  guided_regex: { sent: { guided_regex: '[a-z]+' }, neutral: null },
  guided_choice: { sent: { guided_choice: ['yes', 'no'] }, neutral: null },
  guided_grammar: { sent: { guided_grammar: 'root ::= "a"' }, neutral: null },
  structural_tag: { sent: { structural_tag: JSON.stringify(tags) }, neutral: null },
  guided_decoding_backend: {
    sent: { guided_decoding_backend: 'xgrammar' },
    neutral: { guided_decoding_backend: 'auto' },
  },
  guided_whitespace_pattern: {
    sent: { guided_whitespace_pattern: ' ?', guided_json: jsonSchema },
    neutral: null,
  },
  reasoning_effort: { sent: { reasoning_effort: 'high' }, neutral: null },

  tools: { sent: { tools }, neutral: { tools: [] } },
  tool_choice: { sent: { tool_choice: 'required', tools }, neutral: { tool_choice: 'auto' } },
  parallel_tool_calls: {
    sent: { parallel_tool_calls: false, tools },
    neutral: { parallel_tool_calls: true },
  },
  functions: { sent: { functions: [getWeather] }, neutral: { functions: [] } },
  function_call: {
    sent: { function_call: { name: 'get_weather' }, functions: [getWeather] },
    neutral: { function_call: 'auto' },
  },

  store: { sent: { store: true }, neutral: { store: false } },
  service_tier: { sent: { service_tier: 'flex' }, neutral: { service_tier: 'auto' } },
  priority: { sent: { priority: 1 }, neutral: { priority: 0 } },
  cache_salt: { sent: { cache_salt: 'salt' }, neutral: null },
  prompt_cache_key: { sent: { prompt_cache_key: 'key' }, neutral: null },
  safety_identifier: { sent: { safety_identifier: 'who' }, neutral: null },
  user: { sent: { user: 'someone' }, neutral: null },
  metadata: { sent: { metadata: { a: 'b' } }, neutral: null },
  episode_id: {
    sent: { episode_id: '01977ed9-7492-7b70-8347-9564aeb44a24' },
    neutral: null,
  },
};

type Messages = NonNullable<WireRequest['messages']>;

export interface ContentSample {
  readonly messages: Messages;
  readonly fields?: Fields;
  /** Where an error says that it is. */
  readonly path: string;
}

const image = { url: 'data:image/png;base64,iVBORw0KGgo=' };
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{}' },
} as const;
const inPart = (part: object): Messages =>
  [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] }] as Messages;

/** What messages hold beside text. */
export const contentSamples: { readonly [K in ContentName]: ContentSample } = {
  'messages[].content.image_url': {
    messages: inPart({ type: 'image_url', image_url: image }),
    path: 'messages[0].content[1]',
  },
  'messages[].content.file': {
    messages: inPart({
      type: 'file',
      file: { filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' },
    }),
    path: 'messages[0].content[1]',
  },
  'messages[].content.input_audio': {
    messages: inPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    path: 'messages[0].content[1]',
  },
  'messages[].name': { messages: [{ ...user, name: 'Ann' }], path: 'messages[0].name' },
  'messages[].tool_calls': {
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'sunny', tool_call_id: 'call_1' },
    ],
    path: 'messages[1].tool_calls',
  },
  'messages[].reasoning_content': {
    messages: [user, { role: 'assistant', content: 'hi', reasoning_content: 'hm' }, user],
    path: 'messages[1].reasoning_content',
  },
  'messages[].provider_state': {
    messages: [user, { role: 'assistant', content: 'hi', provider_state: { a: 1 } }, user],
    path: 'messages[1].provider_state',
  },
  cache_control: {
    messages: inPart({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }),
    path: 'messages[0].content[1].cache_control',
  },
};
