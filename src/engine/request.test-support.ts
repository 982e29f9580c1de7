/** Requests for the engine's tests: everything neutral, greedy, 16 tokens, with changes on top. */

import { neutralRequest, neutralSampling } from './neutral-sampling.ts';
import type { GenerateRequest, Sampling } from './protocol.ts';

const greedySampling: Sampling = { ...neutralSampling, temperature: 0, maxTokens: 16 };

/** `sampling` holds what differs from the neutral one. */
export function makeRequest(
  text: string,
  sampling: Partial<Sampling> = {},
  rest: Partial<Omit<GenerateRequest, 'sampling'>> = {},
): GenerateRequest {
  return {
    ...neutralRequest,
    prompt: { text, addSpecial: false },
    bestOf: rest.choices ?? 1,
    ...rest,
    sampling: { ...greedySampling, ...sampling },
  };
}

export const franceQuestion =
  "<|im_start|>user\nWhat's the capital of France? Answer in one sentence.<|im_end|>\n<|im_start|>assistant\n";
