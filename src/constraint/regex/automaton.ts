/**
 * The deterministic automaton of a language, made as far as it is walked: states are languages (with
 * what trackers have seen), transitions are kept by character class. Knows which states are dead.
 */

import type { Budget } from '../machine.ts';
import { Alphabet } from './alphabet.ts';
import { Derivatives } from './derivative.ts';
import type { TermFactory } from './term-factory.ts';
import type { Language, Past } from './term.ts';

export interface State {
  readonly id: number;
  readonly language: Language;
  readonly past: Past;
  /** The text may end here. */
  readonly accepts: boolean;
  /** Whether some continuation is accepted; undefined: not yet asked. */
  live: boolean | undefined;
  /** By character class; undefined: not yet asked. Null also where the next state was found dead. */
  readonly next: (State | null | undefined)[];
}

/** States that are looked at for one question whether a state is live. */
const farthest = 3000;
/** States that are looked at to tell whether all can be told live or dead. */
const farAround = 500;

export class Automaton {
  readonly start: State;
  readonly alphabet: Alphabet;
  /** A state passed for live because looking further would have cost too much. */
  guessed = false;
  #isTrusted = false;
  readonly #terms: TermFactory;
  readonly #derivatives: Derivatives;
  readonly #budget: Budget;
  readonly #keyword: string;
  readonly #plain = new Map<Language, State>();
  readonly #tracking = new Map<string, State>();

  /** `language` and the trackers of `terms` are complete: no new sets of characters come later. */
  constructor(
    language: Language,
    terms: TermFactory,
    ...[budget, keyword]: [budget: Budget, keyword: string]
  ) {
    this.#terms = terms;
    this.#budget = budget;
    this.#keyword = keyword;
    this.alphabet = new Alphabet(terms.sets, budget, keyword);
    this.#derivatives = new Derivatives(terms, this.alphabet, budget, keyword);
    this.start = this.#intern(language, terms.trackers);
  }

  /** Null where nothing that begins like this is accepted. */
  step(state: State, characterClass: number): State | null {
    const next = state.next[characterClass];
    if (next === null || next?.live === true) return next;
    const reached = this.#reach(state, characterClass);
    if (reached === null || this.isLive(reached)) return reached;
    state.next[characterClass] = null;
    return null;
  }

  /** Every text is accepted from here. */
  isAll(state: State): boolean {
    return state.language.kind === 'all';
  }

  /** Whether some continuation is accepted; true also where that costs too much to tell. */
  isLive(state: State): boolean {
    state.live ??=
      state.language.inhabited || state.accepts || this.#stays(state) || this.#search(state);
    return state.live;
  }

  /**
   * Whether the state and all that follow it are live since a search goes on in them: one of their
   * alternatives is any text and then something that is known to occur.
   */
  #stays(state: State): boolean {
    const { language } = state;
    const alternatives = language.kind === 'or' ? language.of : [language];
    return alternatives.some((one) => {
      if (one.kind !== 'seq' || one.first !== this.#terms.anyText || one.trackers !== 0)
        return false;
      if (one.inhabited) return true;
      return this.isLive(this.#intern(one.rest, [])) && !this.guessed;
    });
  }

  /**
   * Whether some continuation of `least` to `most` characters is accepted. Looks at the states reachable
   * with each number of characters, until they repeat.
   */
  hasLength(state: State, least: number, most: number): boolean {
    let layer: readonly State[] = [state];
    const seen = new Map<string, number>();
    let visited = 0;
    /** The longest rest of those that were left since it is too short. */
    let longest = 0;
    for (let length = 0; length <= most; length += 1) {
      const open: State[] = [];
      for (const one of layer) {
        const told = lengthTold(one, Math.max(least - length, 0), most - length);
        if (told === true) return true;
        if (told === null) open.push(one);
        else if (one.language.width.min <= most - length) {
          longest = Math.max(longest, one.language.width.max);
        }
      }
      if (open.length === 0) return false;
      visited += open.length;
      if (visited > farthest) {
        this.guessed = true;
        return true;
      }
      const key = open.map((one) => one.id).join();
      const before = seen.get(key);
      if (before !== undefined) {
        if (before >= least) return false;
        const period = length - before;
        const skipped = Math.floor((least - longest - length) / period) * period;
        seen.clear();
        if (skipped > 0) {
          // Once more the same states, with so many characters more.
          length += skipped - 1;
          continue;
        }
      }
      seen.set(key, length);
      layer = this.#following(open);
    }
    return false;
  }

  /** It is known that every state can be told live or dead. */
  trust(): void {
    this.#isTrusted = true;
  }

  /** Whether every state was looked at, `most` at the most, and none had to pass for live. */
  isExplored(most: number = farAround): boolean {
    if (this.start.language.pure || this.#isTrusted) return true;
    const seen = new Set<State>([this.start]);
    for (const state of seen) {
      if (state.language.pure || this.#stays(state)) continue;
      if (seen.size > most) return false;
      this.isLive(state);
      for (const next of this.#following([state])) seen.add(next);
    }
    return !this.guessed;
  }

  #following(states: readonly State[]): State[] {
    const found = new Set<State>();
    for (const state of states) {
      for (let i = 0; i < this.alphabet.size; i += 1) {
        const next = this.step(state, i);
        if (next !== null) found.add(next);
      }
    }
    return [...found].sort((a, b) => a.id - b.id);
  }

  /** The transition, whether or not it leads to a dead state. */
  #reach(state: State, characterClass: number): State | null {
    const known = state.next[characterClass];
    if (known !== undefined) return known;
    this.#budget.spend(1, 0.25, this.#keyword);
    const language = this.#derivatives.after(state.language, characterClass, state.past);
    const past = state.past.map((tracked, i) =>
      ((language.trackers >> i) & 1) === 1
        ? this.#derivatives.after(tracked, characterClass, state.past)
        : tracked,
    );
    const next = language.kind === 'none' ? null : this.#intern(language, past);
    state.next[characterClass] = next;
    return next;
  }

  /** What no question of the language asks about is left out, so that fewer states differ. */
  #intern(language: Language, past: Past): State {
    if (language.trackers === 0) {
      const known = this.#plain.get(language) ?? this.#make(language, []);
      this.#plain.set(language, known);
      return known;
    }
    const asked = past.map((tracked, i) =>
      ((language.trackers >> i) & 1) === 1 ? tracked : this.#terms.noText,
    );
    const key = `${language.id}:${asked.map((tracked) => tracked.id).join()}`;
    const known = this.#tracking.get(key) ?? this.#make(language, asked);
    this.#tracking.set(key, known);
    return known;
  }

  #make(language: Language, past: Past): State {
    this.#budget.spend(1, 2, this.#keyword);
    const accepts = this.#derivatives.accepts(language, past);
    const id = this.#plain.size + this.#tracking.size;
    return { id, language, past, accepts, live: undefined, next: [] };
  }

  /** Those that promise the shortest rest first. On the way to an accepted text all are live. */
  #search(from: State): boolean {
    const cameFrom = new Map<State, State | null>([[from, null]]);
    const waiting = new ShortestFirst();
    waiting.push(from);
    for (let state = waiting.pop(); state !== null; state = waiting.pop()) {
      if (state.live === true || state.language.inhabited || state.accepts) {
        let one: State | null = state;
        for (; one !== null; one = cameFrom.get(one) ?? null) one.live = true;
        return true;
      }
      if (cameFrom.size > farthest) {
        this.guessed = true;
        return true;
      }
      for (let i = 0; i < this.alphabet.size; i += 1) {
        const next = this.#reach(state, i);
        if (next === null || next.live === false || cameFrom.has(next)) continue;
        cameFrom.set(next, state);
        waiting.push(next);
      }
    }
    for (const state of cameFrom.keys()) state.live = false;
    return false;
  }
}

/** Whether a continuation with one of these lengths is accepted, where widths tell; null: they do not. */
function lengthTold(state: State, least: number, most: number): boolean | null {
  const { language } = state;
  if (language.width.min > most || language.width.max < least) return false;
  if (fits(language, least, most) || (least === 0 && state.accepts)) return true;
  return language.kind === 'or' && language.of.some((one) => fits(one, least, most)) ? true : null;
}

function fits({ width, pure }: Language, least: number, most: number): boolean {
  if (!pure || least > most || width.min > most || width.max < least) return false;
  return width.dense || (width.min >= least && width.min <= most);
}

/** A queue by the least width, without more order than that needs. */
class ShortestFirst {
  readonly #byWidth = new Map<number, State[]>();

  push(state: State): void {
    const { min } = state.language.width;
    const list = this.#byWidth.get(min);
    if (list === undefined) this.#byWidth.set(min, [state]);
    else list.push(state);
  }

  pop(): State | null {
    let least = Infinity;
    for (const min of this.#byWidth.keys()) least = Math.min(least, min);
    const list = this.#byWidth.get(least);
    if (list === undefined) return null;
    const state = list.pop() ?? null;
    if (list.length === 0) this.#byWidth.delete(least);
    return state;
  }
}
