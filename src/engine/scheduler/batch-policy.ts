/**
 * How one step's budget of tokens is shared. Pure. Every decoding sequence gets its one token first,
 * so a long prompt never stops the others; what is left goes to prompts, oldest first.
 */

export interface PrefillNeed {
  /** Prompt tokens not computed yet, at least 1. */
  readonly left: number;
}

/**
 * Tokens for each prompt in the order given (0 = none in this step). `budget` is what one pass
 * takes, `decoding` the number of sequences that decode in it.
 */
export function sharePrefill(
  budget: number,
  decoding: number,
  needs: readonly PrefillNeed[],
): number[] {
  let free = Math.max(0, budget - decoding);
  return needs.map(({ left }) => {
    const share = Math.min(free, left);
    free -= share;
    return share;
  });
}
