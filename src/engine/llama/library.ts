/**
 * Finds and opens the shared libraries of llama.cpp, checks that they are the ones these bindings
 * were written for, and declares the C functions that we call. `llama-model.ts` and
 * `llama-decoder.ts` use it; a process opens it once. It loads no model.
 */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import koffi, { type LibraryHandle, type TypeObject } from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import { batch, contextParams, logCallback, modelParams } from './structs.ts';

const libraryVersion = '0.5.0';

type CType = string | TypeObject;

/** An address in the library's memory. */
export type Pointer = bigint;
export type ModelParams = Record<string, number | boolean | Pointer | null>;
export type ContextParams = Record<string, number | boolean | Pointer | null>;

/** The declared functions, named as in llama.h without their prefix. */
export type LlamaLibrary = ReturnType<typeof bindLibrary>;

const logLevelError = 4;
const logLevelContinued = 5;
const keptLogLines = 20;

/** Opens the libraries for this machine. Throws `machine_unsupported` with what would work. */
export function openLibrary(): LlamaLibrary {
  const folder = findLibraryFolder();
  try {
    const load = (name: string) => koffi.load(`${folder}/${name}`, { global: true });
    load('libggml-base.so');
    const ggml = load(`libggml.v${libraryVersion}.so`);
    const library = bindLibrary(load(`libllama.v${libraryVersion}.so`), ggml);
    checkLibrary(library);
    library.errors.collect();
    library.loadBackends(folder);
    library.backendInit();
    return library;
  } catch (error) {
    if (error instanceof ParlanceError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const hint = usesMusl()
      ? ' This Linux uses musl, and they need glibc (as in Debian or Fedora).'
      : '';
    throw new ParlanceError(
      'machine_unsupported',
      `The engine's libraries do not open on this machine: ${why}.${hint}`,
      { cause: error },
    );
  }
}

/** glibc names its version in Node's report on itself, musl does not. */
function usesMusl(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined;
}

function findLibraryFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@node-llama-cpp/${platform}`;
  let entry: string;
  try {
    entry = import.meta.resolve(name);
  } catch (cause) {
    throw new ParlanceError(
      'machine_unsupported',
      `There is no engine library for ${platform} (package ${name} is not installed). ` +
        'Linux on x64 and arm64 with glibc is supported; elsewhere use an external deployment.',
      { cause },
    );
  }
  const folder = fileURLToPath(new URL(`../bins/${platform}`, entry));
  if (existsSync(`${folder}/libllama.v${libraryVersion}.so`)) return folder;
  throw new ParlanceError(
    'machine_unsupported',
    `Package ${name} does not hold llama.cpp ${libraryVersion}; reinstall with "npm ci".`,
  );
}

/** A struct that drifted would corrupt memory, so what we can see of it must be as documented. */
function checkLibrary(library: LlamaLibrary): void {
  const version = library.version();
  const context = library.contextDefaultParams();
  const model = library.modelDefaultParams();
  const asDocumented =
    version.startsWith(libraryVersion) &&
    koffi.sizeof(modelParams) === 80 &&
    koffi.sizeof(contextParams) === 160 &&
    koffi.sizeof(batch) === 56 &&
    context['n_ctx'] === 512 &&
    context['n_ubatch'] === 512 &&
    context['yarn_ext_factor'] === -1 &&
    context['type_v'] === 1 &&
    context['offload_kqv'] === true &&
    context['kv_unified'] === false &&
    context['ctx_other'] === null &&
    model['n_gpu_layers'] === -1 &&
    model['use_extra_bufts'] === true &&
    model['load_mtp'] === false;
  if (asDocumented) return;
  throw new ParlanceError(
    'machine_unsupported',
    `The engine was built for llama.cpp ${libraryVersion}, and the installed library says ` +
      `"${version}" with other structures; reinstall with "npm ci".`,
  );
}

/** Keeps the library's last error lines while a model loads, for messages; stdout stays clean. */
function createErrorLog(set: (callback: Pointer | null, data: null) => void, silent: Pointer) {
  let lines: string[] = [];
  let callback: Pointer | null = null;
  let level = 0;
  const onLog = (newLevel: number, text: Pointer): void => {
    level = newLevel === logLevelContinued ? level : newLevel;
    // Thousands of debug lines come while a context is made: only what is kept is decoded.
    if (level < logLevelError) return;
    lines = [...lines, koffi.decode.string(text).trim()].slice(-keptLogLines);
  };
  return {
    /** Lines are collected by JavaScript: only while everything logs on this thread (loading). */
    collect(): void {
      callback ??= koffi.register(onLog, koffi.pointer(logCallback));
      set(callback, null);
    },
    /** From now on nothing is logged: a worker thread that called JavaScript would wait for ever. */
    silence(): void {
      set(silent, null);
      if (callback !== null) koffi.unregister(callback);
      callback = null;
    },
    /** The collected lines in one, without the names of C functions and the common last words. */
    text(): string {
      const words = lines.map((line) => line.replace(/^(?:\w+: )+(?:error loading model: )?/, ''));
      const telling = words.filter((line) => line !== '' && line !== 'failed to load model');
      return telling.join('; ');
    },
    clear(): void {
      lines = [];
    },
  };
}

/** Declares a C function; the caller states its TypeScript type, which koffi cannot check. */
function bindLibrary(llama: LibraryHandle, ggml: LibraryHandle) {
  const declare = <F>(name: string, result: CType, args: CType[]): F =>
    llama.func(name, result, args) as F;
  const p = 'void *';
  const logSet = declare<(callback: Pointer | null, data: null) => void>('llama_log_set', 'void', [
    p,
    p,
  ]);
  return {
    // A C function that does nothing and looks at no argument stands in for a silent logger.
    errors: createErrorLog(logSet, llama.symbol('llama_supports_mmap') as Pointer),
    loadBackends: ggml.func('ggml_backend_load_all_from_path', 'void', ['str']) as (
      dir: string,
    ) => void,
    version: declare<() => string>('llama_version', 'str', []),
    backendInit: declare<() => void>('llama_backend_init', 'void', []),
    maxSequences: declare<() => number>('llama_max_parallel_sequences', 'size_t', []),
    ...bindModel(declare, p),
    ...bindVocabulary(declare, p),
    ...bindContext(declare, p),
  };
}

type Declare = <F>(name: string, result: CType, args: CType[]) => F;

function bindModel(declare: Declare, p: string) {
  return {
    modelDefaultParams: declare<() => ModelParams>('llama_model_default_params', modelParams, []),
    modelLoad: declare<(path: string, params: ModelParams) => Pointer | null>(
      'llama_model_load_from_file',
      p,
      ['str', modelParams],
    ),
    modelFree: declare<(model: Pointer) => void>('llama_model_free', 'void', [p]),
    modelVocab: declare<(model: Pointer) => Pointer>('llama_model_get_vocab', p, [p]),
    modelTrainedContext: declare<(model: Pointer) => number>('llama_model_n_ctx_train', 'int32_t', [
      p,
    ]),
    modelEmbedding: declare<(model: Pointer) => number>('llama_model_n_embd', 'int32_t', [p]),
    modelLayers: declare<(model: Pointer) => number>('llama_model_n_layer', 'int32_t', [p]),
    modelHeads: declare<(model: Pointer) => number>('llama_model_n_head', 'int32_t', [p]),
    modelKvHeads: declare<(model: Pointer) => number>('llama_model_n_head_kv', 'int32_t', [p]),
    modelHasDecoder: declare<(model: Pointer) => boolean>('llama_model_has_decoder', 'bool', [p]),
    modelHasEncoder: declare<(model: Pointer) => boolean>('llama_model_has_encoder', 'bool', [p]),
    modelSize: declare<(model: Pointer) => number | bigint>('llama_model_size', 'uint64_t', [p]),
    modelDescription: declare<(model: Pointer, out: Buffer, size: number) => number>(
      'llama_model_desc',
      'int32_t',
      [p, p, 'size_t'],
    ),
    modelMeta: declare<(model: Pointer, key: string, out: Buffer, size: number) => number>(
      'llama_model_meta_val_str',
      'int32_t',
      [p, 'str', p, 'size_t'],
    ),
  };
}

function bindVocabulary(declare: Declare, p: string) {
  const ofVocab = (name: string) => declare<(vocab: Pointer) => number>(name, 'int32_t', [p]);
  return {
    vocabSize: ofVocab('llama_vocab_n_tokens'),
    vocabBos: ofVocab('llama_vocab_bos'),
    vocabEos: ofVocab('llama_vocab_eos'),
    vocabIsEnd: declare<(vocab: Pointer, token: number) => boolean>('llama_vocab_is_eog', 'bool', [
      p,
      'int32_t',
    ]),
    tokenize: declare<
      (
        ...args: [
          vocab: Pointer,
          text: Buffer,
          bytes: number,
          out: Int32Array,
          size: number,
          addSpecial: boolean,
          parseSpecial: boolean,
        ]
      ) => number
    >('llama_tokenize', 'int32_t', [p, p, 'int32_t', p, 'int32_t', 'bool', 'bool']),
    tokenToPiece: declare<
      (
        ...args: [
          vocab: Pointer,
          token: number,
          out: Buffer,
          size: number,
          strip: number,
          special: boolean,
        ]
      ) => number
    >('llama_token_to_piece', 'int32_t', [p, 'int32_t', p, 'int32_t', 'int32_t', 'bool']),
  };
}

function bindContext(declare: Declare, p: string) {
  return {
    contextDefaultParams: declare<() => ContextParams>(
      'llama_context_default_params',
      contextParams,
      [],
    ),
    contextCreate: declare<(model: Pointer, params: ContextParams) => Pointer | null>(
      'llama_init_from_model',
      p,
      [p, contextParams],
    ),
    contextFree: declare<(context: Pointer) => void>('llama_free', 'void', [p]),
    contextSetThreads: declare<(context: Pointer, one: number, several: number) => void>(
      'llama_set_n_threads',
      'void',
      [p, 'int32_t', 'int32_t'],
    ),
    contextMemory: declare<(context: Pointer) => Pointer>('llama_get_memory', p, [p]),
    contextPerSequence: declare<(context: Pointer) => number>('llama_n_ctx_seq', 'uint32_t', [p]),
    decode: declare<(context: Pointer, batch: Record<string, number | Pointer | null>) => number>(
      'llama_decode',
      'int32_t',
      [p, batch],
    ),
    logitsAt: declare<(context: Pointer, index: number) => Pointer | null>(
      'llama_get_logits_ith',
      p,
      [p, 'int32_t'],
    ),
    sequenceRemove: declare<
      (memory: Pointer, sequence: number, from: number, to: number) => boolean
    >('llama_memory_seq_rm', 'bool', [p, 'int32_t', 'int32_t', 'int32_t']),
    sequenceCopy: declare<
      (...args: [memory: Pointer, from: number, to: number, first: number, last: number]) => void
    >('llama_memory_seq_cp', 'void', [p, 'int32_t', 'int32_t', 'int32_t', 'int32_t']),
    sequenceEnd: declare<(memory: Pointer, sequence: number) => number>(
      'llama_memory_seq_pos_max',
      'int32_t',
      [p, 'int32_t'],
    ),
  };
}
