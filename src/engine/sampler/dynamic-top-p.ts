/**
 * The top_p of one choice from token to token (Lee et al., "Factuality Enhanced Language Models",
 * arXiv 2206.04624, section 3.1, with resets at named tokens). Called by the sampler.
 */

import type { Sampling } from '../protocol.ts';

export interface DynamicTopP {
  /** The p for the next token. */
  readonly current: () => number;
  /** Moves on behind a generated token. */
  readonly count: (token: number) => void;
}

/** Behind each token: its initial value behind a reset token, else max(p x topPDecay, topPMin). */
export function createDynamicTopP(sampling: Sampling): DynamicTopP {
  const { topP, topPMin, topPDecay } = sampling;
  const resets = new Set(sampling.topPResetIds);
  let p = topP;
  return {
    current: () => p,
    count: (token) => {
      p = resets.has(token) ? topP : Math.max(p * topPDecay, topPMin);
    },
  };
}
