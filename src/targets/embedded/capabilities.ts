/**
 * What the embedded engine does with each parameter. What it cannot do it refuses; nothing is
 * accepted and ignored. Content of messages depends on the model's own chat template.
 */

import {
  emulated,
  honoured,
  refused,
  type CapabilityRecord,
  type ChatRequest,
  type Support,
} from '../../contract/index.ts';
import type { PromptCapabilities } from '../../prompt/index.ts';

const provider = (what: string): Support =>
  refused(`${what} belongs to hosted providers; nothing here acts on it`);

/** Functions are for conversations. */
const withMessages = (request: ChatRequest): Support =>
  request.input.kind === 'messages'
    ? honoured
    : refused('a raw prompt calls no functions', 'Send `messages`');

/** Drafts are text; a part of any other kind predicts nothing that this engine makes. */
const ofTextOnly = ({ parameters }: ChatRequest): Support => {
  const content = parameters.prediction?.content ?? '';
  const isText = (part: Readonly<Record<string, unknown>>): boolean =>
    part['type'] === 'text' && typeof part['text'] === 'string';
  return typeof content === 'string' || content.every(isText)
    ? honoured
    : refused('the embedded engine makes text only', 'Send text parts only');
};

/** Fields of engines that are spread over processes in other ways than this one. */
const foreignState = ['draft_tokens', 'multimodal_embedding_handles', 'multimodal_hashes'] as const;

const ofOneEngine = ({ parameters }: ChatRequest): Support => {
  const given = parameters.disaggregated_params;
  const foreign = foreignState.find((field) => (given?.[field]?.length ?? 0) > 0);
  return foreign === undefined
    ? honoured
    : refused(`the embedded engine makes no \`${foreign}\``, `Leave \`${foreign}\` out of it`);
};

/** @param prompt what becomes of the parameters on the way to the prompt */
export function embeddedCapabilities(prompt: PromptCapabilities): CapabilityRecord {
  return {
    temperature: honoured,
    top_p: honoured,
    top_k: honoured,
    min_p: honoured,
    top_p_min: honoured,
    top_p_decay: honoured,
    top_p_reset_ids: honoured,
    seed: honoured,
    frequency_penalty: honoured,
    presence_penalty: honoured,
    repetition_penalty: honoured,
    logit_bias: honoured,
    bad: honoured,
    bad_token_ids: honoured,
    use_beam_search: honoured,
    length_penalty: honoured,
    early_stopping: honoured,
    prediction: ofTextOnly,

    max_tokens: honoured,
    min_tokens: honoured,
    n: honoured,
    best_of: honoured,

    stop: honoured,
    stop_token_ids: honoured,
    include_stop_str_in_output: honoured,
    ignore_eos: honoured,

    stream_options: honoured,
    logprobs: honoured,
    top_logprobs: honoured,
    skip_special_tokens: honoured,
    spaces_between_special_tokens: honoured,
    modalities: refused('the embedded engine makes text only', 'Leave it out, or send ["text"]'),
    verbosity: refused('the model has no such control', 'Ask for the length in the prompt'),

    truncate_prompt_tokens: honoured,
    echo: ({ input, parameters }) =>
      input.kind === 'prompt' && parameters.logprobs === true
        ? refused('the prompt’s own log-probabilities are not computed', 'Leave out `logprobs`')
        : honoured,
    add_special_tokens: honoured,
    mm_processor_kwargs: refused('the embedded engine has no image processor', 'Leave it out'),
    template_input: refused('the model is not a function with templates'),
    disaggregated_params: ofOneEngine,

    response_format: honoured,
    guided_json: honoured,
    guided_regex: honoured,
    guided_choice: honoured,
    guided_grammar: honoured,
    structural_tag: honoured,
    guided_decoding_backend: refused(
      'the embedded engine has one back end, its own',
      'Leave it out, or send "auto"',
    ),
    guided_whitespace_pattern: honoured,

    tool_choice: withMessages,
    parallel_tool_calls: withMessages,

    store: provider('`store`'),
    service_tier: provider('A service tier'),
    priority: honoured,
    cache_salt: honoured,
    prompt_cache_key: provider('`prompt_cache_key`'),
    safety_identifier: provider('`safety_identifier`'),

    'messages[].content.image_url': refused(
      'the embedded engine has no image encoder, and its models read text only',
      'Say in words what the picture shows, send a PDF or a text as a `file` part, or ask a model on an external target that takes pictures',
    ),
    'messages[].content.file': emulated('its text is put into the message'),
    'messages[].content.input_audio': refused(
      'the embedded engine has no audio encoder, and its models read text only',
      'Send what is said as text, or ask a model on an external target that takes sound',
    ),
    'messages[].provider_state': provider('`provider_state`'),
    cache_control: provider('`cache_control`'),

    ...prompt,
  };
}
