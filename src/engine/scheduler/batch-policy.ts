/**
 * How one step's budget of tokens is shared. Pure. Every decoding sequence gets its one token first;
 * what is left goes to prompts, in the order of the queue. Beside decoding sequences long prompts get
 * less, so that they never hold up the others' text for long.
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
 * A prompt with at most so many tokens to compute is computed at once: the others' text stands still
 * one time for it, and its first token comes as soon as it can.
 */
const shortPrompt = 256;
/** What long prompts get together in a step in which others decode: at most, and at least. */
const mostBesideDecoding = 128;
const leastBesideDecoding = 4;
/** A step with a part of a long prompt may take this many times as long as one without. */
const longestStep = 2.5;

/** What a step has for prompts, in tokens. */
export interface PromptBudget {
  readonly free: number;
  /** Of them for long prompts. */
  readonly long: number;
}

export interface PromptShare {
  readonly share: number;
  readonly left: PromptBudget;
}

export interface StepSituation {
  readonly decoding: number;
  /** A short prompt waits to be computed too. */
  readonly shortWaits: boolean;
}

/** What a step of `batchTokens` may compute of prompts beside what decodes. */
export function promptBudget(
  batchTokens: number,
  { decoding, shortWaits }: StepSituation,
  costs: StepCosts,
): PromptBudget {
  const free = Math.max(0, batchTokens - decoding);
  if (decoding === 0) return { free, long: shortWaits ? Math.ceil(free / 2) : free };
  const usual = passMilliseconds(costs.decoding, decoding);
  const within =
    usual === null
      ? mostBesideDecoding
      : tokensWithin(costs.prompts, (longestStep - 1) * usual, mostBesideDecoding);
  return { free, long: Math.min(free, Math.max(leastBesideDecoding, within)) };
}

/** Whether a prompt of which so many tokens were to be computed at first counts as a long one. */
export const isLong = (tokens: number): boolean => tokens > shortPrompt;

/** Tokens of one prompt, of which `pending` are left, in a step with that budget. */
export function sharePrompt(budget: PromptBudget, pending: number, long: boolean): PromptShare {
  const share = Math.min(pending, budget.free, long ? budget.long : budget.free);
  const left = { free: budget.free - share, long: budget.long - (long ? share : 0) };
  return { share, left };
}
