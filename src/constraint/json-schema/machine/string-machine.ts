/**
 * What a string may say, code point by code point: lengths, lists of texts, regexes. One interface for
 * the three, with what the JSON layer needs to ask beside stepping.
 */

import type { Budget, CharacterClass } from '../../machine.ts';
import type { TextMachine } from '../../regex/char-machine.ts';

export type Ranges = readonly (readonly [low: number, high: number])[];

export interface StringMachine {
  readonly start: object;
  /** null: nothing that begins like this is right. */
  step(state: object, codePoint: number): object | null;
  accepts(state: object): boolean;
  /** Whatever follows is right. */
  always(state: object): boolean;
  /** Characters that do not change what follows, for so many of them. */
  loop(state: object): { readonly characters: CharacterClass; readonly room: number } | null;
  /** Whether a code point of the ranges that passes the filter can be next. */
  some(state: object, ranges: Ranges, filter: (codePoint: number) => boolean): boolean;
  /** No dead ends. */
  readonly exact: boolean;
  /** No text is right. */
  readonly empty: boolean;
}

interface Count {
  readonly count: number;
  next: Count | null;
}

/** Lengths alone, in code points. */
export class LengthText implements StringMachine {
  readonly exact = true;
  readonly empty: boolean;
  readonly start: Count = { count: 0, next: null };
  readonly #min: number;
  readonly #max: number;
  readonly #budget: Budget;
  readonly #any: CharacterClass;

  constructor(min: number, max: number, budget: Budget, any: CharacterClass) {
    this.empty = min > max;
    this.#min = min;
    this.#max = max;
    this.#budget = budget;
    this.#any = any;
  }

  step(state: Count): Count | null {
    if (this.always(state)) return state;
    if (state.count >= this.#max) return null;
    if (state.next === null) {
      this.#budget.spend(1, 1, this.#max === Infinity ? 'minLength' : 'maxLength');
      state.next = { count: state.count + 1, next: null };
    }
    return state.next;
  }

  accepts(state: Count): boolean {
    return state.count >= this.#min && state.count <= this.#max;
  }

  always(state: Count): boolean {
    return this.#max === Infinity && state.count >= this.#min;
  }

  loop(state: Count): { characters: CharacterClass; room: number } | null {
    // Below the least length the quote stays refused for one character less than are missing.
    const room = state.count < this.#min ? this.#min - state.count - 1 : this.#max - state.count;
    return room > 0 ? { characters: this.#any, room } : null;
  }

  some(state: Count): boolean {
    return state.count < this.#max;
  }
}

interface Branch {
  readonly next: Map<number, Branch>;
  end: boolean;
}

/** A list of texts. */
export class ListText implements StringMachine {
  readonly exact = true;
  readonly empty: boolean;
  readonly start: Branch = { next: new Map(), end: false };

  constructor(texts: readonly string[], budget: Budget, keyword: string) {
    this.empty = texts.length === 0;
    for (const text of texts) {
      let at = this.start;
      budget.spend(text.length / 10, 0, keyword);
      for (const character of text) {
        const codePoint = character.codePointAt(0)!;
        let next = at.next.get(codePoint);
        if (next === undefined) {
          budget.spend(0, 2, keyword);
          next = { next: new Map(), end: false };
          at.next.set(codePoint, next);
        }
        at = next;
      }
      at.end = true;
    }
  }

  step(state: Branch, codePoint: number): Branch | null {
    return state.next.get(codePoint) ?? null;
  }

  accepts(state: Branch): boolean {
    return state.end;
  }

  always(): boolean {
    return false;
  }

  loop(): null {
    return null;
  }

  some(state: Branch, ranges: Ranges, filter: (codePoint: number) => boolean): boolean {
    for (const codePoint of state.next.keys()) {
      if (filter(codePoint) && ranges.some(([low, high]) => codePoint >= low && codePoint <= high))
        return true;
    }
    return false;
  }
}

/** Whether the machine takes the whole text. */
export function takes(machine: StringMachine, text: string): boolean {
  let state: object | null = machine.start;
  for (const character of text) {
    state = machine.step(state, character.codePointAt(0)!);
    if (state === null) return false;
  }
  return machine.accepts(state);
}

/** States after a text; null where it is refused. */
export function after(machine: StringMachine, text: string): object | null {
  let state: object | null = machine.start;
  for (const character of text) {
    state = machine.step(state, character.codePointAt(0)!);
    if (state === null) return null;
  }
  return state;
}

/** Regexes and lengths together. */
export class RegexText implements StringMachine {
  readonly start: object;
  readonly empty: boolean;
  readonly #machine: TextMachine;
  readonly #any: CharacterClass;

  constructor(machine: TextMachine, any: CharacterClass) {
    this.#machine = machine;
    this.#any = any;
    this.start = machine.start;
    this.empty = machine.empty;
  }

  get exact(): boolean {
    return this.#machine.exact;
  }

  step(state: object, codePoint: number): object | null {
    return this.#machine.step(state, codePoint);
  }

  accepts(state: object): boolean {
    return this.#machine.accepts(state);
  }

  always(state: object): boolean {
    return this.#machine.always(state);
  }

  loop(state: object): { characters: CharacterClass; room: number } | null {
    const characters = this.#machine.loop(state);
    if (characters !== null) return { characters, room: Infinity };
    const room = this.#machine.room(state);
    return room > 0 ? { characters: this.#any, room } : null;
  }

  some(state: object, ranges: Ranges, filter: (codePoint: number) => boolean): boolean {
    return ranges.some(([low, high]) => {
      if (high - low > 63) return this.#machine.reaches(state, low, high);
      for (let one = low; one <= high; one++) {
        if (filter(one) && this.#machine.step(state, one) !== null) return true;
      }
      return false;
    });
  }
}
