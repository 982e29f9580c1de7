/**
 * How one step's budget of tokens is shared. Pure. Every decoding sequence gets its one token first;
 * what is left goes to prompts, oldest first. Beside decoding sequences prompts get less, so that a
 * long one never holds up the others' text for long.
 */

export interface PrefillNeed {
  /** Prompt tokens not computed yet, at least 1. */
  readonly left: number;
}

/**
 * The most prompt tokens in a step in which others decode. A step of 512 lasts 1 to 2 seconds on two
 * slow cores, and all text stands still meanwhile; wider steps compute prompts little faster.
 */
const promptTokensBesideDecoding = 128;

/** Prompt tokens that a step of `batchTokens` may compute beside `decoding` sequences. */
export function promptBudget(batchTokens: number, decoding: number): number {
  const free = Math.max(0, batchTokens - decoding);
  return decoding === 0 ? free : Math.min(free, promptTokensBesideDecoding);
}

/** Tokens for each prompt in the order given (0 = none in this step), `budget` in all. */
export function sharePrefill(budget: number, needs: readonly PrefillNeed[]): number[] {
  let free = budget;
  return needs.map(({ left }) => {
    const share = Math.min(free, left);
    free -= share;
    return share;
  });
}
