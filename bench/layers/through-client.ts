/** Sends the bench's requests to an engine through its client, without HTTP. */

import {
  neutralRequest,
  neutralSampling,
  type Engine,
  type GenerateRequest,
} from '../../src/engine/index.ts';
import type { ChatTemplate } from '../../src/prompt/index.ts';
import { generatedTokens, makeMessages } from './workload.ts';
import type { SendRequest } from './measure.ts';

export function sendThroughClient(engine: Engine, template: ChatTemplate): SendRequest {
  return async (index, onToken) => {
    const request = toEngineRequest(renderMessages(template, index));
    const generation = await engine.generate(request, new AbortController().signal);
    for await (const steps of generation.steps) {
      const now = performance.now();
      for (const step of steps) if (step.choice === 0) onToken(now);
    }
  };
}

/** The prompt that the server makes of request number `index`. */
export function renderMessages(template: ChatTemplate, index: number): string {
  return template.render({
    messages: makeMessages(index),
    add_generation_prompt: true,
    bos_token: '',
    eos_token: '',
  });
}

/** The bench's request as the engine takes it. */
export function toEngineRequest(text: string): GenerateRequest {
  return {
    ...neutralRequest,
    prompt: { text, addSpecial: false },
    sampling: {
      ...neutralSampling,
      temperature: 0,
      maxTokens: generatedTokens,
      ignoreEos: true,
    },
  };
}
