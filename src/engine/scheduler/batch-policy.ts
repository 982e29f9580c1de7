/**
 * How one step's budget of tokens is shared. Pure. Every decoding sequence gets its one token first;
 * what is left goes to prompts, in the order of the queue. Beside decoding sequences prompts get less,
 * so that a long one never holds up the others' text for long.
 */

import { passMilliseconds, tokensWithin, type PassCost } from '../pass-cost.ts';

/** What is known of how long passes take. */
export interface StepCosts {
  /** Passes in which only decoding sequences took part, by their number. */
  readonly decoding: PassCost;
  /** What prompt tokens cost beside that, by their number. */
  readonly prompts: PassCost;
}

/**
 * The most prompt tokens in a step in which others decode. A step of 512 lasts 1 to 2 seconds on two
 * slow cores, and all text stands still meanwhile; wider steps compute prompts little faster.
 */
const mostBesideDecoding = 128;
/** Fewer are no longer worth a pass: computing the prompt would take for ever. */
const leastBesideDecoding = 16;
/** A step with prompts may take this many times as long as one without. */
const longestStep = 2.5;

/** Prompt tokens that a step of `batchTokens` may compute beside `decoding` sequences. */
export function promptBudget(batchTokens: number, decoding: number, costs: StepCosts): number {
  const free = Math.max(0, batchTokens - decoding);
  if (decoding === 0) return free;
  const usual = passMilliseconds(costs.decoding, decoding);
  const within =
    usual === null
      ? mostBesideDecoding
      : tokensWithin(costs.prompts, (longestStep - 1) * usual, mostBesideDecoding);
  return Math.min(free, Math.max(leastBesideDecoding, within));
}

/** Tokens for each prompt in the order given (0 = none in this step), `budget` in all. */
export function sharePrefill(budget: number, pending: readonly number[]): number[] {
  let free = budget;
  return pending.map((tokens) => {
    const share = Math.min(free, tokens);
    free -= share;
    return share;
  });
}
