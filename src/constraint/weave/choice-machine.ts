/** One of many fixed texts: a tree of their bytes that grows as it is walked. Made by `compile.ts`. */

import type { Budget, Loop, Machine } from '../machine.ts';

/** The options from `from` up to `to`, which agree in `depth` bytes. */
interface ChoiceState {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly accepts: boolean;
  /** By byte; null where no option goes on like this. */
  readonly next: Map<number, ChoiceState | null>;
}

const encoder = new TextEncoder();

export class ChoiceMachine implements Machine<ChoiceState> {
  readonly start: ChoiceState;
  readonly #options: readonly Uint8Array[];
  readonly #budget: Budget;

  /** @param options at least one */
  constructor(options: readonly string[], budget: Budget) {
    this.#budget = budget;
    this.#options = options
      .map((option) => {
        const bytes = encoder.encode(option);
        budget.spend(10 + (bytes.length >> 4), 1 + (bytes.length >> 6), 'choice');
        return bytes;
      })
      .sort((one, other) => Buffer.compare(one, other));
    this.start = this.#state(0, options.length, 0);
  }

  step(state: ChoiceState, byte: number): ChoiceState | null {
    const known = state.next.get(byte);
    if (known !== undefined) return known;
    const { depth } = state;
    const from = this.#firstAtLeast(state, byte);
    const to = this.#firstAtLeast(state, byte + 1);
    const next = from === to ? null : this.#state(from, to, depth + 1);
    state.next.set(byte, next);
    this.#budget.spend(1, 1, 'choice');
    return next;
  }

  accepts(state: ChoiceState): boolean {
    return state.accepts;
  }

  loop(): Loop | null {
    return null;
  }

  risky(): boolean {
    return false;
  }

  #state(from: number, to: number, depth: number): ChoiceState {
    // The shortest come first.
    const accepts = this.#options[from]!.length === depth;
    return { from, to, depth, accepts, next: new Map() };
  }

  /** The first option of a state whose next byte is at least this; those that end have none. */
  #firstAtLeast({ from, to, depth }: ChoiceState, byte: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#options[middle]![depth] ?? -1) < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
