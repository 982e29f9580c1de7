/**
 * The parameter table: for each field its role, its neutral value, its synonyms and what it needs.
 * A field of the schema without a row does not compile. Validation, the receipt, the capability
 * records, the reference page and the tests read it; nothing else knows these facts.
 */

import { emptyList, emptyObject, never, only } from './neutral.ts';
import type { Need, ParameterTable } from './row.ts';

const isTrue = (value: boolean | null | undefined): boolean => value === true;
const some = (list: readonly unknown[] | null | undefined): boolean => (list?.length ?? 0) > 0;

const beamSearch: Need = {
  field: 'use_beam_search',
  met: (request) => isTrue(request.use_beam_search),
  what: '`use_beam_search: true`',
};

const dynamicTopP: Need = {
  field: 'top_p_min',
  met: (request) => (request.top_p_min ?? 0) > 0,
  what: '`top_p_min` above 0',
};

const jsonConstraint: Need = {
  field: 'guided_json',
  met: (request) =>
    (request.guided_json ?? null) !== null ||
    ['json_object', 'json_schema'].includes(request.response_format?.type ?? ''),
  what: 'a JSON constraint (`guided_json`, or `response_format` of type json_object or json_schema)',
};

const input = { role: 'input', group: 'Input' } as const;
const prompt = { role: 'parameter', group: 'Input' } as const;
const length = { role: 'parameter', group: 'Length' } as const;
const sampling = { role: 'parameter', group: 'Sampling' } as const;
const stopping = { role: 'parameter', group: 'Stopping' } as const;
const output = { role: 'parameter', group: 'Output' } as const;
const structure = { role: 'parameter', group: 'Structure' } as const;
const tools = { role: 'parameter', group: 'Tools' } as const;
const service = { role: 'parameter', group: 'Service' } as const;
const recorded = { role: 'recorded', group: 'Service' } as const;

export const parameterTable = {
  model: { ...input, default: 'required', ...never },
  messages: { ...input, default: 'one of messages and prompt', ...never },
  prompt: { ...input, default: 'one of messages and prompt', ...never },
  stream: { ...input, default: '`false`', ...only(false) },
  dry_run: { ...input, default: '`false`', ...only(false) },

  truncate_prompt_tokens: { ...prompt, default: 'keep all', ...never },
  echo: { ...prompt, default: '`false`', ...only(false) },
  add_generation_prompt: { ...prompt, default: '`true`', ...only(true) },
  continue_final_message: { ...prompt, default: '`false`', ...only(false) },
  add_special_tokens: {
    ...prompt,
    default: '`false`; with a raw `prompt` `true`',
    neutral: (value, request) => value === ((request.prompt ?? null) !== null),
    neutralText: 'the default',
  },
  documents: { ...prompt, default: '`[]`', ...emptyList },
  chat_template: { ...prompt, default: 'the model’s own', ...never },
  chat_template_kwargs: { ...prompt, default: '`{}`', ...emptyObject },
  chat_template_args: {
    ...prompt,
    default: '`{}`',
    ...emptyObject,
    synonymOf: 'chat_template_kwargs',
  },
  mm_processor_kwargs: { ...prompt, default: '`{}`', ...emptyObject },
  template_input: { ...prompt, default: '`{}`', ...emptyObject },
  disaggregated_params: {
    ...prompt,
    default: '`{"request_type": "context_and_generation"}`',
    neutral: (value) => value.request_type === 'context_and_generation',
    neutralText: 'request_type `context_and_generation`',
  },

  max_tokens: {
    ...length,
    default: 'what the context has left, at most 4096; with a raw `prompt` 16',
    ...never,
  },
  max_completion_tokens: {
    ...length,
    default: 'as max_tokens',
    ...never,
    synonymOf: 'max_tokens',
  },
  min_tokens: { ...length, default: '`0`', ...only(0) },
  n: { ...length, default: '`1`', ...only(1) },
  best_of: {
    ...length,
    default: 'n',
    neutral: (value, request) => value === (request.n ?? 1),
    neutralText: 'the value of n',
  },

  temperature: { ...sampling, default: '`1`', ...only(1) },
  top_p: { ...sampling, default: '`1`', ...only(1) },
  top_k: { ...sampling, default: '`-1`', ...only(-1, 0) },
  min_p: { ...sampling, default: '`0`', ...only(0) },
  top_p_min: { ...sampling, default: '`0`', ...only(0) },
  top_p_decay: { ...sampling, default: '`1`', ...only(1), needs: dynamicTopP },
  top_p_reset_ids: { ...sampling, default: '`[]`', ...emptyList, needs: dynamicTopP },
  seed: { ...sampling, default: 'random', ...never },
  frequency_penalty: { ...sampling, default: '`0`', ...only(0) },
  presence_penalty: { ...sampling, default: '`0`', ...only(0) },
  repetition_penalty: { ...sampling, default: '`1`', ...only(1) },
  logit_bias: { ...sampling, default: '`{}`', ...emptyObject },
  bad: { ...sampling, default: '`[]`', ...emptyList },
  bad_token_ids: { ...sampling, default: '`[]`', ...emptyList },
  use_beam_search: { ...sampling, default: '`false`', ...only(false) },
  length_penalty: { ...sampling, default: '`1`', ...only(1), needs: beamSearch },
  early_stopping: { ...sampling, default: '`false`', ...only(false), needs: beamSearch },
  prediction: { ...sampling, default: 'none', ...never },

  stop: { ...stopping, default: '`[]`', ...emptyList },
  stop_token_ids: { ...stopping, default: '`[]`', ...emptyList },
  eos_token_id: { ...stopping, default: '`[]`', ...emptyList, synonymOf: 'stop_token_ids' },
  include_stop_str_in_output: { ...stopping, default: '`false`', ...only(false) },
  ignore_eos: { ...stopping, default: '`false`', ...only(false) },

  stream_options: {
    ...output,
    default: '`{}`',
    neutral: (value) => !isTrue(value.include_usage) && !isTrue(value.continuous_usage_stats),
    neutralText: 'both options false',
    needs: {
      field: 'stream',
      met: (request) => isTrue(request.stream),
      what: '`stream: true`',
      always: true,
    },
  },
  logprobs: { ...output, default: '`false`', ...only(false) },
  top_logprobs: {
    ...output,
    default: '`0`',
    ...only(0),
    needs: {
      field: 'logprobs',
      met: (request) => isTrue(request.logprobs),
      what: '`logprobs: true`',
    },
  },
  skip_special_tokens: { ...output, default: '`true`', ...only(true) },
  spaces_between_special_tokens: { ...output, default: '`true`', ...only(true) },
  modalities: {
    ...output,
    default: '`["text"]`',
    neutral: (value) => value.every((one) => one === 'text'),
    neutralText: '`["text"]`',
  },
  verbosity: { ...output, default: '`"medium"`', ...only('medium') },

  response_format: {
    ...structure,
    default: '`{"type": "text"}`',
    neutral: (value) => value.type === 'text',
    neutralText: 'type `text`',
  },
  guided_json: { ...structure, default: 'none', ...never },
  guided_regex: { ...structure, default: 'none', ...never },
  guided_choice: { ...structure, default: 'none', ...never },
  guided_grammar: { ...structure, default: 'none', ...never },
  structural_tag: { ...structure, default: 'none', ...never },
  guided_decoding_backend: { ...structure, default: '`"auto"`', ...only('auto') },
  guided_whitespace_pattern: {
    ...structure,
    default: 'at most one space, or a newline and its indentation',
    ...never,
    needs: jsonConstraint,
  },
  reasoning_effort: { ...structure, default: 'the model’s own', ...never },

  tools: { ...tools, default: '`[]`', ...emptyList },
  tool_choice: {
    ...tools,
    default: '`"auto"` with tools, else `"none"`',
    neutral: (value, request) =>
      value === 'auto' || (value === 'none' && !some(request.tools) && !some(request.functions)),
    neutralText: '`"auto"`; `"none"` without tools',
    needs: {
      field: 'tools',
      met: (request) => some(request.tools) || some(request.functions),
      what: '`tools`',
    },
  },
  parallel_tool_calls: {
    ...tools,
    default: '`true`',
    neutral: (value, request) => value || !(some(request.tools) || some(request.functions)),
    neutralText: '`true`; anything without tools',
  },
  functions: { ...tools, default: '`[]`', ...emptyList, synonymOf: 'tools' },
  function_call: {
    ...tools,
    default: '`"auto"` with functions',
    neutral: (value, request) => value === 'auto' || (value === 'none' && !some(request.functions)),
    neutralText: '`"auto"`; `"none"` without functions',
    synonymOf: 'tool_choice',
    needs: {
      field: 'functions',
      met: (request) => some(request.functions) || some(request.tools),
      what: '`functions`',
    },
  },

  store: { ...service, default: '`false`', ...only(false) },
  service_tier: { ...service, default: '`"auto"`', ...only('auto', 'default') },
  priority: { ...service, default: '`0`', ...only(0) },
  cache_salt: { ...service, default: 'none', ...never },
  prompt_cache_key: { ...service, default: 'none', ...never },
  safety_identifier: { ...service, default: 'none', ...never },
  user: { ...recorded, default: 'none', ...never },
  metadata: { ...recorded, default: 'none', ...never },
  episode_id: { ...recorded, default: 'none', ...never },
} as const satisfies ParameterTable;

type Table = typeof parameterTable;

/** Parameters by their own name, synonyms folded away: what a capability record must decide. */
export type ParameterName = {
  [K in keyof Table]: Table[K] extends { role: 'parameter'; synonymOf: string }
    ? never
    : Table[K] extends { role: 'parameter' }
      ? K
      : never;
}[keyof Table];
