/** A sampling that changes nothing: the model's own distribution, no stop but its own. */

import type { Sampling } from './protocol.ts';

export const neutralSampling: Sampling = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
  logitBias: [],
  badTokenIds: [],
  minTokens: 0,
  maxTokens: null,
  defaultMaxTokens: 4096,
  stop: [],
  stopTokenIds: [],
  includeStop: false,
  ignoreEos: false,
  skipSpecialTokens: true,
  topLogprobs: null,
};
