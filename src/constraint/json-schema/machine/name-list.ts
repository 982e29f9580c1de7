/**
 * The known names of an object in alphabetical order, so that the names that begin in some way are a
 * range. One for each plan; which of them may come is the business of each status.
 */

import type { Ranges } from './string-machine.ts';

/** Names that begin alike: places `from` up to `to` in the sorted list, and how many characters they share. */
export interface NameRange {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

export class NameList {
  /** For each place in the sorted list, the number of the name. */
  readonly numbers: readonly number[];
  readonly #characters: readonly (readonly number[])[];

  constructor(names: readonly string[]) {
    const characters = names.map((name) => Array.from(name, (one) => one.codePointAt(0)!));
    this.numbers = names
      .map((_, i) => i)
      .toSorted((a, b) => compare(characters[a]!, characters[b]!));
    this.#characters = this.numbers.map((number) => characters[number]!);
  }

  get all(): NameRange {
    return { from: 0, to: this.numbers.length, length: 0 };
  }

  /** The names that go on with the character. */
  step(range: NameRange, codePoint: number): NameRange {
    const from = this.#first(range, codePoint);
    return { from, to: this.#first({ ...range, from }, codePoint + 1), length: range.length + 1 };
  }

  /** The number of the name that ends here; -1 where none does. */
  ending({ from, to, length }: NameRange): number {
    return from < to && this.#characters[from]!.length === length ? this.numbers[from]! : -1;
  }

  /** The parts of the range whose next character is of the ranges and passes the filter. */
  *parts(range: NameRange, ranges: Ranges, filter: (one: number) => boolean): Generator<NameRange> {
    for (const [low, high] of ranges) {
      let from = this.#first(range, low);
      while (from < range.to) {
        const codePoint = this.#characters[from]![range.length]!;
        if (codePoint > high) break;
        const part = this.step({ ...range, from }, codePoint);
        if (filter(codePoint)) yield part;
        from = part.to;
      }
    }
  }

  /** The first place whose next character is the given one or a later one. */
  #first({ from, to, length }: NameRange, codePoint: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#characters[middle]![length] ?? -1) < codePoint) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
