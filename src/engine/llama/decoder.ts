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
  /** Whether the logits after the last token are needed. */
  readonly wantLogits: boolean;
}

/** 0: done. 1: no room in the KV cache. 2: aborted. Negative: the library failed. */
export type DecodeStatus = number;

export interface Decoder {
  readonly vocabulary: Vocabulary;
  readonly slots: number;
  /** Tokens that each slot can hold. */
  readonly context: number;
  /** The most tokens that one `decode` takes. */
  readonly batchTokens: number;
  /**
   * One pass over all runs. Runs must come in ascending order of slots; without a gap they share
   * one pass of the library, with gaps they cost a pass each.
   */
  decode(runs: readonly TokenRun[]): DecodeStatus;
  /**
   * Logits after the last token of `runs[index]` of the last `decode`: a view of the library's
   * memory, valid until the next `decode`, never to be written to.
   */
  logits(index: number): Float32Array;
  /** Forgets positions from `from` on; false where the model cannot forget a part. */
  seqRemove(slot: number, from: number): boolean;
  /** Makes `to` an exact copy of `from` (whole sequences only). */
  seqCopy(from: number, to: number): void;
  /** Tokens that the slot holds. */
  seqLength(slot: number): number;
  close(): void;
}
