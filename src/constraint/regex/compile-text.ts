/**
 * Regexes and length limits to one machine over characters, in which all of them hold. What schemas,
 * formats, property names and `guided_regex` stand on.
 */

import type { Budget, CharacterClass } from '../machine.ts';
import { Automaton } from './automaton.ts';
import type { State } from './automaton.ts';
import { LanguageBuilder } from './build-language.ts';
import { internClass } from './character-class.ts';
import type { CharMachine, TextMachine, TextRules } from './char-machine.ts';
import { formatPatterns } from './formats.ts';
import { parseRegex } from './parse-regex.ts';
import type { Syntax } from './syntax.ts';
import { TermFactory } from './term-factory.ts';
import type { Language } from './term.ts';

const provenPatterns: ReadonlySet<string> = new Set(Object.values(formatPatterns));

/** A place in a text whose length counts: how many characters came, as far as that matters. */
interface Counted {
  readonly state: State;
  readonly count: number;
  readonly next: (Counted | null | undefined)[];
  /** undefined: not yet asked. */
  loop: CharacterClass | null | undefined;
}

/**
 * Throws `invalid_constraint` where a regex is malformed or not supported (`parse-regex.ts`), and with
 * `keyword` where the budget is spent, now or while the machine steps.
 */
export function compileText(rules: TextRules, budget: Budget, keyword: string): TextMachine {
  const terms = new TermFactory(budget, keyword);
  const trackerNumbers = new Map<Language, number>();
  const languageOf = (pattern: string, isWhole: boolean): Language => {
    budget.spend(1 + pattern.length / 4, 0, keyword);
    const builder = new LanguageBuilder(terms, pattern, trackerNumbers);
    const syntax = syntaxOf(pattern);
    return isWhole ? builder.whole(syntax) : builder.search(syntax);
  };
  const language = terms.and([
    ...rules.patterns.map((pattern) => languageOf(pattern, false)),
    ...rules.whole.map((pattern) => languageOf(pattern, true)),
  ]);
  const automaton = new Automaton(language, terms, budget, keyword);
  if (isProven(rules)) automaton.trust();
  const { min, max } = language.width;
  const minLength = min >= rules.minLength ? 0 : rules.minLength;
  const maxLength = max <= rules.maxLength ? Infinity : rules.maxLength;
  if (minLength === 0 && maxLength === Infinity) return new FreeLength(automaton);
  const limits = { minLength, maxLength, budget, keyword };
  return new LimitedLength(automaton, limits);
}

const formatSyntax = new Map<string, Syntax>();

function syntaxOf(pattern: string): Syntax {
  const known = formatSyntax.get(pattern);
  if (known !== undefined) return known;
  const syntax = parseRegex(pattern);
  if (provenPatterns.has(pattern)) formatSyntax.set(pattern, syntax);
  return syntax;
}

/** Formats are tested to be explorable; that need not be found out anew each time. */
function isProven({ patterns, whole }: TextRules): boolean {
  return patterns.length === 0 && whole.length === 1 && provenPatterns.has(whole[0]!);
}

/** A machine whose states are those of the automaton. */
class FreeLength implements CharMachine<State> {
  readonly start: State;
  readonly empty: boolean;
  readonly #automaton: Automaton;
  readonly #loops = new WeakMap<State, CharacterClass | null>();
  #explored: boolean | null = null;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.start = automaton.start;
    this.empty = !automaton.isLive(automaton.start);
  }

  get exact(): boolean {
    this.#explored ??= this.#automaton.isExplored();
    return this.#explored;
  }

  step(state: State, codePoint: number): State | null {
    const characterClass = this.#automaton.alphabet.classOf(codePoint);
    return characterClass < 0 ? null : this.#automaton.step(state, characterClass);
  }

  accepts(state: State): boolean {
    return state.accepts;
  }

  always(state: State): boolean {
    return this.#automaton.isAll(state);
  }

  room(state: State): number {
    return this.#automaton.isAll(state) ? Infinity : 0;
  }

  reaches(state: State, low: number, high: number): boolean {
    if (this.#automaton.isAll(state)) return true;
    for (const characterClass of this.#automaton.alphabet.classesIn(low, high)) {
      if (this.#automaton.step(state, characterClass) !== null) return true;
    }
    return false;
  }

  risky(state: State): boolean {
    return !state.language.pure && !this.exact;
  }

  loop(state: State): CharacterClass | null {
    const known = this.#loops.get(state);
    if (known !== undefined) return known;
    const loop = loopOf(
      this.#automaton.alphabet,
      (one) => this.#automaton.step(state, one) === state,
    );
    this.#loops.set(state, loop);
    return loop;
  }
}

interface Limits {
  readonly minLength: number;
  readonly maxLength: number;
  readonly budget: Budget;
  readonly keyword: string;
}

/** Counts characters beside the automaton, as long as the count can matter. */
class LimitedLength implements CharMachine<Counted> {
  readonly start: Counted;
  readonly empty: boolean;
  readonly #automaton: Automaton;
  readonly #limits: Limits;
  readonly #states = new Map<State, Map<number, Counted | null>>();
  #explored: boolean | null = null;

  constructor(automaton: Automaton, limits: Limits) {
    this.#automaton = automaton;
    this.#limits = limits;
    const start = automaton.isLive(automaton.start) ? this.#intern(automaton.start, 0) : null;
    this.empty = start === null;
    this.start = start ?? { state: automaton.start, count: -1, next: [], loop: undefined };
  }

  get exact(): boolean {
    this.#explored ??=
      this.#automaton.isExplored() &&
      (this.#automaton.start.language.pure || this.#limits.minLength < 1000);
    return this.#explored && !this.#automaton.guessed;
  }

  step(place: Counted, codePoint: number): Counted | null {
    const characterClass = this.#automaton.alphabet.classOf(codePoint);
    return characterClass < 0 ? null : this.#follow(place, characterClass);
  }

  accepts(place: Counted): boolean {
    const { minLength, maxLength } = this.#limits;
    if (this.empty) return false;
    return place.state.accepts && place.count >= minLength && place.count <= maxLength;
  }

  always(place: Counted): boolean {
    return this.room(place) === Infinity;
  }

  room(place: Counted): number {
    const { minLength, maxLength } = this.#limits;
    const isFree = !this.empty && this.#automaton.isAll(place.state);
    return isFree && place.count >= minLength ? Math.max(maxLength - place.count, 0) : 0;
  }

  reaches(place: Counted, low: number, high: number): boolean {
    for (const characterClass of this.#automaton.alphabet.classesIn(low, high)) {
      if (this.#follow(place, characterClass) !== null) return true;
    }
    return false;
  }

  risky(): boolean {
    return !this.exact;
  }

  loop(place: Counted): CharacterClass | null {
    if (place.loop === undefined) {
      place.loop = loopOf(this.#automaton.alphabet, (one) => this.#follow(place, one) === place);
    }
    return place.loop;
  }

  #follow(place: Counted, characterClass: number): Counted | null {
    const known = place.next[characterClass];
    if (known !== undefined) return known;
    if (this.empty) return null;
    const state = this.#automaton.step(place.state, characterClass);
    const next = state === null ? null : this.#intern(state, place.count + 1);
    place.next[characterClass] = next;
    return next;
  }

  /** null where no continuation has a right length. */
  #intern(state: State, length: number): Counted | null {
    const { minLength, maxLength, budget, keyword } = this.#limits;
    if (length > maxLength) return null;
    const count = maxLength === Infinity ? Math.min(length, minLength) : length;
    const counts = this.#states.get(state) ?? new Map<number, Counted | null>();
    this.#states.set(state, counts);
    const known = counts.get(count);
    if (known !== undefined) return known;
    budget.spend(1, 2, keyword);
    const least = Math.max(minLength - count, 0);
    const isLive = this.#automaton.hasLength(state, least, maxLength - count);
    const made = isLive ? { state, count, next: [], loop: undefined } : null;
    counts.set(count, made);
    return made;
  }
}

function loopOf(
  alphabet: Automaton['alphabet'],
  stays: (characterClass: number) => boolean,
): CharacterClass | null {
  const byClass = Array.from({ length: alphabet.size }, (_, one) => stays(one));
  const ascii = Uint8Array.from({ length: 128 }, (_, codePoint) =>
    byClass[alphabet.classOf(codePoint)] === true ? 1 : 0,
  );
  const beyond = [...alphabet.classesIn(0x80, 0x10ffff)].every((one) => byClass[one]);
  return beyond || ascii.includes(1) ? internClass(ascii, beyond) : null;
}
