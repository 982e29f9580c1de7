/**
 * States between tokens: what may come there, and the whitespace before it.
 */

import { MemoState } from './state.ts';
import type { State } from './state.ts';

/** The whitespace that may stand between two tokens. States are interned. */
export interface Blank {
  readonly start: object;
  step(state: object, byte: number): object | null;
  accepts(state: object): boolean;
}

const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export abstract class Phase extends MemoState {
  readonly blank: Blank;
  readonly #gaps = new Map<object, State>();

  constructor(blank: Blank) {
    super();
    this.blank = blank;
  }

  /** What the token that begins with this byte leads to. */
  abstract token(byte: number): State | null;

  protected advance(byte: number): State | null {
    return this.from(this.blank.start, byte);
  }

  /** The step from behind some whitespace. */
  from(state: object, byte: number): State | null {
    if (!isBlank(byte)) return this.blank.accepts(state) ? this.token(byte) : null;
    const next = this.blank.step(state, byte);
    if (next === null) return null;
    const known = this.#gaps.get(next);
    if (known !== undefined) return known;
    const made = new GapState(this, next);
    this.#gaps.set(next, made);
    return made;
  }
}

class GapState extends MemoState {
  readonly #phase: Phase;
  readonly #state: object;

  constructor(phase: Phase, state: object) {
    super();
    this.#phase = phase;
    this.#state = state;
  }

  get risky(): boolean {
    return this.#phase.risky;
  }

  protected advance(byte: number): State | null {
    return this.#phase.from(this.#state, byte);
  }
}

/** One space at most, or a newline and up to 16 spaces. */
export function defaultBlank(): Blank {
  const spaces = Array.from({ length: 17 }, (_, count) => ({ count }));
  const start = {};
  const space = {};
  const at = new Map<object, number>(spaces.map((one, i) => [one, i]));
  return {
    start,
    step: (state, byte) => {
      if (state === start) return byte === 0x20 ? space : byte === 0x0a ? spaces[0]! : null;
      const count = at.get(state);
      if (count === undefined || byte !== 0x20) return null;
      return spaces[count + 1] ?? null;
    },
    accepts: () => true,
  };
}
