/**
 * What every compiled constraint is: a machine that reads a text byte by byte and refuses the first byte
 * after which no continuation can be right. Masks, forced stretches, verification and `parlance check`
 * know constraints only by this file. Types, and the bytes that stand for special tokens.
 */

/**
 * States are immutable and interned: the same object stands for the same rest of the text, so that
 * masks can be kept by state. A state means something to its own machine only.
 */
export interface Machine<State extends object = object> {
  readonly start: State;
  /** The state after one more byte (0..255); null where the text may not go on like this. */
  step(state: State, byte: number): State | null;
  /** Whether the text may end here. */
  accepts(state: State): boolean;
  /** Characters that lead back to a state that steps like this one; null where there are none, or few. */
  loop(state: State): Loop | null;
  /**
   * One and the same state for all from which the same can be read for the length of a token; absent:
   * the state itself. Masks are kept by it, so that what a state remembers for later costs no masks.
   */
  alike?(state: State): State;
  /**
   * Whether a state from which nothing is accepted could be reached from here by bytes that `step`
   * takes; false promises that it cannot. Text that may be taken back is not sent before this is false.
   */
  risky(state: State): boolean;
}

/**
 * After any text of the class, each byte that does not begin such a character leads to the same state as
 * it does from here. Where `room` is no infinity, that holds as long as text and what follows it within
 * the same token have no more characters together; beyond `room` characters of the class nothing is said,
 * but that a byte that is refused here is refused after fewer of them.
 */
export interface Loop {
  readonly characters: CharacterClass;
  /** Infinity where there is no limit. */
  readonly room: number;
}

/** Interned: mostly the same object for the same characters. */
export interface CharacterClass {
  /** 128 flags. */
  readonly ascii: Uint8Array;
  /** Whether all well-formed UTF-8 beyond ASCII belongs to it; otherwise none does. */
  readonly beyond: boolean;
}

/** Bytes that UTF-8 never has; around the name of a special token they stand for the token. */
export const specialBegin = 0xff;
export const specialEnd = 0xfe;

/** What the vocabulary says to a compiler. */
export interface CompileContext {
  /** Names of the special tokens. */
  readonly specials: readonly string[];
  /** Those of them that end an answer: nothing comes behind them. */
  readonly ends?: readonly string[];
  readonly budget: Budget;
}

/** Limits on compiling and on each later step; `spend` throws `invalid_constraint` where one is passed. */
export interface Budget {
  /**
   * Counts work (about a microsecond each) and the states or nodes that are kept because of it.
   * `keyword` names what the user wrote that costs it: `maxItems`, `pattern`, a rule's name.
   */
  spend(work: number, kept: number, keyword: string): void;
}
