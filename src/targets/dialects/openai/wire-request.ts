/**
 * Our request as the body of an upstream that speaks the OpenAI dialect: the client's own bytes
 * with the model's name replaced, and without what the upstream need not or must not see.
 */

import { stringifyJson, type ChatRequest, type FieldName } from '../../../contract/index.ts';
import { editJson, jsonEntries } from './json-entries.ts';

/** Fields that every server of this dialect knows; sent as they are, neutral or not. */
const standardFields: ReadonlySet<string> = new Set<FieldName>([
  'model',
  'messages',
  'prompt',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'n',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'reasoning_effort',
  'verbosity',
  'user',
  'metadata',
  'store',
  'service_tier',
  'modalities',
  'prediction',
  'prompt_cache_key',
  'safety_identifier',
]);

export const isStandardField = (field: string): boolean => standardFields.has(field);

export function toWireRequest(request: ChatRequest, upstreamModel: string): string {
  const { source, wire } = request;
  const wanted = new Set<string>(request.given.map((one) => one.field));
  const edits = new Map<string, string | null>();
  for (const { key } of jsonEntries(source)) {
    // What was dropped is not in `wire`; a neutral value is for servers that know the field.
    const value = Object.hasOwn(wire, key) ? (wire[key as FieldName] ?? null) : null;
    if (value === null || !(isStandardField(key) || wanted.has(key))) edits.set(key, null);
  }
  if (request.unsupported !== 'error') rewriteContent(edits, request);
  if (request.stream) edits.set('stream_options', streamOptions(request));
  return editJson(source, edits.set('model', JSON.stringify(upstreamModel)));
}

/** A relaxed request may have lost pieces of its messages or tools: these are written anew. */
function rewriteContent(edits: Map<string, string | null>, { wire }: ChatRequest): void {
  for (const key of ['messages', 'tools'] as const) {
    if (wire[key]) edits.set(key, stringifyJson(wire[key]));
  }
}

/** Usage is always asked for: it is what a request cost, whether or not the client wants to see it. */
function streamOptions(request: ChatRequest): string {
  return stringifyJson({
    include_usage: true,
    ...(request.continuousUsage && request.parameters.stream_options !== undefined
      ? { continuous_usage_stats: true }
      : {}),
  });
}
