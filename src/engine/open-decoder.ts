/**
 * From weights and options to a decoder: decides slots, context and the type of the KV cache from the
 * memory that is left, and makes the context. `load-engine.ts` calls it for the model, and once more for
 * a draft model. Blocks.
 */

import { availableParallelism } from 'node:os';

import { readFreeMemory } from './free-memory.ts';
import type { LlamaLibrary } from './llama/bind-library.ts';
import type { Decoder } from './llama/decoder.ts';
import { createLlamaDecoder, type DecoderOptions } from './llama/llama-decoder.ts';
import type { LlamaModel } from './llama/llama-model.ts';
import { planDecoder, type DecoderPlan } from './llama/plan-decoder.ts';
import type { EngineOptions } from './protocol.ts';
import { mostDraftTokens } from './speculation/index.ts';

export interface OpenDecoder extends DecoderPlan {
  readonly decoder: Decoder;
}

/** Throws `invalid_option` with the sums or the reason, or `machine_unsupported`. */
export function openDecoder(
  library: LlamaLibrary,
  model: LlamaModel,
  options: EngineOptions,
): OpenDecoder {
  const { slots, context, deterministic } = options;
  const wishes = { slots, context, deterministic, freeBytes: readFreeMemory() };
  const plan = planDecoder(library, model, wishes);
  const decoder = createLlamaDecoder(library, model, toDecoder(plan, options));
  return { ...plan, decoder };
}

function toDecoder({ capacity }: DecoderPlan, options: EngineOptions): DecoderOptions {
  const { slots, context, kvType, keepWholeWindow } = capacity;
  // A step must hold one token of every slot, and one more so that prompts get on.
  const batchTokens = Math.max(options.batchTokens, slots + 1);
  return {
    slots,
    context,
    kvType,
    threads: countThreads(options),
    threadsFixed: options.threads !== null,
    batchTokens,
    maxDraftTokens: options.speculation === 'off' ? 0 : mostDraftTokens,
    keepWholeWindow,
  };
}

/** As many as cores: measured best on small machines, also with the server beside. */
export function countThreads(options: EngineOptions): number {
  return options.threads ?? availableParallelism();
}
