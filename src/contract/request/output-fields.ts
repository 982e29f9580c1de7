/** Fields that say how the answer is sent, what comes with it, and what is only recorded. */

import { Type } from 'typebox';
import { closed, optional, stringMap } from './optional.ts';

export const outputFields = {
  stream: optional(Type.Boolean(), 'Send the answer as server-sent events while it is made.'),
  stream_options: optional(
    Type.Object(
      {
        include_usage: optional(Type.Boolean(), 'Usage in the last choice’s finish chunk.'),
        continuous_usage_stats: optional(Type.Boolean(), 'Usage so far in every chunk.'),
      },
      closed,
    ),
    'Only with stream: true.',
  ),
  logprobs: optional(Type.Boolean(), 'The log probability of each generated token.'),
  top_logprobs: optional(
    Type.Integer({ minimum: 0, maximum: 20 }),
    'With logprobs: how many of the most probable tokens to list at each position.',
  ),
  skip_special_tokens: optional(Type.Boolean(), 'Leave special tokens out of the text.'),
  spaces_between_special_tokens: optional(
    Type.Boolean(),
    'Put spaces between special tokens that are shown.',
  ),
  modalities: optional(Type.Array(Type.Enum(['text', 'audio'])), 'What the answer is made of.'),
  user: optional(Type.String(), 'Who asks; recorded.'),
  metadata: optional(stringMap, 'Your own notes; recorded.'),
  episode_id: optional(
    Type.String({ format: 'uuid' }),
    'Groups inferences that belong together; recorded.',
  ),
  store: optional(Type.Boolean(), 'Keep the answer at the provider.'),
  service_tier: optional(
    Type.Enum(['auto', 'default', 'flex', 'priority', 'scale']),
    'The provider’s service tier.',
  ),
  priority: optional(Type.Integer(), 'Lower goes first in the queue.'),
  cache_salt: optional(Type.String(), 'Requests with different salts share no cached prefix.'),
  prompt_cache_key: optional(Type.String(), 'The provider’s key for prompt caching.'),
  safety_identifier: optional(Type.String(), 'The provider’s identifier of an end user.'),
  dry_run: optional(
    Type.Boolean(),
    'Render, count, plan and check; answer with the plan and generate nothing.',
  ),
};
