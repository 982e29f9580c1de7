/**
 * Three-valued truth of assertions about a value that is still being read, and interned rows of it.
 * Everything in this folder speaks in these numbers.
 */

import type { Budget } from '../../machine.ts';

export const no = 0;
export const yes = 1;
/** Not decided: some continuation satisfies it, or might. */
export const open = 2;
/** Not decided, and nothing depends on it any more. */
export const idle = 3;

export type Truth = 0 | 1 | 2 | 3;

/** The truths of a value's root nodes, interned: the same object for the same row. */
export interface Verdict {
  readonly truths: Uint8Array;
  /** Some root is false. */
  readonly refuted: boolean;
}

export class Verdicts {
  readonly spend: Budget['spend'];
  readonly #known = new Map<string, Verdict>();

  constructor(budget: Budget) {
    this.spend = (work, kept, keyword) => budget.spend(work, kept, keyword);
  }

  of(truths: ArrayLike<number>): Verdict {
    let key = '';
    let refuted = false;
    for (let i = 0; i < truths.length; i++) {
      const truth = truths[i] === idle ? open : truths[i]!;
      key += String(truth);
      if (truth === no) refuted = true;
    }
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    this.spend(key.length / 50, 1 + key.length / 50, 'anyOf');
    const made = { truths: Uint8Array.from(key, Number), refuted };
    this.#known.set(key, made);
    return made;
  }
}
