/** Fields that say who answers, from what, and how the prompt is made. */

import { Type } from 'typebox';
import { messageSchema } from './messages.ts';
import { anyObject, closed, optional, stringMap, tokenId } from './optional.ts';

const disaggregated = Type.Object(
  {
    request_type: Type.Enum(['context_only', 'generation_only', 'context_and_generation']),
    first_gen_tokens: optional(Type.Array(tokenId)),
    ctx_request_id: optional(Type.Union([Type.Integer(), Type.BigInt(), Type.String()])),
    opaque_state: optional(Type.String()),
    draft_tokens: optional(Type.Array(tokenId)),
    multimodal_embedding_handles: optional(Type.Array(anyObject)),
    multimodal_hashes: optional(Type.Array(Type.Unknown())),
  },
  closed,
);

export const inputFields = {
  model: Type.String({
    minLength: 1,
    description: 'What answers: a deployment, as GET /v1/models lists them.',
  }),
  messages: optional(
    Type.Array(messageSchema, { minItems: 1 }),
    'The conversation. Exactly one of messages and prompt.',
  ),
  prompt: optional(
    Type.Union([Type.String(), Type.Array(tokenId)]),
    'Raw text, or token IDs; no chat template. Exactly one of messages and prompt.',
  ),
  truncate_prompt_tokens: optional(
    Type.Integer({ minimum: 1 }),
    'Keep only the last so many tokens of the prompt.',
  ),
  echo: optional(
    Type.Boolean(),
    'Put the last message, if it is the assistant’s (or the raw prompt), before the answer.',
  ),
  add_generation_prompt: optional(
    Type.Boolean(),
    'Whether the template opens the assistant’s turn.',
  ),
  continue_final_message: optional(
    Type.Boolean(),
    'Go on with the last message in place of opening a new turn.',
  ),
  add_special_tokens: optional(
    Type.Boolean(),
    'Whether the tokenizer adds its own special tokens (such as BOS) to the prompt.',
  ),
  documents: optional(Type.Array(stringMap), 'Documents for the template to quote.'),
  chat_template: optional(Type.String(), 'A Jinja template in place of the model’s own.'),
  chat_template_kwargs: optional(anyObject, 'Variables for the template.'),
  chat_template_args: optional(anyObject, 'The same as chat_template_kwargs.'),
  mm_processor_kwargs: optional(anyObject, 'Options of the engine’s image processor.'),
  template_input: optional(anyObject, 'The input of a function’s templates.'),
  disaggregated_params: optional(
    disaggregated,
    'Prefill and generation in two requests; context_and_generation is the usual single one.',
  ),
};
