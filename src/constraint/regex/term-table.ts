/** The terms that there are, by what they are made of. Only `term-factory.ts` uses it. */

import type { Budget } from '../machine.ts';
import type { Fragment, Language, ShapeOf } from './term.ts';

export class TermTable {
  readonly #fragments = new Map<string, Fragment>();
  readonly #languages = new Map<string, Language>();
  readonly #budget: Budget;
  readonly #keyword: string;

  constructor(budget: Budget, keyword: string) {
    this.#budget = budget;
    this.#keyword = keyword;
  }

  fragment(key: string, shape: ShapeOf<Fragment>): Fragment {
    const known = this.#fragments.get(key);
    if (known !== undefined) return known;
    this.#pay(key);
    const made = { id: this.#fragments.size, ...shape } as Fragment;
    this.#fragments.set(key, made);
    return made;
  }

  language(key: string, shape: ShapeOf<Language>): Language {
    const known = this.#languages.get(key);
    if (known !== undefined) return known;
    this.#pay(key);
    const id = this.#languages.size;
    const made = { id, derivatives: [], nullable: undefined, ...shape } as unknown as Language;
    this.#languages.set(key, made);
    return made;
  }

  /** Long keys belong to terms of many parts. */
  #pay(key: string): void {
    this.#budget.spend(1, 2 + (key.length >> 5), this.#keyword);
  }
}
