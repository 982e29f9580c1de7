/**
 * The real decoder: one llama.cpp context with a KV stream for each slot. The engine's entry makes
 * one for the model, and perhaps one for a draft model; the scheduler drives them. The settings are
 * the ones that make serving reproducible bit for bit: flash attention on, K in Q8_0 and V in F16, separate
 * streams.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { reservedContext, type KvType } from '../capacity.ts';
import { Adapters } from './adapters.ts';
import { allocateBatch, fillBatch, freeBatch, type BatchMemory } from './batch-memory.ts';
import type { LlamaLibrary, Pointer } from './bind-library.ts';
import type { Decoder, DecodeStatus, KvState, TokenRun } from './decoder.ts';
import type { LibraryForm } from './kv-layout.ts';
import { LlamaStates } from './kv-states.ts';
import type { LlamaModel } from './llama-model.ts';
import { LogitsView } from './logits-view.ts';
import { flashAttention, kvTypes } from './structs.ts';
import { attachThreadPool, type ThreadPool } from './thread-pool.ts';
import { initialThreads, stepThreads, threadWindowMs, type ThreadState } from './thread-policy.ts';

export interface DecoderOptions {
  readonly slots: number;
  readonly context: number;
  readonly kvType: KvType;
  readonly threads: number;
  /** Use exactly `threads`, whatever else the machine does; else at most. */
  readonly threadsFixed: boolean;
  readonly batchTokens: number;
  /** Draft tokens that one pass may verify for each slot. */
  readonly maxDraftTokens: number;
  /**
   * Layers with a sliding window keep all positions, so that a prefix can be used again; else only
   * what their window shows.
   */
  readonly keepWholeWindow: boolean;
}

/** A pass wider than this needs more scratch memory and is no faster on a CPU. */
const widestPass = 512;
/** LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY. */
const windowOnly = 1;
/** Memory for states on their way to the library is kept up to this size. */
const keptScratchBytes = 64 * 1024 * 1024;

/** Throws `machine_unsupported` with the library's words when the context cannot be made. */
export function createLlamaDecoder(
  library: LlamaLibrary,
  model: LlamaModel,
  options: DecoderOptions,
): Decoder {
  const context = library.errors.during(() =>
    library.contextCreate(model.pointer, {
      ...library.contextDefaultParams(),
      n_ctx: options.slots * reservedContext(options.context),
      n_batch: options.batchTokens,
      n_ubatch: Math.min(options.batchTokens, widestPass),
      n_seq_max: options.slots,
      n_outputs_max: maxOutputs(options),
      n_threads: options.threads,
      n_threads_batch: options.threads,
      flash_attn_type: flashAttention.enabled,
      ...kvTypes(options.kvType),
      offload_kqv: model.gpu !== null,
      swa_full: options.keepWholeWindow,
      kv_unified: false,
    }),
  );
  if (context === null) {
    throw new ParlanceError(
      'machine_unsupported',
      `The engine cannot make a context for this model: ${library.errors.text()}`,
    );
  }
  return new LlamaDecoder(library, model, context, options);
}

const maxOutputs = ({ slots, maxDraftTokens }: DecoderOptions): number =>
  slots * (1 + maxDraftTokens);

class LlamaDecoder implements Decoder {
  readonly vocabulary;
  readonly slots: number;
  readonly context: number;
  readonly batchTokens: number;
  readonly maxOutputs: number;
  readonly forgetsParts: boolean;
  readonly states: LlamaStates;
  readonly #library: LlamaLibrary;
  readonly #model: LlamaModel;
  readonly #pointer: Pointer;
  readonly #memory: Pointer;
  readonly #batch: BatchMemory;
  readonly #adapters: Adapters;
  readonly #logits: LogitsView;
  /** Rows of logits of the last pass before each run's, one entry more than runs. */
  readonly #rowsBefore: Int32Array;
  #runs = 0;
  #logitsAreRead = true;
  /** Positions that layers with a window see; 0 = there are none. */
  readonly #window: number;
  readonly #mostThreads: number | null;
  #threads: ThreadState;
  readonly #pool: ThreadPool;
  /** Time of the passes since the last look at it, and the process's time on processors then. */
  #passesMs = 0;
  #cpuUsage = process.cpuUsage();
  #scratch: Buffer = Buffer.alloc(0);

  constructor(library: LlamaLibrary, model: LlamaModel, pointer: Pointer, options: DecoderOptions) {
    this.vocabulary = model.vocabulary;
    this.slots = options.slots;
    this.context = options.context;
    this.batchTokens = options.batchTokens;
    this.maxOutputs = maxOutputs(options);
    this.#library = library;
    this.#model = model;
    this.#pointer = pointer;
    this.#memory = library.contextMemory(pointer);
    this.#batch = allocateBatch(options.batchTokens);
    this.#adapters = new Adapters(library, model.pointer, pointer);
    this.#logits = new LogitsView(model.vocabulary.size, options.slots);
    this.#rowsBefore = new Int32Array(options.slots + 1);
    this.#mostThreads = options.threadsFixed ? null : options.threads;
    this.#threads = initialThreads(options.threads);
    this.#pool = attachThreadPool(library, pointer, options.threads);
    const { recurrent, window } = model.memory;
    this.forgetsParts = !recurrent && (window === 0 || options.keepWholeWindow);
    this.#window = window;
    const forms = [1, window > 0 ? 2 : 1].map((caches) => ({ caches, streams: options.slots }));
    const form = this.forgetsParts ? forms.find((one) => this.#isKept(one)) : undefined;
    this.states = new LlamaStates({ form: form ?? null });
  }

  decode(runs: readonly TokenRun[], adapter: string | null): DecodeStatus {
    this.#runs = 0;
    this.#logitsAreRead = false;
    this.#countRows(runs);
    fillBatch(this.#batch, runs);
    this.#adapters.use(adapter);
    const status =
      this.#mostThreads === null
        ? this.#library.decode(this.#pointer, this.#batch.struct)
        : this.#decodeTimed(this.#mostThreads);
    if (status === 0) this.#runs = runs.length;
    else if (status !== 1) this.#undo(runs);
    return status;
  }

  /** Pieces of the batch that were computed before the failure are still in memory. */
  #undo(runs: readonly TokenRun[]): void {
    for (const { slot, position } of runs) {
      if (!this.seqRemove(slot, position)) this.seqRemove(slot, 0);
    }
  }

  /** The library ends the process where a pass has more outputs than it was made for. */
  #countRows(runs: readonly TokenRun[]): void {
    let rows = 0;
    for (let run = 0; run < runs.length; run += 1) {
      this.#rowsBefore[run] = rows;
      rows += runs[run]?.outputs ?? 0;
    }
    this.#rowsBefore[runs.length] = rows;
    if (rows > this.maxOutputs || runs.length > this.slots) {
      throw new ParlanceError('internal', `${rows} rows of ${runs.length} runs do not fit a pass.`);
    }
  }

  #decodeTimed(mostThreads: number): DecodeStatus {
    const begin = performance.now();
    const status = this.#library.decode(this.#pointer, this.#batch.struct);
    this.#passesMs += performance.now() - begin;
    if (this.#passesMs >= threadWindowMs) this.#adaptThreads(mostThreads);
    return status;
  }

  /** Asking for the processor's time costs as much as a hundredth of a small model's pass. */
  #adaptThreads(mostThreads: number): void {
    const now = process.cpuUsage();
    const spent = now.user + now.system - this.#cpuUsage.user - this.#cpuUsage.system;
    const passes = { wallMs: this.#passesMs, cpuMs: spent / 1000 };
    const next = stepThreads(this.#threads, passes, mostThreads);
    if (next.threads !== this.#threads.threads) {
      this.#library.contextSetThreads(this.#pointer, next.threads, next.threads);
    }
    this.#threads = next;
    this.#cpuUsage = now;
    this.#passesMs = 0;
  }

  logits(run: number, row: number): Float32Array {
    const before = this.#rowsBefore;
    const index = (before[run] ?? 0) + row;
    const asked = run >= 0 && run < this.#runs && row >= 0 && index < (before[run + 1] ?? 0);
    if (asked && !this.#logitsAreRead) {
      const pointer = this.#library.logits(this.#pointer);
      if (pointer !== null) this.#logits.update(pointer, before[this.#runs] ?? 0);
      this.#logitsAreRead = pointer !== null;
    }
    const view = asked ? this.#logits.row(index) : null;
    if (view === null) {
      throw new ParlanceError('internal', `The engine has no logits at row ${row} of run ${run}.`);
    }
    return view;
  }

  seqRemove(slot: number, from: number): boolean {
    if (from > 0 && !this.forgetsParts && from < this.seqLength(slot)) return false;
    return this.#library.sequenceRemove(this.#memory, slot, from, -1);
  }

  /**
   * Through a saved state: the library's own copy between streams is put off to the next pass, when the
   * source may hold something else, and moves the whole stream however little of it is used (80 to 110
   * ms for 600 tokens of 8,192, where this takes 7 to 20).
   */
  seqCopy(from: number, to: number): boolean {
    this.seqRemove(to, 0);
    if (this.seqLength(from) === 0) return true;
    if (this.#window > 0) return this.#copyThroughState(from, to);
    const bytes = Number(this.#library.stateSize(this.#pointer, from));
    const memory = this.#takeScratch(bytes);
    const copied =
      bytes > 0 &&
      Number(this.#library.stateSave(this.#pointer, memory, bytes, from)) === bytes &&
      Number(this.#library.stateRestore(this.#pointer, memory, bytes, to)) > 0 &&
      this.seqLength(to) === this.seqLength(from);
    if (!copied) this.#library.sequenceRemove(this.#memory, to, 0, -1);
    this.#dropScratch();
    return copied;
  }

  /** A window is saved piece by piece, which may fail; a copy that fails is no copy. */
  #copyThroughState(from: number, to: number): boolean {
    try {
      return this.restoreState(to, this.saveState(from));
    } catch {
      this.seqRemove(to, 0);
      return false;
    }
  }

  seqLength(slot: number): number {
    return this.#library.sequenceEnd(this.#memory, slot) + 1;
  }

  saveState(slot: number, from = 0): KvState {
    const bytes = Number(this.#library.stateSize(this.#pointer, slot));
    // Fresh memory costs ten times what the copy into it does: only what is kept gets any.
    const memory = from === 0 ? Buffer.allocUnsafeSlow(bytes) : this.#takeScratch(bytes);
    const written = Number(this.#library.stateSave(this.#pointer, memory, bytes, slot));
    if (bytes === 0 || written !== bytes) {
      throw new ParlanceError('internal', 'The engine cannot copy the state of a sequence.');
    }
    const saved = this.states.fromLibrary(memory, this.seqLength(slot));
    const shown = this.states.firstInAll(saved);
    const state = shown <= from ? saved : this.#saveWindow(slot, saved, shown);
    const kept = from === 0 ? state : this.states.cut(state, from, state.length);
    this.#dropScratch();
    return kept;
  }

  /**
   * Of layers with a window the library saves only what the window shows from the end. The rest shows
   * when the end is taken away, so it is, window by window, and given back.
   */
  #saveWindow(slot: number, state: KvState, shown: number): KvState {
    try {
      const earlier: Buffer[] = [];
      for (let from = shown; from > 0; from -= this.#window) {
        this.#library.sequenceRemove(this.#memory, slot, from, -1);
        const bytes = Number(this.#library.statePartSize(this.#pointer, slot, windowOnly));
        const memory = Buffer.allocUnsafeSlow(bytes);
        this.#library.statePartSave(this.#pointer, memory, bytes, slot, windowOnly);
        earlier.unshift(memory);
      }
      const whole = this.states.withWindow(state, earlier);
      if (this.restoreState(slot, whole)) return whole;
    } catch (error) {
      this.seqRemove(slot, 0);
      throw error;
    }
    throw new ParlanceError('internal', 'The engine lost a sequence while it saved its state.');
  }

  restoreState(slot: number, state: KvState): boolean {
    const memory = this.states.toLibrary(state, (bytes) => this.#takeScratch(bytes));
    const restored =
      memory !== null &&
      state.length <= this.context &&
      Number(this.#library.stateRestore(this.#pointer, memory, memory.length, slot)) > 0 &&
      this.seqLength(slot) === state.length;
    // Where a model has several caches the first may be full although the second failed.
    if (!restored) this.#library.sequenceRemove(this.#memory, slot, 0, -1);
    this.#dropScratch();
    return restored;
  }

  loadAdapter(name: string, path: string): void {
    this.#adapters.load(name, path);
  }

  unloadAdapter(name: string): void {
    this.#adapters.unload(name);
  }

  close(): void {
    this.#logits.clear();
    this.#adapters.close();
    this.#library.contextFree(this.#pointer);
    this.#pool.free();
    this.#model.free();
    freeBatch(this.#batch);
  }

  /** An empty sequence's state has nothing but the form, so its size tells whether that is known. */
  #isKept({ caches, streams }: LibraryForm): boolean {
    return Number(this.#library.stateSize(this.#pointer, 0)) === 8 + caches * (4 + 4 * streams);
  }

  #dropScratch(): void {
    if (this.#scratch.length > keptScratchBytes) this.#scratch = Buffer.alloc(0);
  }

  #takeScratch(bytes: number): Buffer {
    if (this.#scratch.length < bytes) this.#scratch = Buffer.allocUnsafeSlow(bytes);
    return this.#scratch.subarray(0, bytes);
  }
}
