/**
 * A request that was accepted and is not over: what the scheduler must know of it, and the driver that
 * decides what becomes of its logits. Types only.
 */

import type { ChoiceStep } from '../protocol.ts';
import type { Sequence } from './sequence.ts';

export interface ActiveRequest {
  readonly id: number;
  /** Lower goes first; between equals the one that came first. */
  readonly priority: number;
  readonly arrival: number;
  readonly adapter: string | null;
  /** Only sequences of one namespace share what was computed. */
  readonly namespace: string;
  readonly promptTokens: readonly number[];
  readonly sequences: readonly Sequence[];
  readonly driver: Driver;
  /** Its context is kept for a later request, for so many milliseconds. */
  readonly holdMilliseconds: number | null;
  /** Prompt tokens that were not computed for it; null until its first sequence has a slot. */
  cachedTokens: number | null;
  /** It was told how many those are. */
  told: boolean;
}

/** The logits of one sequence after a pass: after its last known token, then after each draft. */
export interface Rows {
  readonly count: number;
  row(index: number): Float32Array;
}

export interface Ready {
  readonly sequence: Sequence;
  readonly rows: Rows;
}

/** What a driver may do with the KV cache. Both sequences have slots. */
export type CopySequence = (from: Sequence, to: Sequence) => void;

/** Appends tokens to the sequences, marks those that are over, and says what the client is told. */
export interface Driver {
  /** All sequences get their slots at once and run in one pass, the first one alone at the start. */
  readonly together: boolean;
  /** Drafts that the sequence may have: none where they cannot be used. */
  room(sequence: Sequence): number;
  /** Up to `most` tokens that will probably follow the sequence's. */
  draft(sequence: Sequence, most: number): readonly number[];
  /** Where `together`, `ready` has every sequence that is still in the search. */
  advance(ready: readonly Ready[], copy: CopySequence): readonly ToldStep[];
  /** Null where the text is under no constraint. */
  readonly constrained: ConstrainedDriver | null;
}

/** What is asked of a constraint comes later, and until then its sequence takes part in no pass. */
export interface ConstrainedDriver {
  awaits(sequence: Sequence): boolean;
  /**
   * Takes the answer in where it is there, or comes within so many milliseconds. It may append tokens to
   * the sequence, take some back, or end it.
   */
  settle(sequence: Sequence, patience: number): readonly ToldStep[];
  close(): void;
}

export type ToldStep = Omit<ChoiceStep, 'id'>;
