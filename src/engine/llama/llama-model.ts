/**
 * One set of weights in memory: loads a GGUF file, reads the numbers that decide the KV cache, and
 * gives its vocabulary. `llama-decoder.ts` builds a context on it. Loading blocks the thread.
 */

import koffi from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import type { ModelShape } from '../capacity.ts';
import type { Ability } from '../protocol.ts';
import type { Vocabulary } from './decoder.ts';
import { createTokenizer } from './create-tokenizer.ts';
import { loadOnDevice, type GpuPlace } from './gpu-layers.ts';
import { ggufArray, readHeader, type Header } from './read-header.ts';
import type { LlamaLibrary, ModelParams, Pointer } from './bind-library.ts';
import { progressCallback } from './structs.ts';
import { chooseKernels } from './weights-exactness.ts';

export interface LlamaModel {
  readonly pointer: Pointer;
  readonly shape: ModelShape;
  readonly memory: ModelMemory;
  /** Whether its weights give the same bits whatever else is computed beside. */
  readonly exact: Ability;
  /** Where its layers are computed; null = on the CPU. */
  readonly gpu: GpuPlace | null;
  /** What the user should know, such as a GPU that could not be used. */
  readonly notes: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly bytes: number;
  /** Such as `llama 135M Q4_1`. */
  readonly description: string;
  free(): void;
}

/** What a model remembers of a sequence. */
export interface ModelMemory {
  readonly architecture: string;
  /** A state that every token changes, in some layers at least: the last tokens cannot be forgotten. */
  readonly recurrent: boolean;
  /** Positions that the layers with a sliding window look back; 0 = all layers see everything. */
  readonly window: number;
  /** All layers keep the same amount of every token, so that the shape tells how much. */
  readonly uniform: boolean;
}

export interface ModelWishes {
  /** Layers on a GPU; `auto` = all where there is one with room. */
  readonly gpuLayers: number | 'auto';
  /** As in `EngineOptions`; it decides which kernels are used. */
  readonly deterministic: boolean | null;
}

const onProcessor: ModelWishes = { gpuLayers: 0, deterministic: null };

/**
 * Loads the weights; `onProgress` gets 0..1 and runs on this thread. Throws `invalid_model_file`
 * with the library's own words when it does not know the architecture or the file is damaged, and
 * `invalid_option` where the weights cannot give the wished determinism.
 */
export function loadModel(
  library: LlamaLibrary,
  path: string,
  onProgress: (progress: number) => void,
  wishes = onProcessor,
): LlamaModel {
  const notes: string[] = [];
  const header = headerOf(path);
  const { repack, exact } = chooseKernels({
    tensors: header === null || header.values.has('split.count') ? null : header.tensors,
    architecture: String(header?.values.get('general.architecture')?.value ?? ''),
    processor: process.arch,
    deterministic: wishes.deterministic,
  });
  if (wishes.deterministic === true && !exact.on) {
    throw new ParlanceError(
      'invalid_option',
      `deterministic: true is not possible with this model: ${exact.why}. Leave it out, or choose a file with weights in Q8_0.`,
    );
  }
  const { pointer, gpu } = loadOnDevice(library, wishes, notes, (layers) =>
    loadWeights(library, path, { n_gpu_layers: layers, use_extra_bufts: repack }, onProgress),
  );
  if (!library.modelHasDecoder(pointer) || library.modelHasEncoder(pointer)) {
    library.modelFree(pointer);
    throw new ParlanceError(
      'invalid_model_file',
      'This model has an encoder; only decoder models can generate chat completions here.',
    );
  }
  return {
    pointer,
    shape: readShape(library, pointer),
    memory: readMemory(library, pointer, header),
    exact,
    gpu,
    notes,
    vocabulary: readVocabulary(library, library.modelVocab(pointer)),
    bytes: Number(library.modelSize(pointer)),
    description:
      readString((out) => library.modelDescription(pointer, out, out.length)) ?? 'unknown',
    free: () => library.modelFree(pointer),
  };
}

/** Null where the library must say what is wrong with the file. */
function headerOf(path: string): Header | null {
  try {
    return readHeader(path);
  } catch {
    return null;
  }
}

function loadWeights(
  library: LlamaLibrary,
  path: string,
  params: ModelParams,
  onProgress: (progress: number) => void,
): Pointer {
  const callback = koffi.register((progress: number) => {
    onProgress(progress);
    return true;
  }, koffi.pointer(progressCallback));
  const pointer = library.errors.during(() =>
    library.modelLoad(path, {
      ...library.modelDefaultParams(),
      ...params,
      check_tensors: true,
      progress_callback: callback,
    }),
  );
  koffi.unregister(callback);
  if (pointer !== null) return pointer;
  throw new ParlanceError(
    'invalid_model_file',
    `The model does not load: ${library.errors.text()}`,
  );
}

function readMemory(library: LlamaLibrary, model: Pointer, header: Header | null): ModelMemory {
  const meta = metaOf(library, model);
  const architecture = meta('general.architecture') ?? '';
  const recurrent = library.modelIsRecurrent(model) || library.modelIsHybrid(model);
  const window = library.modelWindow(model);
  const isScalar = (key: string): boolean =>
    header?.values.get(`${architecture}.attention.${key}`)?.type !== ggufArray;
  const sameHeads = header !== null && isScalar('head_count') && isScalar('head_count_kv');
  const unusual = ['kv_lora_rank', 'shared_kv_layers', 'indexer.head_count'].some(
    (key) => meta(`${architecture}.attention.${key}`) !== null,
  );
  return {
    architecture,
    recurrent,
    window,
    uniform: !recurrent && window === 0 && sameHeads && !unusual,
  };
}

const metaOf =
  (library: LlamaLibrary, model: Pointer) =>
  (key: string): string | null =>
    readString((out) => library.modelMeta(model, key, out, out.length));

function readShape(library: LlamaLibrary, model: Pointer): ModelShape {
  const meta = metaOf(library, model);
  const architecture = meta('general.architecture') ?? '';
  const perHead = library.modelEmbedding(model) / Math.max(1, library.modelHeads(model));
  const length = (key: string): number => {
    const value = Number(meta(`${architecture}.attention.${key}`));
    return Number.isInteger(value) && value > 0 ? value : perHead;
  };
  return {
    layers: library.modelLayers(model),
    kvHeads: library.modelKvHeads(model),
    keyLength: length('key_length'),
    valueLength: length('value_length'),
    trainedContext: library.modelTrainedContext(model),
  };
}

function readVocabulary(library: LlamaLibrary, vocab: Pointer): Vocabulary {
  const size = library.vocabSize(vocab);
  const eosIds: number[] = [];
  for (let token = 0; token < size; token += 1) {
    if (library.vocabIsEnd(vocab, token)) eosIds.push(token);
  }
  const pieces = { shown: new Map<number, Uint8Array>(), hidden: new Map<number, Uint8Array>() };
  const piece = (token: number, special: boolean): Uint8Array => {
    const cache = special ? pieces.shown : pieces.hidden;
    let bytes = cache.get(token);
    if (bytes === undefined) cache.set(token, (bytes = readPiece(library, vocab, token, special)));
    return bytes;
  };
  const named = (token: number): string | null =>
    token < 0 ? null : Buffer.from(piece(token, true)).toString('utf8');
  const specials = (): string[] => {
    const written = (token: number, special: boolean): string =>
      Buffer.from(readPiece(library, vocab, token, special)).toString('utf8');
    return Array.from({ length: size }, (_, token) =>
      written(token, false) === '' ? written(token, true) : '',
    );
  };
  const bos = library.vocabBos(vocab);
  return {
    size,
    eosIds,
    bosId: bos < 0 ? null : bos,
    bosToken: named(bos),
    eosToken: named(library.vocabEos(vocab)),
    tokenize: createTokenizer(library, vocab, specials),
    piece,
  };
}

function readPiece(
  library: LlamaLibrary,
  vocab: Pointer,
  token: number,
  special: boolean,
): Uint8Array {
  let out = Buffer.alloc(64);
  let length = library.tokenToPiece(vocab, token, out, out.length, 0, special);
  if (length < 0) {
    out = Buffer.alloc(-length);
    length = library.tokenToPiece(vocab, token, out, out.length, 0, special);
  }
  return new Uint8Array(out.subarray(0, Math.max(0, length)));
}

/** Calls a C function that writes a string and returns its length, or less than 0 for none. */
function readString(read: (out: Buffer) => number): string | null {
  const out = Buffer.alloc(512);
  const length = read(out);
  return length < 0 ? null : out.toString('utf8', 0, Math.min(length, out.length - 1));
}
