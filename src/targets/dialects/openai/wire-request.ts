/**
 * Our request as the body of an upstream that speaks the OpenAI dialect: the client's own bytes
 * with the model's name replaced, and without what the upstream need not or must not see.
 */

import {
  parameterTable,
  stringifyJson,
  type ChatRequest,
  type FieldName,
} from '../../../contract/index.ts';
import { editJson } from './json-entries.ts';

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
  const edits = new Map<string, string | null>([['model', JSON.stringify(upstreamModel)]]);
  const kept = new Set<string>(
    request.given
      .filter(({ parameter }) => parameter in request.parameters)
      .map((one) => one.field),
  );
  for (const [field, value] of Object.entries(request.wire)) {
    const isParameter = parameterTable[field as FieldName].role === 'parameter';
    const refused = isParameter && !kept.has(field) && !isNeutral(request, field);
    const foreign = !isStandardField(field) && !kept.has(field);
    if (value === null || refused || foreign) edits.set(field, null);
  }
  for (const field of request.dropped) edits.set(field, null);
  if (request.stream) edits.set('stream_options', streamOptions(request));
  return editJson(request.source, edits);
}

/** Given and not in `parameters` any more: the request dropped it because the target refuses it. */
function isNeutral(request: ChatRequest, field: string): boolean {
  return !request.given.some((one) => one.field === field);
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
