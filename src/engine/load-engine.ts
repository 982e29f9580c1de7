/**
 * From a weights file and options to a decoder: opens the library, loads the weights, decides slots
 * and context from the memory that is left, makes the context. Called once by `main.ts`; blocks.
 */

import { availableParallelism } from 'node:os';

import { ParlanceError } from '../contract/errors.ts';
import { planCapacity, type Capacity, type KvType } from './capacity.ts';
import { readFreeMemory } from './free-memory.ts';
import type { Decoder } from './llama/decoder.ts';
import type { LlamaLibrary } from './llama/bind-library.ts';
import { openLibrary } from './llama/library.ts';
import { createLlamaDecoder, type DecoderOptions } from './llama/llama-decoder.ts';
import { loadModel, type LlamaModel } from './llama/llama-model.ts';
import type { EngineInfo, EngineOptions } from './protocol.ts';

export interface LoadedEngine {
  readonly decoder: Decoder;
  readonly info: EngineInfo;
}

/**
 * Throws `machine_unsupported`, `invalid_model_file` or `invalid_option` with what would work.
 * `onProgress` gets 0..1 in steps of a hundredth.
 */
export function loadEngine(
  path: string,
  options: EngineOptions,
  onProgress: (progress: number) => void,
): LoadedEngine {
  const library = openLibrary();
  const model = loadModel(library, path, inHundredths(onProgress));
  const { decoder, capacity } = createDecoder(library, model, options);
  return {
    decoder,
    info: {
      slots: capacity.slots,
      context: capacity.context,
      trainedContext: model.shape.trainedContext,
      threads: countThreads(options),
      vocabSize: model.vocabulary.size,
      batchTokens: decoder.batchTokens,
      kvBytes: capacity.kvBytes,
      kvType: capacity.kvType,
      deterministic: { on: capacity.kvType === 'q8_0', why: null },
      prefixReuse: { on: false, why: null },
      prefixCacheBytes: 0,
      gpu: null,
      notes: [],
      modelBytes: model.bytes,
      description: model.description,
      library: `llama.cpp ${library.version()}`,
      bosToken: model.vocabulary.bosToken,
      eosToken: model.vocabulary.eosToken,
    },
  };
}

type Fitting = Extract<Capacity, { fits: true }>;

/** Models whose layers differ in head size refuse Q8_0 only when asked, hence the second try. */
function createDecoder(
  library: LlamaLibrary,
  model: LlamaModel,
  options: EngineOptions,
): { decoder: Decoder; capacity: Fitting } {
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
    maxDraftTokens: 8,
    keepWholeWindow: true,
  };
}

/** As many as cores: measured best on small machines, also with the server beside. */
function countThreads(options: EngineOptions): number {
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

function inHundredths(report: (progress: number) => void): (progress: number) => void {
  let last = -1;
  return (progress) => {
    const hundredths = Math.floor(progress * 100);
    if (hundredths === last) return;
    last = hundredths;
    report(hundredths / 100);
  };
}
