/**
 * The body of POST /v1/completions, the older route for raw prompts. It has the chat route's own
 * fields and ranges where both have them, and becomes one request in normal form for each prompt.
 */

import { Type, type Static } from 'typebox';

import { ParlanceError } from './errors.ts';
import { parseJson, stringifyJson } from './json.ts';
import { normalise, type ChatRequest, type UnsupportedMode } from './normalise.ts';
import { inputFields } from './request/input-fields.ts';
import { closed, optional, tokenId } from './request/optional.ts';
import { outputFields } from './request/output-fields.ts';
import { samplingFields } from './request/sampling-fields.ts';
import { parameterTable } from './parameters/table.ts';
import type { FieldName, WireRequest } from './request/schema.ts';
import { structureFields } from './request/structure-fields.ts';
import { createValidator, type Validated } from './validation/validate.ts';

function pick<T extends object, K extends keyof T>(fields: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as Pick<T, K>;
}

/** Prompts of one request that run together. */
const mostPrompts = 128;

export const completionRequest = Type.Object(
  {
    model: inputFields.model,
    prompt: Type.Union(
      [
        Type.String(),
        Type.Array(Type.String(), { minItems: 1, maxItems: mostPrompts }),
        Type.Array(tokenId, { minItems: 1 }),
        Type.Array(Type.Array(tokenId, { minItems: 1 }), { minItems: 1, maxItems: mostPrompts }),
      ],
      { description: 'Raw text, token IDs, or several of either; each is answered on its own.' },
    ),
    logprobs: optional(
      Type.Integer({ minimum: 0, maximum: 20 }),
      'The log probability of each token, and of so many of the most probable ones.',
    ),
    suffix: optional(Type.String(), 'What comes after the text; no model here fills gaps.'),
    ...pick(inputFields, 'echo', 'truncate_prompt_tokens', 'add_special_tokens'),
    ...pick(
      outputFields,
      'stream',
      'stream_options',
      'skip_special_tokens',
      'spaces_between_special_tokens',
      'user',
      'metadata',
      'episode_id',
      'priority',
      'cache_salt',
      'dry_run',
    ),
    ...pick(
      samplingFields,
      'max_tokens',
      'min_tokens',
      'temperature',
      'top_p',
      'top_k',
      'min_p',
      'top_p_min',
      'top_p_decay',
      'top_p_reset_ids',
      'seed',
      'frequency_penalty',
      'presence_penalty',
      'repetition_penalty',
      'logit_bias',
      'bad',
      'bad_token_ids',
      'n',
      'best_of',
      'use_beam_search',
      'length_penalty',
      'early_stopping',
      'stop',
      'stop_token_ids',
      'eos_token_id',
      'include_stop_str_in_output',
      'ignore_eos',
    ),
    ...pick(
      structureFields,
      'response_format',
      'guided_json',
      'guided_regex',
      'guided_choice',
      'guided_grammar',
      'structural_tag',
      'guided_decoding_backend',
      'guided_whitespace_pattern',
    ),
  },
  closed,
);

export type WireCompletionRequest = Static<typeof completionRequest>;

type Prompt = string | readonly number[];

const validate = createValidator(completionRequest);

/**
 * @param source the body's text
 * @returns one request for each prompt, in the order of the prompts; never empty
 * @throws ParlanceError as `parseChatRequest`, and `unsupported_parameter` for `suffix`
 */
export function parseCompletionRequest(
  source: string,
  unsupported: UnsupportedMode = 'error',
): readonly ChatRequest[] {
  const { value, dropped } = validateHere(parseJson(source), unsupported !== 'error');
  refuseSuffix(value);
  const prompts = promptsOf(value.prompt);
  if (value.dry_run === true && prompts.length > 1) {
    throw new ParlanceError(
      'conflicting_fields',
      '`dry_run` plans one prompt at a time, and `prompt` has several; send one of them.',
      { param: 'dry_run' },
    );
  }
  return prompts.map((prompt) => {
    const wire = toChatFields(value, prompt);
    const request = normalise(wire, { unsupported, dropped, source: stringifyJson(wire) });
    return { ...request, given: request.given.map(inOldSpelling) };
  });
}

/** As `validate`; a field that only the chat route has is said to be there. */
function validateHere(body: unknown, dropUnknown: boolean): Validated<WireCompletionRequest> {
  try {
    return validate(body, dropUnknown);
  } catch (error) {
    if (!(error instanceof ParlanceError) || error.reason !== 'unknown_field') throw error;
    const field = error.param ?? '';
    if (!Object.hasOwn(parameterTable, field)) throw error;
    throw new ParlanceError(
      'unknown_field',
      `\`${field}\` is a field of POST /v1/chat/completions only. Send the request there (it takes \`prompt\` too), or leave \`${field}\` out.`,
      { param: field, cause: error },
    );
  }
}

function refuseSuffix({ suffix }: WireCompletionRequest): void {
  if ((suffix ?? '') === '') return;
  throw new ParlanceError(
    'unsupported_parameter',
    '`suffix` is not supported: no model here fills gaps. Leave it out, or put the text before the gap into `prompt`.',
    { param: 'suffix' },
  );
}

const isNumbers = (prompt: readonly unknown[]): prompt is readonly number[] =>
  typeof prompt[0] === 'number';

function promptsOf(prompt: WireCompletionRequest['prompt']): readonly Prompt[] {
  if (typeof prompt === 'string') return [prompt];
  return isNumbers(prompt) ? [prompt] : prompt;
}

/** The same wish in the fields of the chat route. */
function toChatFields(value: WireCompletionRequest, prompt: Prompt): WireRequest {
  const { suffix: _, logprobs, ...same } = value;
  const scored = (logprobs ?? null) !== null;
  return {
    ...same,
    prompt: typeof prompt === 'string' ? prompt : [...prompt],
    ...(scored ? { logprobs: true, top_logprobs: logprobs ?? 0 } : {}),
  };
}

/** Here `logprobs` is a number, and the only name that the client knows. */
function inOldSpelling<S extends { readonly field: FieldName }>(spelling: S): S {
  return spelling.field === 'top_logprobs' ? { ...spelling, field: 'logprobs' } : spelling;
}
