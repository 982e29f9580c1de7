/**
 * What every state of the machine is, and the slot that a value is read into: who asked for it, what
 * judges it, and what follows when it is complete.
 */

import type { Loop } from '../../machine.ts';
import type { NodeId } from '../node.ts';
import type { Verdict } from './truth.ts';

export abstract class State {
  abstract step(byte: number): State | null;
  /** Whether something in play may lead to a dead end. */
  abstract readonly risky: boolean;

  /** Whether the document may end here. */
  get complete(): boolean {
    return false;
  }

  loop(): Loop | null {
    return null;
  }

  /** The same state for all from which the same can be read for the length of a token. */
  get alike(): State {
    return this;
  }
}

class Ended extends State {
  readonly risky = false;

  override get complete(): boolean {
    return true;
  }

  step(): State | null {
    return null;
  }
}

/** The document has ended. */
export const ended: State = new Ended();

export interface Slot {
  /** Arrays and objects around it. */
  readonly depth: number;
  readonly risky: boolean;
  /** The nodes that judge the value. */
  readonly ids: readonly NodeId[];
  /** For each of them, whether it must be true. */
  readonly needed: readonly boolean[];
  /** Whether no document can come of it if the roots' truths are these. */
  hopeless(verdict: Verdict): boolean;
  /** What follows when the value is complete; all truths are decided. */
  close(verdict: Verdict): State | null;
}

/** A step that remembers. */
export abstract class MemoState extends State {
  readonly #next = new Map<number, State | null>();

  step(byte: number): State | null {
    const known = this.#next.get(byte);
    if (known !== undefined) return known;
    const made = this.advance(byte);
    this.#next.set(byte, made);
    return made;
  }

  protected abstract advance(byte: number): State | null;
}
