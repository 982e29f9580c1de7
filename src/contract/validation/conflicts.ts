/**
 * What a schema cannot say: fields that contradict each other and fields that need another one.
 * Each is an error that names both. Runs on bodies that already match the schema.
 */

import { isDeepStrictEqual } from 'node:util';
import { ParlanceError } from '../errors.ts';
import type { ParameterRow } from '../parameters/row.ts';
import { parameterTable } from '../parameters/table.ts';
import { toToolChoice, toTools } from '../request/old-names.ts';
import type { FieldName, WireRequest } from '../request/schema.ts';

const constraintFields = [
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'structural_tag',
] as const satisfies readonly FieldName[];

const given = (request: WireRequest, field: FieldName): boolean =>
  (request[field] ?? null) !== null;

function conflict(field: FieldName, message: string): ParlanceError {
  return new ParlanceError('conflicting_fields', message, { param: field });
}

function invalid(field: FieldName, message: string): ParlanceError {
  return new ParlanceError('invalid_value', `${field}: ${message}`, { param: field });
}

/** @throws ParlanceError `conflicting_fields` or `invalid_value`: the first conflict found. */
export function checkConflicts(request: WireRequest): void {
  checkInput(request);
  checkNeeds(request);
  checkConstraints(request);
  checkSynonyms(request);
  checkNumbers(request);
  checkContinuation(request);
  checkBeamSearch(request);
  checkHandover(request);
}

function checkInput(request: WireRequest): void {
  const messages = given(request, 'messages');
  const prompt = given(request, 'prompt');
  if (messages && prompt) {
    throw conflict('prompt', '`messages` and `prompt` are both there; send exactly one of them.');
  }
  if (!messages && !prompt) {
    throw new ParlanceError(
      'missing_field',
      '`messages` is required: send `messages`, or `prompt` for raw text.',
      { param: 'messages' },
    );
  }
}

function checkNeeds(request: WireRequest): void {
  for (const field of Object.keys(request) as FieldName[]) {
    const value = request[field];
    const row = parameterTable[field] as ParameterRow<unknown>;
    if ((value ?? null) === null || row.needs === undefined || row.needs.met(request)) continue;
    if (row.needs.always !== true && row.neutral(value as object, request)) continue;
    throw conflict(
      field,
      `\`${field}\` needs ${row.needs.what}, which this request does not have. Add that, or leave \`${field}\` out.`,
    );
  }
}

function checkConstraints(request: WireRequest): void {
  const constraints: FieldName[] = constraintFields.filter((field) => given(request, field));
  const format = request.response_format?.type ?? 'text';
  if (format !== 'text') constraints.unshift('response_format');
  const [first, second] = constraints;
  if (first === undefined || second === undefined) return;
  throw conflict(
    second,
    `\`${first}\` and \`${second}\` both constrain the text; send at most one constraint.`,
  );
}

interface Synonyms {
  readonly one: FieldName;
  readonly other: FieldName;
  /** The other's value in the form of the one's. */
  readonly folded: (request: WireRequest) => unknown;
}

const synonyms: readonly Synonyms[] = [
  {
    one: 'chat_template_kwargs',
    other: 'chat_template_args',
    folded: (request) => request.chat_template_args,
  },
  { one: 'tools', other: 'functions', folded: (request) => toTools(request.functions ?? []) },
  {
    one: 'tool_choice',
    other: 'function_call',
    folded: (request) => toToolChoice(request.function_call ?? 'auto'),
  },
];

function checkSynonyms(request: WireRequest): void {
  for (const { one, other, folded } of synonyms) {
    if (!given(request, one) || !given(request, other)) continue;
    // The order of an object's keys means nothing.
    if (isDeepStrictEqual(request[one], folded(request))) continue;
    throw conflict(
      other,
      `\`${one}\` and \`${other}\` mean the same thing and have different values; send one of them.`,
    );
  }
}

const int64Limit = 2n ** 63n;

function checkNumbers(request: WireRequest): void {
  const { seed } = request;
  if (seed !== undefined && seed !== null) {
    const exact = BigInt(seed);
    if (exact < -int64Limit || exact >= int64Limit) {
      throw invalid('seed', 'expected a signed 64-bit integer, from -2^63 to 2^63 - 1');
    }
  }
  const limit = maxTokensOf(request);
  const least = request.min_tokens ?? 0;
  if (limit !== null && least > limit.value) {
    throw conflict(
      'min_tokens',
      `\`min_tokens\` (${least}) is above \`${limit.field}\` (${limit.value}); lower it or raise the limit.`,
    );
  }
  const n = request.n ?? 1;
  if (given(request, 'best_of') && (request.best_of ?? n) < n) {
    throw conflict(
      'best_of',
      `\`best_of\` (${request.best_of}) is below \`n\` (${n}); it must be at least as large.`,
    );
  }
}

/** The limit that counts: of max_tokens and max_completion_tokens the smaller. */
export function maxTokensOf(request: WireRequest): { field: FieldName; value: number } | null {
  const limits = (['max_tokens', 'max_completion_tokens'] as const)
    .map((field) => ({ field, value: request[field] ?? Number.POSITIVE_INFINITY }))
    .toSorted((one, other) => one.value - other.value);
  const [smallest] = limits;
  return smallest === undefined || smallest.value === Number.POSITIVE_INFINITY ? null : smallest;
}

function checkContinuation(request: WireRequest): void {
  if (request.continue_final_message !== true || request.add_generation_prompt !== true) return;
  throw conflict(
    'continue_final_message',
    '`continue_final_message` and `add_generation_prompt` are both true; a turn is either continued or opened.',
  );
}

/** What changes the distribution that tokens are drawn from; beam search draws nothing. */
const drawing = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_p_min',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'seed',
] as const satisfies readonly FieldName[];

function checkBeamSearch(request: WireRequest): void {
  if (request.use_beam_search !== true) return;
  for (const field of drawing) {
    const value = request[field] ?? null;
    const row = parameterTable[field] as ParameterRow<unknown>;
    if (value === null || row.neutral(value, request)) continue;
    // Greedy is what beam search with one beam is.
    if (field === 'temperature' && value === 0) continue;
    throw conflict(
      field,
      `\`${field}\` and \`use_beam_search\` exclude each other: beam search ranks by raw logprobs and draws nothing. Leave one of them out.`,
    );
  }
}

function checkHandover(request: WireRequest): void {
  if (request.disaggregated_params?.request_type !== 'context_only') return;
  const field =
    request.use_beam_search === true
      ? 'use_beam_search'
      : (['n', 'best_of'] as const).find((one) => (request[one] ?? 1) > 1);
  if (field === undefined) return;
  throw conflict(
    field,
    `\`${field}\` and request_type context_only exclude each other: the context of one choice is handed over.`,
  );
}
