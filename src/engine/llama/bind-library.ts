/**
 * Declares the C functions of llama.cpp and ggml that we call, named as in llama.h without their
 * prefix. `library.ts` binds them once it has opened the libraries; the other files of this folder
 * call them. The TypeScript types are ours to get right: nothing can check them.
 */

import type { LibraryHandle, TypeObject } from 'koffi';

import { createErrorLog } from './error-log.ts';
import { batch, contextParams, modelParams } from './structs.ts';

type CType = string | TypeObject;

/** An address in the library's memory. */
export type Pointer = bigint;
export type ModelParams = Record<string, number | boolean | Pointer | null>;
export type ContextParams = Record<string, number | boolean | Pointer | null>;

export type LlamaLibrary = ReturnType<typeof bindLibrary>;

/** Declares a C function; the caller states its TypeScript type, which koffi cannot check. */
export function bindLibrary(llama: LibraryHandle, ggml: LibraryHandle) {
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
    ...bindDevices(ggml, p),
    ...bindModel(declare, p),
    ...bindVocabulary(declare, p),
    ...bindAdapters(declare, p),
    ...bindContext(declare, p),
    ...bindSequences(declare, p),
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
    modelIsRecurrent: declare<(model: Pointer) => boolean>('llama_model_is_recurrent', 'bool', [p]),
    modelIsHybrid: declare<(model: Pointer) => boolean>('llama_model_is_hybrid', 'bool', [p]),
    /** Positions that a sliding window shows; 0 where the model has none. */
    modelWindow: declare<(model: Pointer) => number>('llama_model_n_swa', 'int32_t', [p]),
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
    contextAttachThreads: declare<(context: Pointer, one: Pointer, several: Pointer) => void>(
      'llama_attach_threadpool',
      'void',
      [p, p, p],
    ),
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
    /** Rows of the tokens that had outputs, one after another in the order of the batch. */
    logits: declare<(context: Pointer) => Pointer | null>('llama_get_logits', p, [p]),
  };
}

function bindSequences(declare: Declare, p: string) {
  return {
    sequenceRemove: declare<
      (memory: Pointer, sequence: number, from: number, to: number) => boolean
    >('llama_memory_seq_rm', 'bool', [p, 'int32_t', 'int32_t', 'int32_t']),
    sequenceEnd: declare<(memory: Pointer, sequence: number) => number>(
      'llama_memory_seq_pos_max',
      'int32_t',
      [p, 'int32_t'],
    ),
    stateSize: declare<(context: Pointer, sequence: number) => number | bigint>(
      'llama_state_seq_get_size',
      'size_t',
      [p, 'int32_t'],
    ),
    /** Bytes written; 0 where it failed. */
    stateSave: declare<
      (context: Pointer, out: Uint8Array, size: number, sequence: number) => number | bigint
    >('llama_state_seq_get_data', 'size_t', [p, p, 'size_t', 'int32_t']),
    /** With flag 1 only of the layers with a window. */
    statePartSize: declare<(context: Pointer, sequence: number, flags: number) => number | bigint>(
      'llama_state_seq_get_size_ext',
      'size_t',
      [p, 'int32_t', 'uint32_t'],
    ),
    statePartSave: declare<
      (
        ...args: [context: Pointer, out: Uint8Array, size: number, sequence: number, flags: number]
      ) => number | bigint
    >('llama_state_seq_get_data_ext', 'size_t', [p, p, 'size_t', 'int32_t', 'uint32_t']),
    /** Bytes read; 0 where it failed. */
    stateRestore: declare<
      (context: Pointer, state: Uint8Array, size: number, sequence: number) => number | bigint
    >('llama_state_seq_set_data', 'size_t', [p, p, 'size_t', 'int32_t']),
  };
}

function bindAdapters(declare: Declare, p: string) {
  return {
    adapterLoad: declare<(model: Pointer, path: string) => Pointer | null>(
      'llama_adapter_lora_init',
      p,
      [p, 'str'],
    ),
    adapterFree: declare<(adapter: Pointer) => void>('llama_adapter_lora_free', 'void', [p]),
    adaptersSet: declare<
      (context: Pointer, adapters: Pointer | null, count: number, scales: Pointer | null) => number
    >('llama_set_adapters_lora', 'int32_t', [p, p, 'size_t', p]),
  };
}

function bindDevices(ggml: LibraryHandle, p: string) {
  const declare = <F>(name: string, result: CType, args: CType[]): F =>
    ggml.func(name, result, args) as F;
  return {
    deviceCount: declare<() => number>('ggml_backend_dev_count', 'size_t', []),
    deviceAt: declare<(index: number) => Pointer>('ggml_backend_dev_get', p, ['size_t']),
    /** ggml_backend_dev_type. */
    deviceType: declare<(device: Pointer) => number>('ggml_backend_dev_type', 'int', [p]),
    deviceName: declare<(device: Pointer) => string>('ggml_backend_dev_name', 'str', [p]),
    deviceDescription: declare<(device: Pointer) => string>('ggml_backend_dev_description', 'str', [
      p,
    ]),
    deviceMemory: declare<(device: Pointer, free: BigUint64Array, total: BigUint64Array) => void>(
      'ggml_backend_dev_memory',
      'void',
      [p, p, p],
    ),
    deviceByType: declare<(type: number) => Pointer | null>('ggml_backend_dev_by_type', p, ['int']),
    deviceRegistry: declare<(device: Pointer) => Pointer | null>(
      'ggml_backend_dev_backend_reg',
      p,
      [p],
    ),
    /** A function of the library that a device comes from; null where it has none of this name. */
    registryFunction: declare<(registry: Pointer, name: string) => Pointer | null>(
      'ggml_backend_reg_get_proc_address',
      p,
      [p, 'str'],
    ),
    threadPoolDefaults: declare<(params: Buffer, threads: number) => void>(
      'ggml_threadpool_params_init',
      'void',
      [p, 'int'],
    ),
  };
}
