/**
 * Where a value is read: its slot, and everything that may begin there. Leaves are joined with the place;
 * arrays and objects open states of their own.
 */

import type { Leaf } from './leaf.ts';
import { LeafState } from './leaf.ts';
import type { Slot, State } from './state.ts';
import { open } from './truth.ts';
import type { Verdict, Verdicts } from './truth.ts';
import type { NodeId } from '../node.ts';

/** An array or object that begins, whoever asked for it. */
export interface Composite {
  /** What the type alone decides of the roots. */
  readonly verdict: Verdict;
  open(place: Place): State | null;
}

/** What a value with these roots may begin with. */
export interface ValueStarts {
  readonly ids: readonly NodeId[];
  begin(byte: number): Leaf | Composite | null;
}

export interface Values {
  readonly verdicts: Verdicts;
  /** `needed`: roots that must be true. */
  starts(ids: readonly NodeId[], needed: readonly boolean[]): ValueStarts;
  /** How many values ahead is being looked. */
  readonly ahead: { depth: number };
  spend(work: number, kept: number, keyword: string): void;
}

/** Values that are looked ahead. */
const furthest = 3;

/** The first bytes of values. */
export const firstBytes = Array.from('"{[-0123456789tfn', (one) => one.codePointAt(0)!);

export class Place {
  readonly slot: Slot;
  readonly #values: Values;
  readonly #starts: ValueStarts;
  readonly #needed: readonly boolean[];
  readonly #leaves = new Map<Leaf, State | null>();
  readonly #opened = new Map<Composite, State | null>();
  readonly #closed = new Map<Verdict, State | null>();
  readonly #hopeless = new Map<Verdict, boolean>();
  #possible: boolean | undefined;

  constructor(slot: Slot, values: Values) {
    this.slot = slot;
    this.#values = values;
    this.#needed = slot.needed;
    this.#starts = values.starts(slot.ids, this.#needed);
  }

  get values(): Values {
    return this.#values;
  }

  /** The value begins with this byte. */
  begin(byte: number): State | null {
    const begun = this.#starts.begin(byte);
    if (begun === null) return null;
    if (!('open' in begun)) return this.at(begun);
    const known = this.#opened.get(begun);
    if (known !== undefined) return known;
    const made = this.#leads(begun.verdict) ? begun.open(this) : null;
    this.#opened.set(begun, made);
    return made;
  }

  /** Whether some value may begin here. */
  get possible(): boolean {
    this.#possible ??= firstBytes.some((byte) => {
      const begun = this.#starts.begin(byte);
      if (begun === null || this.hopeless(begun.verdict)) return false;
      return this.#ahead(() => this.begin(byte) !== null);
    });
    return this.#possible;
  }

  /** Whether something can follow, as far as that is decided already. */
  #leads(verdict: Verdict): boolean {
    if (this.hopeless(verdict)) return false;
    return verdict.truths.includes(open) || this.#ahead(() => this.close(verdict) !== null);
  }

  /** A question about what comes later, asked a few values deep. */
  #ahead(question: () => boolean): boolean {
    const { ahead } = this.#values;
    if (ahead.depth >= furthest) return true;
    ahead.depth++;
    try {
      return question();
    } finally {
      ahead.depth--;
    }
  }

  at(leaf: Leaf): State | null {
    const known = this.#leaves.get(leaf);
    if (known !== undefined) return known;
    const made = this.#leads(leaf.verdict) ? new LeafState(leaf, this) : null;
    if (made !== null) this.#values.spend(0.5, 1, 'type');
    this.#leaves.set(leaf, made);
    return made;
  }

  hopeless(verdict: Verdict): boolean {
    for (let i = 0; i < this.#needed.length; i++) {
      if (this.#needed[i] === true && verdict.truths[i] === 0) return true;
    }
    if (!verdict.refuted && verdict.truths.every((one) => one !== 1)) return false;
    const known = this.#hopeless.get(verdict);
    if (known !== undefined) return known;
    const made = this.slot.hopeless(verdict);
    this.#hopeless.set(verdict, made);
    return made;
  }

  close(verdict: Verdict): State | null {
    const known = this.#closed.get(verdict);
    if (known !== undefined) return known;
    const made = this.hopeless(verdict) ? null : this.slot.close(verdict);
    this.#closed.set(verdict, made);
    return made;
  }
}
