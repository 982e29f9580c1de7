/**
 * Schemas of what the server answers, for the OpenAPI document and for tests that hold real answers
 * against them: closed, so that a field that nobody wrote down is found. Answers of an external
 * target are passed on as they come and may hold more. No code on a request's way reads this.
 */

import { Type, type TProperties, type TSchema } from 'typebox';
import { errorCatalogue, type Reason } from './errors.ts';

const closed = { additionalProperties: false } as const;
const object = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, description === undefined ? closed : { ...closed, description });
const nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const count = Type.Integer({ minimum: 0 });

export const usageSchema = object(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: object({ cached_tokens: count }),
    completion_tokens_details: object({ reasoning_tokens: count }),
  },
  'Tokens over all choices that were generated.',
);

const logprob = {
  token: Type.String(),
  logprob: Type.Number(),
  bytes: nullable(Type.Array(Type.Integer({ minimum: 0, maximum: 255 }))),
};

const logprobs = nullable(
  object({
    content: nullable(
      Type.Array(object({ ...logprob, top_logprobs: Type.Array(object(logprob)) })),
    ),
    refusal: Type.Null(),
  }),
);

const legacyLogprobs = nullable(
  object({
    tokens: Type.Array(Type.String()),
    token_logprobs: Type.Array(nullable(Type.Number())),
    top_logprobs: nullable(Type.Array(nullable(Type.Record(Type.String(), Type.Number())))),
    text_offset: Type.Array(count),
  }),
);

const finishReason = Type.Enum(['stop', 'length', 'tool_calls', 'content_filter']);
const stopReason = nullable(
  Type.Union([Type.String(), Type.Integer()]),
  'The stop string or the token ID that ended the choice.',
);

const toolCall = object({
  id: Type.String(),
  type: Type.Literal('function'),
  function: object({ name: Type.String(), arguments: Type.String() }),
});

const toolCallDelta = object({
  index: count,
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Literal('function')),
  function: object({
    name: Type.Optional(Type.String()),
    arguments: Type.Optional(Type.String()),
  }),
});

const reasoning = {
  reasoning_content: Type.Optional(nullable(Type.String())),
  reasoning: Type.Optional(nullable(Type.String())),
};

const message = object({
  role: Type.Literal('assistant'),
  content: nullable(Type.String()),
  refusal: nullable(Type.String()),
  ...reasoning,
  tool_calls: Type.Optional(Type.Array(toolCall)),
});

const delta = object({
  role: Type.Optional(Type.Literal('assistant')),
  content: Type.Optional(nullable(Type.String())),
  refusal: Type.Optional(nullable(Type.String())),
  ...reasoning,
  tool_calls: Type.Optional(Type.Array(toolCallDelta)),
});

const handover = Type.Optional(
  object(
    {
      request_type: Type.Literal('context_only'),
      first_gen_tokens: Type.Array(count),
      ctx_request_id: Type.Integer(),
      opaque_state: Type.String(),
    },
    'Of a context_only request: what its generation_only request sends.',
  ),
);

const ended = { finish_reason: finishReason, stop_reason: stopReason };
const choice = { index: count, ...ended };
const chatChoice = { ...choice, disaggregated_params: handover };
const chunkChoice = object({
  index: count,
  delta,
  finish_reason: nullable(finishReason),
  stop_reason: Type.Optional(stopReason),
  logprobs: Type.Optional(logprobs),
  disaggregated_params: handover,
});

const uuid = Type.String({ format: 'uuid' });
const completionId = Type.String({ pattern: '^cmpl-' });
const common = {
  created: Type.Integer({ description: 'Whole seconds since 1970.' }),
  model: Type.String({ description: 'As it was asked for.' }),
  system_fingerprint: Type.Optional(nullable(Type.String())),
  service_tier: Type.Optional(nullable(Type.String())),
};
const episode = {
  episode_id: Type.Optional(Type.String({ format: 'uuid', description: 'UUID version 7.' })),
};
const streamedUsage = { usage: Type.Optional(nullable(usageSchema)) };

export const chatCompletionSchema = object(
  {
    id: uuid,
    object: Type.Literal('chat.completion'),
    ...common,
    ...episode,
    choices: Type.Array(object({ ...chatChoice, message, logprobs }), { minItems: 1 }),
    usage: usageSchema,
  },
  'The answer to `messages`.',
);

export const chatCompletionChunkSchema = object(
  {
    id: uuid,
    object: Type.Literal('chat.completion.chunk'),
    ...common,
    ...episode,
    choices: Type.Array(chunkChoice),
    ...streamedUsage,
  },
  'One event of a streamed answer to `messages`.',
);

/** The answer of the chat route to a raw `prompt`. */
export const promptCompletionSchema = object(
  {
    id: completionId,
    object: Type.Literal('text_completion'),
    ...common,
    ...episode,
    choices: Type.Array(object({ ...chatChoice, message, text: Type.String(), logprobs }), {
      minItems: 1,
    }),
    usage: usageSchema,
  },
  'The answer to a raw `prompt` on the chat route: each choice has both `message` and `text`.',
);

export const promptCompletionChunkSchema = object(
  {
    id: completionId,
    object: Type.Literal('text_completion.chunk'),
    ...common,
    ...episode,
    choices: Type.Array(chunkChoice),
    ...streamedUsage,
  },
  'One event of a streamed answer to a raw `prompt` on the chat route.',
);

/** POST /v1/completions, whole. */
export const completionSchema = object(
  {
    id: completionId,
    object: Type.Literal('text_completion'),
    ...common,
    choices: Type.Array(object({ ...choice, text: Type.String(), logprobs: legacyLogprobs }), {
      minItems: 1,
    }),
    usage: usageSchema,
  },
  'The answer of /v1/completions.',
);

/** POST /v1/completions, one event of the stream. */
export const completionChunkSchema = object(
  {
    id: completionId,
    object: Type.Literal('text_completion'),
    ...common,
    choices: Type.Array(
      object({
        index: count,
        text: Type.String(),
        finish_reason: nullable(finishReason),
        stop_reason: Type.Optional(stopReason),
        logprobs: Type.Optional(legacyLogprobs),
      }),
    ),
    ...streamedUsage,
  },
  'One event of a streamed answer of /v1/completions.',
);

export const modelSchema = object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String(),
  parent: Type.Optional(Type.String({ description: 'Of an adapter: the model that it changes.' })),
});

export const modelListSchema = object({
  object: Type.Literal('list'),
  data: Type.Array(modelSchema),
});

export const receiptSchema = Type.Array(
  object({
    name: Type.String({ description: 'In the client’s own spelling.' }),
    fate: Type.Enum(['honoured', 'emulated', 'dropped']),
    note: Type.Optional(Type.String()),
  }),
  { description: 'What was done with each parameter that is not neutral.' },
);

/** The answer to `dry_run: true`; targets may add what else they planned. */
export const planSchema = Type.Object(
  {
    object: Type.Literal('chat.completion.plan'),
    model: Type.String(),
    target: Type.String(),
    prompt: nullable(Type.String()),
    prompt_tokens: nullable(count),
    max_tokens: nullable(count),
    receipt: receiptSchema,
  },
  { description: 'The answer to `dry_run: true`: what would be done; nothing was generated.' },
);

export const errorSchema = object(
  {
    error: object({
      message: Type.String(),
      type: Type.Enum([...new Set(Object.values(errorCatalogue).map((row) => row.type))]),
      code: Type.Integer({ description: 'The HTTP status.' }),
      param: nullable(Type.String(), 'JSON path of the field at fault.'),
      reason: Type.Enum(Object.keys(errorCatalogue) as Reason[], {
        description: 'A stable machine word; docs/errors.md lists them.',
      }),
    }),
  },
  'The one shape of an error, on every path and inside a stream.',
);
