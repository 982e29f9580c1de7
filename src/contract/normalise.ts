/**
 * The request in our own normal form: nulls and neutral values gone, synonyms folded into one name.
 * Everything behind the contract (routing, targets, receipts) sees this and never the wire.
 */

import { ParlanceError } from './errors.ts';
import type { ParameterRow } from './parameters/row.ts';
import { parameterTable, type ParameterName } from './parameters/table.ts';
import type { Message } from './request/messages.ts';
import { toToolChoice, toTools } from './request/old-names.ts';
import type { FieldName, WireRequest } from './request/schema.ts';
import { checkConflicts, maxTokensOf } from './validation/conflicts.ts';

/** How strict a request is about what cannot be honoured. */
export type UnsupportedMode = 'error' | 'warn' | 'drop';

export type PromptInput =
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  | { readonly kind: 'prompt'; readonly prompt: string | readonly number[] };

/** Non-neutral parameters under their own names. */
export type Parameters = {
  readonly [K in ParameterName]?: NonNullable<WireRequest[K]>;
};

/** A parameter as the client spelt it, and the parameter that it is. */
export interface Spelling {
  readonly field: FieldName;
  readonly parameter: ParameterName;
}

export interface ChatRequest {
  readonly model: string;
  readonly input: PromptInput;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly continuousUsage: boolean;
  readonly parameters: Parameters;
  /** Every non-neutral parameter in the client's own spelling, in the order it was sent. */
  readonly given: readonly Spelling[];
  /** Unknown fields that were left out on request. */
  readonly dropped: readonly string[];
  readonly unsupported: UnsupportedMode;
  readonly dryRun: boolean;
  readonly recorded: {
    readonly user: string | null;
    readonly metadata: Readonly<Record<string, string>> | null;
    readonly episodeId: string | null;
  };
  /** The validated body without what was dropped, for targets that speak the same dialect. */
  readonly wire: WireRequest;
  /** The body as it was sent, with what was dropped. */
  readonly source: string;
}

interface NormaliseOptions {
  readonly unsupported: UnsupportedMode;
  readonly dropped: readonly string[];
  readonly source: string;
}

/** @throws ParlanceError on contradictions between fields. */
export function normalise(wire: WireRequest, options: NormaliseOptions): ChatRequest {
  checkConflicts(wire);
  const given = spellings(wire);
  return {
    model: wire.model,
    input: inputOf(wire),
    stream: wire.stream ?? false,
    includeUsage: wire.stream_options?.include_usage ?? false,
    continuousUsage: wire.stream_options?.continuous_usage_stats ?? false,
    parameters: parametersOf(wire, given),
    given,
    dropped: options.dropped,
    unsupported: options.unsupported,
    dryRun: wire.dry_run ?? false,
    recorded: {
      user: wire.user ?? null,
      metadata: wire.metadata ?? null,
      episodeId: wire.episode_id ?? null,
    },
    wire,
    source: options.source,
  };
}

function inputOf(wire: WireRequest): PromptInput {
  if (wire.messages) return { kind: 'messages', messages: wire.messages };
  if (wire.prompt !== undefined && wire.prompt !== null) {
    return { kind: 'prompt', prompt: wire.prompt };
  }
  throw new ParlanceError('missing_field', '`messages` is required.', { param: 'messages' });
}

function spellings(wire: WireRequest): Spelling[] {
  const found: Spelling[] = [];
  for (const field of Object.keys(wire) as FieldName[]) {
    const value = wire[field] ?? null;
    const row = parameterTable[field] as ParameterRow<unknown>;
    if (value === null || row.role !== 'parameter' || row.neutral(value, wire)) continue;
    found.push({ field, parameter: (row.synonymOf ?? field) as ParameterName });
  }
  return found;
}

/** Folds that are more than another name. */
function folded(wire: WireRequest): Partial<Record<ParameterName, unknown>> {
  const ends = [wire.eos_token_id ?? [], wire.stop_token_ids ?? []].flat();
  const { functions, function_call: call } = wire;
  return {
    max_tokens: maxTokensOf(wire)?.value,
    stop_token_ids: [...new Set(ends)],
    chat_template_kwargs: wire.chat_template_kwargs ?? wire.chat_template_args,
    tools: wire.tools ?? (functions ? toTools(functions) : undefined),
    tool_choice: wire.tool_choice ?? (call ? toToolChoice(call) : undefined),
  };
}

function parametersOf(wire: WireRequest, given: readonly Spelling[]): Parameters {
  const merged: Partial<Record<string, unknown>> = { ...wire, ...folded(wire) };
  return Object.fromEntries(given.map(({ parameter }) => [parameter, merged[parameter]]));
}

/** The same request without these parameters, in its normal form and, in any spelling, its wire form. */
export function withoutParameters(
  request: ChatRequest,
  names: readonly ParameterName[],
): ChatRequest {
  if (names.length === 0) return request;
  const fields = new Set<string>();
  for (const { field, parameter } of request.given) {
    if (names.includes(parameter)) fields.add(field).add(parameter);
  }
  const parameters = Object.entries(request.parameters);
  const wire = Object.entries(request.wire).filter(([field]) => !fields.has(field));
  return {
    ...request,
    parameters: Object.fromEntries(
      parameters.filter(([name]) => !names.includes(name as ParameterName)),
    ),
    wire: Object.fromEntries(wire) as WireRequest,
  };
}
