/**
 * Three-valued truth of assertions about a value that is still being read, and interned rows of it.
 * Everything in this folder speaks in these numbers.
 */

export const no = 0;
export const yes = 1;
/** Not decided: some continuation satisfies it, or might. */
export const open = 2;
/** Not decided, and nothing depends on it any more. */
export const idle = 3;

export type Truth = 0 | 1 | 2 | 3;

/** The truths of a value's root nodes, interned: the same object for the same row. */
export interface Verdict {
  readonly truths: Uint8Array;
  /** Some root is false. */
  readonly refuted: boolean;
}

export class Verdicts {
  readonly #known = new Map<string, Verdict>();

  of(truths: ArrayLike<number>): Verdict {
    let key = '';
    let refuted = false;
    for (let i = 0; i < truths.length; i++) {
      const truth = truths[i] === idle ? open : truths[i]!;
      key += String(truth);
      if (truth === no) refuted = true;
    }
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    const made = { truths: Uint8Array.from(key, Number), refuted };
    this.#known.set(key, made);
    return made;
  }

  /** All open but one, which is false. */
  without(count: number, index: number): Verdict {
    const truths = new Uint8Array(count).fill(open);
    truths[index] = no;
    return this.of(truths);
  }

  open(count: number): Verdict {
    return this.of(new Uint8Array(count).fill(open));
  }
}
