/** `true`, `false` and `null`, whose first byte decides all that can be asked of them. */

import type { Leaf } from './leaf.ts';
import type { Verdict } from './truth.ts';

export class LiteralLeaf implements Leaf {
  readonly verdict: Verdict;
  readonly final: Verdict;
  readonly trailing = false;
  readonly risky = false;
  readonly #rest: string;
  #next: LiteralLeaf | null = null;

  constructor(rest: string, verdict: Verdict) {
    this.#rest = rest;
    this.verdict = verdict;
    this.final = verdict;
  }

  step(byte: number): Leaf | 'closed' | null {
    if (byte !== this.#rest.codePointAt(0)) return null;
    if (this.#rest.length === 1) return 'closed';
    this.#next ??= new LiteralLeaf(this.#rest.slice(1), this.verdict);
    return this.#next;
  }

  loop(): null {
    return null;
  }
}
