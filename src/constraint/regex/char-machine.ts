/** Machines over characters, and what they are made from. Types only. */

import type { CharacterClass } from '../machine.ts';

/** Over code points. States are interned: the same object stands for the same rest of the text. */
export interface CharMachine<S extends object = object> {
  readonly start: S;
  /** null: nothing that begins like this matches. Surrogates never match. */
  step(state: S, codePoint: number): S | null;
  accepts(state: S): boolean;
  /** Every continuation is accepted, as in a search that has found its match. */
  always(state: S): boolean;
  /**
   * Characters that lead from the state to itself; null where there are none. Beyond ASCII it is all or
   * none, and none may be said though some do.
   */
  loop(state: S): CharacterClass | null;
  /** Whether some character from `low` to `high` may come next. */
  reaches(state: S, low: number, high: number): boolean;
  /**
   * How many characters, whichever they are, may follow so that the text is accepted after each of them
   * and here; 0 also where this is not known.
   */
  room(state: S): number;
  /** Whether a state from which nothing is accepted could be reached; false promises it cannot. */
  risky(state: S): boolean;
}

export interface TextMachine extends CharMachine {
  /** false: a state from which nothing is accepted may be reached. */
  readonly exact: boolean;
  /** No text is accepted at all. */
  readonly empty: boolean;
}

/** All of it must hold. */
export interface TextRules {
  /** Regexes each of which is found somewhere in the text. */
  readonly patterns: readonly string[];
  /** Regexes each of which matches the whole text. */
  readonly whole: readonly string[];
  /** In code points. */
  readonly minLength: number;
  /** In code points; Infinity: no limit. */
  readonly maxLength: number;
}
