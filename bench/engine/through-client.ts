/** Sends the bench's requests to an engine through its client, without HTTP. */

import type { Engine, GenerateRequest } from '../../src/engine/index.ts';
import { generatedTokens, makePrompt } from './workload.ts';
import type { SendRequest } from './measure.ts';

export function sendThroughClient(engine: Engine): SendRequest {
  return async (index, onToken) => {
    const generation = await engine.generate(toEngineRequest(index), new AbortController().signal);
    for await (const steps of generation.steps) {
      const now = performance.now();
      for (const step of steps) if (step.choice === 0) onToken(now);
    }
  };
}

/** The bench's request number `index` as the engine takes it. */
export function toEngineRequest(index: number): GenerateRequest {
  return {
    prompt: { text: makePrompt(index), addSpecial: false },
    truncatePromptTokens: null,
    choices: 1,
    dryRun: false,
    sampling: {
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
      maxTokens: generatedTokens,
      defaultMaxTokens: generatedTokens,
      stop: [],
      stopTokenIds: [],
      includeStop: false,
      ignoreEos: true,
      skipSpecialTokens: true,
      topLogprobs: null,
    },
  };
}
