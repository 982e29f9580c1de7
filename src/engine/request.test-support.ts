/** Requests for the engine's tests: everything neutral, greedy, 16 tokens, with changes on top. */

import type { GenerateRequest, Sampling } from './protocol.ts';

export const neutralSampling: Sampling = {
  temperature: 0,
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
  maxTokens: 16,
  defaultMaxTokens: 4096,
  stop: [],
  stopTokenIds: [],
  includeStop: false,
  ignoreEos: false,
  skipSpecialTokens: true,
  topLogprobs: null,
};

/** `sampling` holds what differs from the neutral one. */
export function makeRequest(
  text: string,
  sampling: Partial<Sampling> = {},
  rest: Partial<Omit<GenerateRequest, 'sampling'>> = {},
): GenerateRequest {
  return {
    prompt: { text, addSpecial: false },
    truncatePromptTokens: null,
    choices: 1,
    dryRun: false,
    ...rest,
    sampling: { ...neutralSampling, ...sampling },
  };
}

export const franceQuestion =
  "<|im_start|>user\nWhat's the capital of France? Answer in one sentence.<|im_end|>\n<|im_start|>assistant\n";
