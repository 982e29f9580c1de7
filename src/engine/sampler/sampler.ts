/**
 * The shapes that the sampler shares with its callers and between its own files. Types only.
 */

import type { Vocabulary } from '../llama/decoder.ts';

export interface SamplerContext {
  readonly vocabulary: Vocabulary;
  readonly promptTokens: readonly number[];
  /** Index of the choice in its request: each has its own random stream. */
  readonly choice: number;
  /** Whether each token's log-probability is needed though the caller did not ask for logprobs. */
  readonly needLogprob: boolean;
}

export interface RankedToken {
  readonly token: number;
  /** Natural logarithm; never below -9999, which stands for "impossible" (JSON has no -Infinity). */
  readonly logprob: number;
}

export interface Sampled {
  readonly token: number;
  /** Natural log-softmax of the raw logits; null when it is neither asked for nor needed. */
  readonly logprob: number | null;
  /** The best raw tokens, best first; null when no logprobs were asked for. */
  readonly top: readonly RankedToken[] | null;
}

/** What a constraint leaves to choose from. */
export interface Allowed {
  /** Bit `id & 31` of word `id >> 5`. */
  readonly mask: Uint32Array;
  /** Tokens of the mask that have been tried in vain. */
  readonly except: ReadonlySet<number> | null;
}

export interface Sampler {
  /**
   * Chooses the next token from a row of logits, one for each token, and counts it as generated. Throws
   * `internal` where the row has a NaN or +Infinity, or leaves no token at all to choose, and
   * `constraint_not_met` where `allowed` leaves none.
   */
  readonly sample: (logits: Float32Array, allowed?: Allowed) => Sampled;
  /**
   * Counts a token as generated that nothing could have been drawn in place of, and draws nothing. With
   * its row it is described as if it had been drawn.
   */
  readonly force: (token: number, logits: Float32Array | null) => Sampled;
  /**
   * Counts a token as generated that was chosen elsewhere; what follows is the same as if `sample` had
   * chosen it. It may be one that `sample` would not choose.
   */
  readonly skip: (token: number) => void;
  /** What `sample` would choose from, in order of ID; counts nothing and draws nothing. */
  readonly distribution: (logits: Float32Array) => readonly Probability[];
}

export interface Probability {
  readonly token: number;
  /** Above 0; the probabilities of a distribution sum to 1. */
  readonly probability: number;
}
