/**
 * The real decoder: one llama.cpp context with a KV stream for each slot. The engine's entry makes
 * one; the scheduler drives it. The settings are the ones that make serving reproducible bit for
 * bit: flash attention on, K and V in Q8_0, separate streams.
 */

import koffi from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import { reservedContext, type KvType } from '../capacity.ts';
import type { Decoder, KvState, KvStates, TokenRun } from './decoder.ts';
import type { LlamaModel } from './llama-model.ts';
import type { LlamaLibrary, Pointer } from './library.ts';
import { flashAttention, ggmlType } from './structs.ts';
import { initialThreads, stepThreads, type ThreadState } from './thread-policy.ts';

export interface DecoderOptions {
  readonly slots: number;
  readonly context: number;
  readonly kvType: KvType;
  readonly threads: number;
  /** Use exactly `threads`, whatever else the machine does; else at most. */
  readonly threadsFixed: boolean;
  readonly batchTokens: number;
}

/** A pass wider than this needs more scratch memory and is no faster on a CPU. */
const widestPass = 512;

/** Throws `machine_unsupported` with the library's words when the context cannot be made. */
export function createLlamaDecoder(
  library: LlamaLibrary,
  model: LlamaModel,
  options: DecoderOptions,
): Decoder {
  library.errors.clear();
  const context = library.contextCreate(model.pointer, {
    ...library.contextDefaultParams(),
    n_ctx: options.slots * reservedContext(options.context),
    n_batch: options.batchTokens,
    n_ubatch: Math.min(options.batchTokens, widestPass),
    n_seq_max: options.slots,
    n_outputs_max: options.slots,
    n_threads: options.threads,
    n_threads_batch: options.threads,
    flash_attn_type: flashAttention.enabled,
    type_k: ggmlType[options.kvType],
    type_v: ggmlType[options.kvType],
    offload_kqv: false,
    kv_unified: false,
  });
  if (context === null) {
    throw new ParlanceError(
      'machine_unsupported',
      `The engine cannot make a context for this model: ${library.errors.text() || 'no reason given'}`,
    );
  }
  return new LlamaDecoder(library, model, context, options);
}

class LlamaDecoder implements Decoder {
  readonly vocabulary;
  readonly slots: number;
  readonly context: number;
  readonly batchTokens: number;
  readonly maxOutputs: number;
  readonly forgetsParts = true;
  readonly states: KvStates = notYet;
  readonly #library: LlamaLibrary;
  readonly #model: LlamaModel;
  readonly #pointer: Pointer;
  readonly #memory: Pointer;
  readonly #batch: BatchMemory;
  /** Batch position of the last token of each run of the last pass. */
  #lastTokens: number[] = [];
  readonly #mostThreads: number | null;
  #threads: ThreadState;
  readonly #views = new Map<Pointer, Float32Array>();

  constructor(library: LlamaLibrary, model: LlamaModel, pointer: Pointer, options: DecoderOptions) {
    this.vocabulary = model.vocabulary;
    this.slots = options.slots;
    this.context = options.context;
    this.batchTokens = options.batchTokens;
    this.maxOutputs = options.slots;
    this.#library = library;
    this.#model = model;
    this.#pointer = pointer;
    this.#memory = library.contextMemory(pointer);
    this.#batch = allocateBatch(options.batchTokens);
    this.#mostThreads = options.threadsFixed ? null : options.threads;
    this.#threads = initialThreads(options.threads);
  }

  decode(runs: readonly TokenRun[], _adapter: string | null): number {
    const { token, pos, seq, output, struct } = this.#batch;
    let count = 0;
    this.#lastTokens = [];
    // Writing past the arrays would be silent: they are not JavaScript's.
    const total = runs.reduce((sum, run) => sum + run.tokens.length, 0);
    if (total > this.batchTokens) {
      throw new ParlanceError(
        'internal',
        `${total} tokens do not fit a pass of ${this.batchTokens}.`,
      );
    }
    for (const run of runs) {
      for (let i = 0; i < run.tokens.length; i += 1) {
        token[count] = run.tokens[i] ?? 0;
        pos[count] = run.position + i;
        seq[count] = run.slot;
        output[count] = 0;
        count += 1;
      }
      output[count - 1] = run.outputs > 0 ? 1 : 0;
      this.#lastTokens.push(count - 1);
    }
    const { user, system } = process.cpuUsage();
    const begin = performance.now();
    const status = this.#library.decode(this.#pointer, { ...struct, n_tokens: count });
    const wallMs = performance.now() - begin;
    const spent = process.cpuUsage({ user, system });
    this.#adaptThreads(wallMs, (spent.user + spent.system) / 1000);
    return status;
  }

  logits(index: number, _row: number): Float32Array {
    const pointer = this.#library.logitsAt(this.#pointer, this.#lastTokens[index] ?? -1);
    if (pointer === null)
      throw new ParlanceError('internal', 'The engine has no logits for this token.');
    let view = this.#views.get(pointer);
    if (view === undefined) {
      // The library keeps one output buffer, so there are as many addresses as slots, unless it
      // moves: then the old views are of no use.
      if (this.#views.size > this.slots) this.#views.clear();
      view = new Float32Array(koffi.view(pointer, this.vocabulary.size * 4));
      this.#views.set(pointer, view);
    }
    return view;
  }

  #adaptThreads(wallMs: number, cpuMs: number): void {
    if (this.#mostThreads === null) return;
    const next = stepThreads(this.#threads, { wallMs, cpuMs }, this.#mostThreads);
    if (next.threads !== this.#threads.threads) {
      this.#library.contextSetThreads(this.#pointer, next.threads, next.threads);
    }
    this.#threads = next;
  }

  seqRemove(slot: number, from: number): boolean {
    return this.#library.sequenceRemove(this.#memory, slot, from, -1);
  }

  seqCopy(from: number, to: number): void {
    this.#library.sequenceCopy(this.#memory, from, to, -1, -1);
  }

  seqLength(slot: number): number {
    return this.#library.sequenceEnd(this.#memory, slot) + 1;
  }

  saveState(): KvState {
    throw new ParlanceError('internal', 'States are not there yet.');
  }

  restoreState(): boolean {
    return false;
  }

  loadAdapter(): void {
    throw new ParlanceError('internal', 'Adapters are not there yet.');
  }

  unloadAdapter(): void {}

  close(): void {
    this.#views.clear();
    this.#library.contextFree(this.#pointer);
    this.#model.free();
    for (const pointer of this.#batch.owned) koffi.free(pointer);
  }
}

const notYet: KvStates = {
  cuttable: false,
  cut: (state) => state,
  join: (parts) => parts[0] as KvState,
  encode: () => new Uint8Array(0),
  decode: () => ({ length: 0, bytes: 0 }),
};

type BatchMemory = ReturnType<typeof allocateBatch>;

/**
 * The arrays of a llama_batch, outside JavaScript's heap for the life of the decoder: a typed array
 * may be moved or collected while the library still has its address.
 */
function allocateBatch(tokens: number) {
  const allocate = (type: string, bytes: number) => {
    const pointer = koffi.alloc(type, tokens) as Pointer;
    return { pointer, memory: koffi.view(pointer, tokens * bytes) };
  };
  const token = allocate('int32_t', 4);
  const pos = allocate('int32_t', 4);
  const seq = allocate('int32_t', 4);
  const seqCount = allocate('int32_t', 4);
  const seqPointers = allocate('int64_t', 8);
  const output = allocate('int8_t', 1);
  new Int32Array(seqCount.memory).fill(1);
  const pointers = new BigInt64Array(seqPointers.memory);
  for (let i = 0; i < tokens; i += 1) pointers[i] = seq.pointer + BigInt(4 * i);
  return {
    token: new Int32Array(token.memory),
    pos: new Int32Array(pos.memory),
    seq: new Int32Array(seq.memory),
    output: new Int8Array(output.memory),
    struct: {
      n_tokens: 0,
      token: token.pointer,
      embd: null,
      pos: pos.pointer,
      n_seq_id: seqCount.pointer,
      seq_id: seqPointers.pointer,
      logits: output.pointer,
    },
    owned: [token, pos, seq, seqCount, seqPointers, output].map(({ pointer }) => pointer),
  };
}
