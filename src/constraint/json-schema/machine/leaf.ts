/**
 * Strings, numbers and literals while they are read. What they are by themselves (`Leaf`) is shared by
 * all places where they may stand; a state joins one with its place.
 */

import type { Loop } from '../../machine.ts';
import type { State as AnyState } from './state.ts';
import { State } from './state.ts';
import type { Place } from './place.ts';
import type { Verdict } from './truth.ts';

export interface Leaf {
  /** What is known of the roots' truths. */
  readonly verdict: Verdict;
  /** The decided truths if the value ended here; null where it cannot. */
  readonly final: Verdict | null;
  /** It ends before the first byte that does not belong to it (numbers). */
  readonly trailing: boolean;
  readonly risky: boolean;
  /** `closed`: complete with this byte; its truths are then `final` of this leaf. */
  step(byte: number): Leaf | 'closed' | null;
  loop(): Loop | null;
}

export class LeafState extends State {
  readonly leaf: Leaf;
  readonly place: Place;

  constructor(leaf: Leaf, place: Place) {
    super();
    this.leaf = leaf;
    this.place = place;
  }

  get risky(): boolean {
    return this.leaf.risky || this.place.slot.risky;
  }

  override get complete(): boolean {
    return this.leaf.trailing && this.#end()?.complete === true;
  }

  step(byte: number): AnyState | null {
    const next = this.leaf.step(byte);
    if (next === null) return this.leaf.trailing ? (this.#end()?.step(byte) ?? null) : null;
    return next === 'closed' ? this.#end() : this.place.at(next);
  }

  override loop(): Loop | null {
    return this.leaf.loop();
  }

  #end(): AnyState | null {
    const { final } = this.leaf;
    return final === null ? null : this.place.close(final);
  }
}
