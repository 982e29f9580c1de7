/**
 * From a weights file and options to everything that the scheduler runs on: opens the library, loads
 * the weights, makes the decoder, the prefix cache and the draft model. Called once by `main.ts`.
 */

import { ParlanceError } from '../contract/errors.ts';
import { readFreeMemory } from './free-memory.ts';
import type { Decoder } from './llama/decoder.ts';
import { openLibrary } from './llama/library.ts';
import { loadModel, type LlamaModel } from './llama/llama-model.ts';
import type { LlamaLibrary } from './llama/bind-library.ts';
import { countThreads, openDecoder, type OpenDecoder } from './open-decoder.ts';
import { createPrefixDisk, PrefixCache } from './prefix-cache/index.ts';
import type { EngineInfo, EngineOptions } from './protocol.ts';
import { DraftModel, type DraftSource, type HeldLimits } from './scheduler/index.ts';
import { digestWeights } from './weights-digest.ts';

export interface EngineLoadRequest {
  readonly path: string;
  /** Weights of the draft model. */
  readonly draft: string | null;
  readonly options: EngineOptions;
  /** Gets 0..1 in steps of a hundredth. */
  readonly onProgress: (progress: number) => void;
  readonly onFault: (error: unknown) => void;
}

export interface LoadedEngine {
  readonly decoder: Decoder;
  readonly info: EngineInfo;
  readonly cache: PrefixCache | null;
  /** Prefixes outlive the process, so they are saved when there is time. */
  readonly keepsPrefixes: boolean;
  readonly speculation: boolean;
  readonly draftModel: DraftSource | null;
  readonly held: HeldLimits;
  /** What is on its way to the disk arrives. */
  close(): Promise<void>;
}

/** Share of the memory that is free beside weights and slots, and the most of it taken unasked. */
const prefixShare = 0.25;
const mostPrefixBytes = 8e9;
const heldContexts = 64;

/** Throws `machine_unsupported`, `invalid_model_file` or `invalid_option` with what would work. */
export async function loadEngine(request: EngineLoadRequest): Promise<LoadedEngine> {
  const { options } = request;
  const library = openLibrary();
  const model = loadModel(library, request.path, inHundredths(request.onProgress), options);
  const opened = openDecoder(library, model, options);
  const { decoder } = opened;
  const draft = openDraftModel(library, model, opened, request);
  const maxBytes = decoder.forgetsParts ? prefixBytes(options) : 0;
  const diskNotes: string[] = [];
  const onFault = (error: unknown): void => {
    diskNotes.push(String(error));
    request.onFault(error);
  };
  const disk =
    maxBytes > 0 && options.prefixCacheDir !== null
      ? await openDisk({ ...request, onFault }, opened, library, maxBytes)
      : null;
  const cache = maxBytes > 0 ? new PrefixCache({ states: decoder.states, maxBytes, disk }) : null;
  return {
    decoder,
    info: {
      ...toInfo(library, model, opened, options),
      prefixCacheBytes: maxBytes,
      notes: [...model.notes, ...draft.notes, ...diskNotes],
    },
    cache,
    keepsPrefixes: disk !== null,
    speculation: options.speculation !== 'off' && decoder.forgetsParts,
    draftModel: draft.source,
    held: { contexts: heldContexts, bytes: Math.max(prefixBytes(options), 64e6) },
    close: async () => {
      await cache?.flush();
    },
  };
}

function toInfo(
  library: LlamaLibrary,
  model: LlamaModel,
  { decoder, capacity, deterministic, prefixReuse }: OpenDecoder,
  options: EngineOptions,
): Omit<EngineInfo, 'prefixCacheBytes' | 'notes'> {
  return {
    slots: capacity.slots,
    context: capacity.context,
    trainedContext: model.shape.trainedContext,
    threads: countThreads(options),
    vocabSize: model.vocabulary.size,
    batchTokens: decoder.batchTokens,
    kvBytes: capacity.kvBytes,
    kvType: capacity.kvType,
    deterministic,
    prefixReuse,
    gpu: model.gpu,
    modelBytes: model.bytes,
    description: model.description,
    library: `llama.cpp ${library.version()}`,
    bosToken: model.vocabulary.bosToken,
    eosToken: model.vocabulary.eosToken,
  };
}

function prefixBytes({ prefixCacheBytes }: EngineOptions): number {
  return prefixCacheBytes ?? Math.min(mostPrefixBytes, Math.floor(readFreeMemory() * prefixShare));
}

async function openDisk(
  { path, options, onFault }: EngineLoadRequest,
  { capacity }: OpenDecoder,
  library: LlamaLibrary,
  maxBytes: number,
) {
  return await createPrefixDisk({
    dir: options.prefixCacheDir ?? '',
    maxBytes,
    identity: {
      model: digestWeights(path),
      library: library.version(),
      kvType: capacity.kvType,
      context: capacity.context,
    },
    onFault,
  });
}

/** A draft model that does not fit is left out, and the user is told: nothing depends on it but time. */
function openDraftModel(
  library: LlamaLibrary,
  model: LlamaModel,
  { capacity, decoder: large }: OpenDecoder,
  { draft, options }: EngineLoadRequest,
): { readonly source: DraftSource | null; readonly notes: readonly string[] } {
  if (draft === null || options.speculation === 'off') return { source: null, notes: [] };
  if (!large.forgetsParts) {
    const note =
      'A recurrent model cannot take back what it has read, so the draft model is not used.';
    return { source: null, notes: [note] };
  }
  const small = loadModel(library, draft, () => {}, { ...options, deterministic: null });
  if (!sameVocabulary(model, small)) {
    small.free();
    const note = 'The draft model has another vocabulary than the model, so it is not used.';
    return { source: null, notes: [note] };
  }
  const { slots } = capacity;
  const context = Math.min(capacity.context, small.shape.trainedContext);
  try {
    const wishes = { ...options, slots, context, deterministic: null };
    return { source: new DraftModel(openDecoder(library, small, wishes).decoder), notes: [] };
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    small.free();
    return { source: null, notes: [`The draft model is not used: ${error.message}`] };
  }
}

function sameVocabulary(
  { vocabulary: one }: LlamaModel,
  { vocabulary: other }: LlamaModel,
): boolean {
  if (one.size !== other.size) return false;
  for (let token = 0; token < one.size; token += 1) {
    if (Buffer.compare(one.piece(token, true), other.piece(token, true)) !== 0) return false;
  }
  return true;
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
