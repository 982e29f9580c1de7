/**
 * The limits under which a constraint is compiled and stepped: time by a clock, kept states by count.
 * Whoever compiles makes one; all compilers spend from it.
 */

import { ParlanceError } from '../contract/errors.ts';
import type { Budget } from './machine.ts';

export interface BudgetLimits {
  /** For one compilation, or for the work of one token. */
  readonly milliseconds: number;
  /** States, nodes and items that are kept; about 100 bytes each. */
  readonly kept: number;
}

export const defaultLimits: BudgetLimits = { milliseconds: 5000, kept: 2_000_000 };

/** Work between two looks at the clock. */
const glance = 2000;

export class TimedBudget implements Budget {
  readonly #limits: BudgetLimits;
  readonly #now: () => number;
  #deadline: number;
  #kept = 0;
  #work = 0;

  constructor(limits: BudgetLimits = defaultLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#deadline = now() + limits.milliseconds;
  }

  get kept(): number {
    return this.#kept;
  }

  /** A new span of time; what is kept still counts. */
  renew(milliseconds: number = this.#limits.milliseconds): void {
    this.#deadline = this.#now() + milliseconds;
    this.#work = 0;
  }

  spend(work: number, kept: number, keyword: string): void {
    this.#kept += kept;
    if (this.#kept > this.#limits.kept) {
      throw tooMuch(keyword, `more than ${this.#limits.kept} states`);
    }
    this.#work += work;
    if (this.#work < glance) return;
    this.#work = 0;
    if (this.#now() > this.#deadline) throw tooMuch(keyword, 'more time than it is given');
  }
}

function tooMuch(keyword: string, what: string): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `The constraint is too large: \`${keyword}\` needs ${what}. Make it simpler.`,
    { keyword },
  );
}
