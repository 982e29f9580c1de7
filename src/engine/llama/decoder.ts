/**
 * The native seam: everything that the engine asks of a model library, and all that a fake must do.
 * The scheduler and `main.ts` call it; only `llama-decoder.ts` implements it with a real model.
 * All calls are synchronous and belong on one thread. A slot is one KV sequence, 0..slots-1.
 */

export interface Vocabulary {
  /** Token IDs are 0..size-1. */
  readonly size: number;
  /** The model's own end-of-generation tokens. */
  readonly eosIds: readonly number[];
  readonly bosId: number | null;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /**
   * Special tokens written out in the text become their IDs. `addSpecial` adds BOS and EOS where
   * the model is configured so.
   */
  tokenize(text: string, addSpecial: boolean): number[];
  /** UTF-8 bytes of one token; empty for a control token unless `special`. Not to be written to. */
  piece(token: number, special: boolean): Uint8Array;
}

/** Consecutive tokens of one slot in one pass. */
export interface TokenRun {
  readonly slot: number;
  /** Position of the first token, equal to the slot's length so far. */
  readonly position: number;
  readonly tokens: ArrayLike<number>;
  /** Logits are needed after so many of the last tokens; 0..tokens.length. */
  readonly outputs: number;
}

/** The KV state of consecutive cells of one sequence, in host memory; only `KvStates` looks inside. */
export interface KvState {
  /** Cells. */
  readonly length: number;
  /** Host memory that it takes. */
  readonly bytes: number;
}

/** What can be done with KV states away from the library. Pure. */
export interface KvStates {
  /** False: states are only of use whole, from position 0 to where they were saved. */
  readonly cuttable: boolean;
  /** Cells `from`..`to` of a state, in memory of their own; the state itself where that is all. */
  cut(state: KvState, from: number, to: number): KvState;
  /** One state of parts that follow each other. It keeps their memory and copies nothing. */
  join(parts: readonly KvState[]): KvState;
  encode(state: KvState): Uint8Array;
  /** Throws `internal` where the bytes are not what `encode` made. */
  decode(bytes: Uint8Array): KvState;
}

/**
 * 0: done. 1: no room in the KV cache, and nothing was computed. 2: aborted. Negative: the library
 * failed (-1: it refused the batch, -2: no memory, -3: the computation failed).
 *
 * After anything but 0 the slots of the runs hold what they held before, or nothing: where the model
 * cannot forget a part (`seqLength` tells). Left to itself llama.cpp v0.5.0 keeps, after 2 and
 * negative ones, the tokens of those pieces of the batch that it had computed.
 */
export type DecodeStatus = number;

export interface Decoder {
  readonly vocabulary: Vocabulary;
  readonly slots: number;
  /** Tokens that each slot can hold. */
  readonly context: number;
  /** The most tokens that one `decode` takes. */
  readonly batchTokens: number;
  /** The most rows of logits that one `decode` gives, over all runs. */
  readonly maxOutputs: number;
  /** Whether a sequence can forget its last tokens (recurrent models cannot). */
  readonly forgetsParts: boolean;
  readonly states: KvStates;
  /**
   * One pass over all runs, with one adapter or none. Runs must come in ascending order of slots;
   * without a gap they share one pass of the library, with gaps they cost a pass each.
   */
  decode(runs: readonly TokenRun[], adapter: string | null): DecodeStatus;
  /**
   * Logits of `runs[run]` of the last `decode`, after the `row`-th of the tokens that had outputs (0 =
   * the first of them): a view of the library's memory, valid until the next `decode`, never to be
   * written to.
   */
  logits(run: number, row: number): Float32Array;
  /** Forgets positions from `from` on; false where the model cannot forget a part. */
  seqRemove(slot: number, from: number): boolean;
  /** Makes `to` an exact copy of `from`; false, and an empty `to`, where it fails. */
  seqCopy(from: number, to: number): boolean;
  /** Tokens that the slot holds. */
  seqLength(slot: number): number;
  /**
   * A copy of what the slot holds from position `from` on; 0 where states are not cuttable. Throws
   * `internal` where the library cannot give it; the slot may be empty then (`seqLength` tells).
   */
  saveState(slot: number, from?: number): KvState;
  /** Puts a state from position 0 into an empty slot; false, and an empty slot, where it fails. */
  restoreState(slot: number, state: KvState): boolean;
  /** Throws `invalid_adapter` where the file is damaged or for another model. */
  loadAdapter(name: string, path: string): void;
  unloadAdapter(name: string): void;
  close(): void;
}
