/** Fields that decide which tokens come next, how many, and when to stop. */

import { Type } from 'typebox';
import { int64, optional, tokenId } from './optional.ts';

const penalty = Type.Number({ minimum: -2, maximum: 2 });
const fraction = Type.Number({ minimum: 0, maximum: 1 });

/** Every text contains the empty string. */
const badString = Type.String({ minLength: 1 });
const stopString = Type.String({ minLength: 1, maxLength: 1000 });

export const samplingFields = {
  max_tokens: optional(
    Type.Integer({ minimum: 1, maximum: 262_144 }),
    'The most tokens to generate. More than the context has left is cut, and the receipt says so.',
  ),
  max_completion_tokens: optional(
    Type.Integer({ minimum: 1 }),
    'The same as max_tokens; of both, the smaller counts.',
  ),
  min_tokens: optional(
    Type.Integer({ minimum: 0 }),
    'No end before so many tokens: end tokens are masked, stop strings not looked for.',
  ),
  temperature: optional(
    Type.Number({ minimum: 0, maximum: 4 }),
    'Divides the logits; 0 is greedy decoding.',
  ),
  top_p: optional(fraction, 'Nucleus sampling; 0 keeps the best token only.'),
  top_k: optional(
    Type.Integer({ minimum: -1 }),
    'Keep the k most probable tokens; -1 and 0 are off, 1 is greedy.',
  ),
  min_p: optional(fraction, 'Drop tokens less probable than this share of the best one.'),
  top_p_min: optional(fraction, 'The floor of dynamic top_p.'),
  top_p_decay: optional(fraction, 'Dynamic top_p: the factor after each token.'),
  top_p_reset_ids: optional(
    Type.Array(tokenId),
    'Dynamic top_p: tokens that set it back to its first value.',
  ),
  seed: optional(
    int64,
    'Same seed and same request: the same random draws. A signed 64-bit integer.',
  ),
  frequency_penalty: optional(penalty, 'Subtracted for each time a token was generated.'),
  presence_penalty: optional(penalty, 'Subtracted once a token was generated.'),
  repetition_penalty: optional(
    Type.Number({ minimum: 0 }),
    'Divides the positive logits, multiplies the negative ones, of tokens in prompt and output.',
  ),
  logit_bias: optional(
    Type.Record(
      Type.String({ pattern: '^[0-9]+$' }),
      Type.Number({ minimum: -100, maximum: 100 }),
      { additionalProperties: false },
    ),
    'Token ID (as a string) to a number that is added to its logit.',
  ),
  bad: optional(
    Type.Union([badString, Type.Array(badString)]),
    'Strings that the text does not contain.',
  ),
  bad_token_ids: optional(Type.Array(tokenId), 'Tokens that are never generated.'),
  n: optional(Type.Integer({ minimum: 1, maximum: 128 }), 'How many choices to return.'),
  best_of: optional(
    Type.Integer({ minimum: 1, maximum: 128 }),
    'How many choices to generate; the n with the highest mean logprob are returned.',
  ),
  use_beam_search: optional(Type.Boolean(), 'Beam search with best_of (or n) beams.'),
  length_penalty: optional(
    Type.Number(),
    'Beam search: the power of the length that divides a beam’s score.',
  ),
  early_stopping: optional(
    Type.Union([Type.Boolean(), Type.Literal('never')]),
    'Beam search: when to stop looking for better beams.',
  ),
  stop: optional(
    Type.Union([stopString, Type.Array(stopString, { maxItems: 32 })]),
    'Up to 32 strings that end the answer; none of them is shown, not even in part.',
  ),
  stop_token_ids: optional(Type.Array(tokenId), 'Token IDs that end the answer.'),
  eos_token_id: optional(
    Type.Union([Type.Array(tokenId), tokenId]),
    'More end tokens, beside the model’s own; joined with stop_token_ids.',
  ),
  include_stop_str_in_output: optional(Type.Boolean(), 'Show the stop string that matched.'),
  ignore_eos: optional(Type.Boolean(), 'Go on past the model’s own end tokens.'),
  prediction: optional(
    Type.Object(
      {
        type: Type.Literal('content'),
        content: Type.Union([
          Type.String(),
          Type.Array(Type.Record(Type.String(), Type.Unknown())),
        ]),
      },
      { additionalProperties: false },
    ),
    'Text that the answer probably repeats; drafts for speculative decoding.',
  ),
};
