/**
 * From weights and options to a decoder: decides slots, context and the type of the KV cache from the
 * memory that is left, and makes the context. `load-engine.ts` calls it for the model, and once more for
 * a draft model. Blocks.
 */

import { availableParallelism } from 'node:os';

import { ParlanceError } from '../contract/errors.ts';
import { planCapacity, type Capacity, type KvType } from './capacity.ts';
import { readFreeMemory } from './free-memory.ts';
import type { LlamaLibrary } from './llama/bind-library.ts';
import type { Decoder } from './llama/decoder.ts';
import { createLlamaDecoder, type DecoderOptions } from './llama/llama-decoder.ts';
import type { LlamaModel } from './llama/llama-model.ts';
import type { EngineOptions } from './protocol.ts';
import { mostDraftTokens } from './speculation/index.ts';

export type Fitting = Extract<Capacity, { fits: true }>;

export interface OpenDecoder {
  readonly decoder: Decoder;
  readonly capacity: Fitting;
}

/**
 * Models whose layers differ in head size refuse Q8_0 only when asked, hence the second try. Throws
 * `invalid_option` with the sums, or `machine_unsupported`.
 */
export function openDecoder(
  library: LlamaLibrary,
  model: LlamaModel,
  options: EngineOptions,
): OpenDecoder {
  const capacity = plan(library, model, options);
  try {
    return { decoder: createLlamaDecoder(library, model, toDecoder(capacity, options)), capacity };
  } catch (error) {
    if (capacity.kvType === 'f16') throw error;
    const wider = plan(library, model, options, 'f16');
    return {
      decoder: createLlamaDecoder(library, model, toDecoder(wider, options)),
      capacity: wider,
    };
  }
}

function toDecoder(capacity: Fitting, options: EngineOptions): DecoderOptions {
  const { slots, context, kvType } = capacity;
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
    keepWholeWindow: true,
  };
}

/** As many as cores: measured best on small machines, also with the server beside. */
export function countThreads(options: EngineOptions): number {
  return options.threads ?? availableParallelism();
}

function plan(
  library: LlamaLibrary,
  model: LlamaModel,
  options: EngineOptions,
  kvType?: KvType,
): Fitting {
  const capacity = planCapacity(
    {
      shape: model.shape,
      freeBytes: readFreeMemory(),
      slots: options.slots,
      context: options.context,
      maxSlots: library.maxSequences(),
    },
    kvType,
  );
  if (capacity.fits) return capacity;
  throw new ParlanceError('invalid_option', capacity.message);
}
