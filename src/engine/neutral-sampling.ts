/** A sampling that changes nothing: the model's own distribution, no stop but its own. */

import type { GenerateRequest, Sampling } from './protocol.ts';

export const neutralSampling: Sampling = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  topPMin: 0,
  topPDecay: 1,
  topPResetIds: [],
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
  logitBias: [],
  badTokenIds: [],
  bad: [],
  minTokens: 0,
  maxTokens: null,
  defaultMaxTokens: 4096,
  stop: [],
  stopTokenIds: [],
  includeStop: false,
  ignoreEos: false,
  skipSpecialTokens: true,
  spacesBetweenSpecialTokens: false,
  topLogprobs: null,
};

/** A request for one choice of that, but for its prompt. */
export const neutralRequest: Omit<GenerateRequest, 'prompt'> = {
  truncatePromptTokens: null,
  choices: 1,
  bestOf: 1,
  beam: null,
  sampling: neutralSampling,
  prediction: null,
  priority: 0,
  cacheSalt: null,
  adapter: null,
  handover: null,
  constraint: null,
  shownSpecials: [],
  dryRun: false,
};
