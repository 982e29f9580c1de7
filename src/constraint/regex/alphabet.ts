/**
 * Cuts all characters into classes that no set of a machine tells apart, so that a transition is kept
 * for a class and not for a character. Made once the sets are known.
 */

import type { Budget } from '../machine.ts';
import { lastCodePoint } from './code-points.ts';
import type { Ranges } from './code-points.ts';

export class Alphabet {
  /** How many classes there are. */
  readonly size: number;
  /** For each set: a flag for each class. */
  readonly #members: readonly Uint8Array[];
  /** Where each interval begins, ascending from 0; its class, or -1 for surrogates. */
  readonly #starts: Int32Array;
  readonly #classes: Int32Array;
  readonly #ascii: Int32Array;

  constructor(sets: readonly Ranges[], budget: Budget, keyword: string) {
    const cuts = new Set([0, 0x80, 0xd800, 0xe000]);
    for (const set of sets) {
      for (let i = 0; i < set.length; i += 2) cuts.add(set[i]!).add(set[i + 1]! + 1);
    }
    cuts.delete(lastCodePoint + 1);
    this.#starts = Int32Array.from(cuts).sort();
    const count = this.#starts.length;
    budget.spend(count, count >> 3, keyword);
    const classes = new Int32Array(count);
    let size = 1;
    for (const set of sets) size = this.#refine(classes, size, set, budget, keyword);
    const dense = new Map<number, number>();
    const surrogates = this.#find(0xd800);
    for (let i = 0; i < count; i += 1) {
      if (i === surrogates) classes[i] = -1;
      else {
        const known = dense.get(classes[i]!) ?? dense.size;
        dense.set(classes[i]!, known);
        classes[i] = known;
      }
    }
    this.#classes = classes;
    this.size = dense.size;
    budget.spend(1, (this.size * sets.length) >> 6, keyword);
    this.#members = sets.map((set) => this.#flags(set));
    this.#ascii = Int32Array.from({ length: 128 }, (_, codePoint) => this.#lookUp(codePoint));
  }

  /** The class of a character; -1 for a surrogate. */
  classOf(codePoint: number): number {
    return codePoint < 128 ? this.#ascii[codePoint]! : this.#lookUp(codePoint);
  }

  has(set: number, characterClass: number): boolean {
    return this.#members[set]![characterClass] === 1;
  }

  /** The classes that occur from `low` to `high`. */
  classesIn(low: number, high: number): ReadonlySet<number> {
    const found = new Set<number>();
    const starts = this.#starts;
    for (let i = this.#find(low); i < starts.length && starts[i]! <= high; i += 1) {
      if (this.#classes[i]! >= 0) found.add(this.#classes[i]!);
    }
    return found;
  }

  /** Splits each class into what is inside the set and what is outside. */
  #refine(
    classes: Int32Array,
    size: number,
    set: Ranges,
    ...[budget, keyword]: [Budget, string]
  ): number {
    const inside = new Map<number, number>();
    let next = size;
    this.#each(set, (i) => {
      const old = classes[i]!;
      let split = inside.get(old);
      if (split === undefined) {
        split = next;
        next += 1;
        inside.set(old, split);
      }
      classes[i] = split;
    });
    budget.spend(1 + (classes.length >> 6), 0, keyword);
    return next;
  }

  #flags(set: Ranges): Uint8Array {
    const flags = new Uint8Array(this.size);
    this.#each(set, (i) => {
      if (this.#classes[i]! >= 0) flags[this.#classes[i]!] = 1;
    });
    return flags;
  }

  /** The intervals of a set. */
  #each(set: Ranges, visit: (interval: number) => void): void {
    for (let range = 0; range < set.length; range += 2) {
      const high = set[range + 1]!;
      let i = this.#find(set[range]!);
      for (; i < this.#starts.length && this.#starts[i]! <= high; i += 1) visit(i);
    }
  }

  #lookUp(codePoint: number): number {
    return this.#classes[this.#find(codePoint)]!;
  }

  #find(codePoint: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= codePoint) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
