/**
 * What the scheduler sees of constraints. They are compiled and stepped in worker threads; the engine's
 * thread asks, goes on with other sequences, and reads the answer from shared memory. Types only.
 */

import type { ConstraintSpec } from '../../constraint/index.ts';

export interface Constraints {
  /**
   * Compiles, or finds what was compiled for the same spec. Rejects with `invalid_constraint`, within the
   * limit of time whatever the spec is, while sessions of others go on.
   */
  prepare(spec: ConstraintSpec): Promise<PreparedConstraint>;
  /** Makes what every constraint needs before the first one comes. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

export interface PreparedConstraint {
  /** A text of its own; its first view is asked for at once. */
  open(): ConstraintSession;
  /** No more sessions will be opened by this caller. */
  release(): void;
}

/** One text under a constraint. Each of `take`, `look` and `rewind` asks for a new view. */
export interface ConstraintSession {
  /** Whether the view that was last asked for is there. Costs an atomic load. */
  readonly ready: boolean;
  /** Blocks this thread until it is there, at most so long; whether it is. */
  wait(milliseconds: number): boolean;
  /** Throws `internal` before it is ready, and `constraint_not_met` where a step passed its limits. */
  readonly view: ConstraintView;
  /** The text goes on with these tokens, which the view allowed. */
  take(tokens: readonly number[]): void;
  /** Asks for the masks after each of these tokens too, taking none. */
  look(drafts: readonly number[]): void;
  /** Forgets the last tokens, forced ones included. */
  rewind(tokens: number): void;
  close(): void;
}

/** Valid until the next question. */
export interface ConstraintView {
  /**
   * Tokens that the session has taken by itself, since nothing else could follow: they go into the
   * sequence before anything is drawn. None after `look` and `rewind`.
   */
  readonly forced: readonly number[];
  /** The text may end here, after the forced tokens. */
  readonly complete: boolean;
  /** It must. */
  readonly ended: boolean;
  /** Neither may it end nor is any token allowed. */
  readonly dead: boolean;
  /** What was taken since the last view without this may have to be taken back. */
  readonly risky: boolean;
  /** Leading drafts of `look` that are allowed. */
  readonly drafts: number;
  /**
   * Allowed tokens after the forced ones and `row` drafts, `row` up to `drafts`: bit `id & 31` of word
   * `id >> 5`. The bits of end tokens say whether the text may end there.
   */
  mask(row: number): Uint32Array;
}
