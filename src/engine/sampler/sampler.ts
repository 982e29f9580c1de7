/**
 * The shapes that the sampler shares with its callers and between its own files. Types only.
 */

export interface SamplerContext {
  readonly vocabSize: number;
  /** The model's own end tokens. */
  readonly eosIds: readonly number[];
  readonly promptTokens: readonly number[];
  /** Index of the choice in its request: each has its own random stream. */
  readonly choice: number;
}

export interface RankedToken {
  readonly token: number;
  /** Natural logarithm; never below -9999, which stands for "impossible" (JSON has no -Infinity). */
  readonly logprob: number;
}

export interface Sampled {
  readonly token: number;
  /** Natural log-softmax of the raw logits; null when no logprobs were asked for. */
  readonly logprob: number | null;
  /** The best raw tokens, best first; null when no logprobs were asked for. */
  readonly top: readonly RankedToken[] | null;
}

export interface Sampler {
  /**
   * Chooses the next token from a row of `vocabSize` logits and counts it as generated. Throws
   * `internal` where the row has a NaN or +Infinity, or leaves no token at all to choose.
   */
  readonly sample: (logits: Float32Array) => Sampled;
  /** What `sample` would choose from, in order of ID; counts nothing and draws nothing. */
  readonly distribution: (logits: Float32Array) => readonly Probability[];
}

export interface Probability {
  readonly token: number;
  /** Above 0; the probabilities of a distribution sum to 1. */
  readonly probability: number;
}
