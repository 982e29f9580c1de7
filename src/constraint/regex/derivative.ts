/**
 * Derivatives: what is left of a language after one character, and whether the text may end here. The
 * heart of the engine; pure but for what it remembers in the terms.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Budget } from '../machine.ts';
import type { Alphabet } from './alphabet.ts';
import type { TermFactory } from './term-factory.ts';
import type { Fragment, Language, Past } from './term.ts';

/** Conditions inside conditions; further would endanger the stack. */
const deepest = 500;

/** Where a derivative is taken: by a character of the class, behind a text that left `past`. */
interface Here {
  readonly character: number;
  readonly past: Past;
}

export class Derivatives {
  readonly #terms: TermFactory;
  readonly #alphabet: Alphabet;
  readonly #budget: Budget;
  readonly #keyword: string;
  #depth = 0;

  constructor(
    terms: TermFactory,
    alphabet: Alphabet,
    ...[budget, keyword]: [budget: Budget, keyword: string]
  ) {
    this.#terms = terms;
    this.#alphabet = alphabet;
    this.#budget = budget;
    this.#keyword = keyword;
  }

  /** What may follow the character. */
  after(language: Language, character: number, past: Past): Language {
    this.#depth = 0;
    return this.#derive(language, { character, past });
  }

  /** Whether the empty text is of the language. */
  accepts(language: Language, past: Past): boolean {
    if (language.nullable !== undefined) return language.nullable;
    const accepts = this.#accepts(language, past);
    if (language.trackers === 0) language.nullable = accepts;
    return accepts;
  }

  #accepts(language: Language, past: Past): boolean {
    switch (language.kind) {
      case 'none':
        return false;
      case 'end':
      case 'all':
        return true;
      case 'or':
        return language.of.some((one) => this.accepts(one, past));
      case 'and':
        return language.of.every((one) => this.accepts(one, past));
      case 'not':
        return !this.accepts(language.of, past);
      case 'seq': {
        let rest: Language = language;
        for (; rest.kind === 'seq'; rest = rest.rest) {
          if (!this.#emptyAtEnd(rest.first, past)) return false;
        }
        return this.accepts(rest, past);
      }
    }
  }

  #emptyAtEnd(fragment: Fragment, past: Past): boolean {
    if (fragment.empties !== 'sometimes') return fragment.empties === 'always';
    switch (fragment.kind) {
      case 'ahead':
        return this.accepts(fragment.language, past);
      case 'behind':
        return this.#holds(fragment, past);
      case 'alt':
        return fragment.of.some((one) => this.#emptyAtEnd(one, past));
      case 'repeat':
        return this.#emptyAtEnd(fragment.body, past);
      case 'cat': {
        let tail: Fragment = fragment;
        for (; tail.kind === 'cat'; tail = tail.tail) {
          if (!this.#emptyAtEnd(tail.head, past)) return false;
        }
        return this.#emptyAtEnd(tail, past);
      }
      default:
        return false;
    }
  }

  #holds(fragment: Fragment & { kind: 'behind' }, past: Past): boolean {
    return this.accepts(past[fragment.tracker]!, past) !== fragment.negative;
  }

  #derive(language: Language, here: Here): Language {
    if (language.trackers !== 0) return this.#deriveAnew(language, here);
    const known = language.derivatives[here.character];
    if (known !== undefined) return known;
    const derivative = this.#deriveAnew(language, here);
    language.derivatives[here.character] = derivative;
    return derivative;
  }

  #deriveAnew(language: Language, here: Here): Language {
    this.#depth += 1;
    if (this.#depth > deepest) throw this.#tooDeep();
    const derivative = this.#deriveBy(language, here);
    this.#depth -= 1;
    return derivative;
  }

  #deriveBy(language: Language, here: Here): Language {
    const terms = this.#terms;
    switch (language.kind) {
      case 'none':
      case 'end':
        return terms.noText;
      case 'all':
        return language;
      case 'not':
        return terms.not(this.#derive(language.of, here));
      case 'or':
        this.#budget.spend(1 + (language.of.length >> 3), 0, this.#keyword);
        return terms.or(language.of.map((one) => this.#derive(one, here)));
      case 'and': {
        const all: Language[] = [];
        for (const one of language.of) {
          const derivative = this.#derive(one, here);
          if (derivative === terms.noText) return derivative;
          all.push(derivative);
        }
        return terms.and(all);
      }
      case 'seq':
        return this.#deriveSeq(language, here);
    }
  }

  /** The character belongs to the first part, or to the second if the first may be empty, and so on. */
  #deriveSeq(language: Language, here: Here): Language {
    const terms = this.#terms;
    const options: Language[] = [];
    let condition: Language = terms.all;
    let rest = language;
    for (; rest.kind === 'seq'; rest = rest.rest) {
      const { first } = rest;
      options.push(terms.and([condition, this.#take(first, rest.rest, here)]));
      condition = this.#unlessTaken(first, condition, here);
      if (condition === terms.noText) return terms.or(options);
    }
    options.push(terms.and([condition, this.#derive(rest, here)]));
    return terms.or(options);
  }

  /** What must hold of the rest so that the fragment, and all before it, may be empty here. */
  #unlessTaken(fragment: Fragment, condition: Language, here: Here): Language {
    if (fragment.empties === 'always') return condition;
    if (fragment.empties === 'never') return this.#terms.noText;
    return this.#terms.and([condition, this.#derive(this.#whenEmpty(fragment, here.past), here)]);
  }

  /** What is left where the fragment takes the character and `rest` comes behind it. */
  #take(fragment: Fragment, rest: Language, here: Here): Language {
    const terms = this.#terms;
    this.#budget.spend(0.2, 0, this.#keyword);
    switch (fragment.kind) {
      case 'set':
        return this.#alphabet.has(fragment.set, here.character) ? rest : terms.noText;
      case 'alt':
        return terms.or(fragment.of.map((one) => this.#take(one, rest, here)));
      case 'repeat': {
        const { body, least, most } = fragment;
        const more = terms.repeat(body, Math.max(least - 1, 0), most - 1);
        if (least > 0 && body.empties === 'sometimes') {
          return this.#takeDeeper(terms.cat(body, more), rest, here);
        }
        return this.#take(body, terms.seq(more, rest), here);
      }
      case 'cat': {
        const options: Language[] = [];
        let condition: Language = terms.all;
        let part: Fragment = fragment;
        for (; part.kind === 'cat'; part = part.tail) {
          const taken = this.#take(part.head, terms.seq(part.tail, rest), here);
          options.push(terms.and([condition, taken]));
          condition = this.#unlessTaken(part.head, condition, here);
          if (condition === terms.noText) return terms.or(options);
        }
        options.push(terms.and([condition, this.#take(part, rest, here)]));
        return terms.or(options);
      }
      default:
        return terms.noText;
    }
  }

  #takeDeeper(fragment: Fragment, rest: Language, here: Here): Language {
    this.#depth += 1;
    if (this.#depth > deepest) throw this.#tooDeep();
    const taken = this.#take(fragment, rest, here);
    this.#depth -= 1;
    return taken;
  }

  /** What the rest of the text must be so that the fragment may take nothing here. */
  #whenEmpty(fragment: Fragment, past: Past): Language {
    const terms = this.#terms;
    if (fragment.empties === 'always') return terms.all;
    if (fragment.empties === 'never') return terms.noText;
    switch (fragment.kind) {
      case 'ahead':
        return fragment.language;
      case 'behind':
        return this.#holds(fragment, past) ? terms.all : terms.noText;
      case 'alt':
        return terms.or(fragment.of.map((one) => this.#whenEmpty(one, past)));
      case 'repeat':
        return this.#whenEmpty(fragment.body, past);
      case 'cat': {
        const conditions: Language[] = [];
        let part: Fragment = fragment;
        for (; part.kind === 'cat'; part = part.tail) {
          conditions.push(this.#whenEmpty(part.head, past));
        }
        conditions.push(this.#whenEmpty(part, past));
        return terms.and(conditions);
      }
      default:
        return terms.noText;
    }
  }

  #tooDeep(): ParlanceError {
    return new ParlanceError(
      'invalid_constraint',
      `The constraint is too large: the regex of \`${this.#keyword}\` has too many conditions inside one another. Make it simpler.`,
      { keyword: this.#keyword },
    );
  }
}
