/**
 * One text under a constraint, on the thread that steps constraints: the states behind its tokens, and the
 * answers to what the engine asks about it. It takes no part in how questions and answers travel.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { CompiledConstraint } from './compiled-constraint.ts';
import { mostDrafts, mostForced, type ViewMemory } from './view-memory.ts';

export type Question =
  | { readonly type: 'open' }
  | { readonly type: 'take'; readonly tokens: readonly number[] }
  | { readonly type: 'look'; readonly drafts: readonly number[] }
  | { readonly type: 'rewind'; readonly tokens: number };

/** States that are kept at least; a text that goes back further is read again from its start. */
const keptStates = 256;

/** The state behind an end token where the text could end: nothing comes after it. */
const over: object = Object.freeze({});

export class ConstrainedText {
  readonly #compiled: () => CompiledConstraint;
  #constraint: CompiledConstraint;
  readonly #memory: ViewMemory;
  readonly #endTokens: ReadonlySet<number>;
  readonly #tokens: number[] = [];
  /** `#states[i]` is the state after `#from + i` tokens. */
  #states: object[];
  #from = 0;
  #question: Question = { type: 'open' };

  /** `compiled`: the constraint, a fresh one where it was worn; it may throw as compiling does. */
  constructor(
    compiled: () => CompiledConstraint,
    memory: ViewMemory,
    endTokens: ReadonlySet<number>,
  ) {
    this.#compiled = compiled;
    this.#constraint = compiled();
    this.#memory = memory;
    this.#endTokens = endTokens;
    this.#states = [this.#constraint.machine.start];
  }

  /** Throws where a token was not allowed, or a step passes its limits. `proceed` makes the answer. */
  begin(question: Question): void {
    this.#constraint.renew();
    if (this.#constraint.worn) this.#move();
    this.#question = question;
    if (question.type === 'take') {
      for (const token of question.tokens) this.#push(token);
    } else if (question.type === 'rewind') {
      this.#rewind(question.tokens);
    }
  }

  /**
   * Writes the view, or returns a text that must be tokenised first; after `learn` it is called again.
   */
  proceed(): string | null {
    this.#constraint.renew();
    const { type } = this.#question;
    let forced: readonly number[] = [];
    if ((type === 'open' || type === 'take') && this.#state !== over) {
      const found = this.#constraint.forced(this.#state);
      if (found.kind === 'unknown') return found.text;
      forced = found.tokens.slice(0, mostForced);
      for (const token of forced) this.#push(token);
    }
    const ahead = this.#readAhead(this.#question.type === 'look' ? this.#question.drafts : []);
    if (typeof ahead === 'string') return ahead;
    this.#write(forced, ahead);
    return null;
  }

  learn(text: string, tokens: readonly number[]): void {
    this.#constraint.learn(text, tokens);
  }

  get #state(): object {
    return this.#states.at(-1)!;
  }

  #push(token: number): void {
    const next = this.#after(this.#state, token);
    if (next === null) {
      throw new ParlanceError('internal', `Token ${token} was taken but is not allowed.`);
    }
    this.#tokens.push(token);
    this.#states.push(next);
    if (this.#states.length <= 2 * keptStates) return;
    this.#states.splice(0, keptStates);
    this.#from += keptStates;
  }

  #after(state: object, token: number): object | null {
    if (state === over) return null;
    const next = this.#constraint.masker.step(state, token);
    if (next !== null || !this.#endTokens.has(token)) return next;
    return this.#constraint.machine.accepts(state) ? over : null;
  }

  #rewind(tokens: number): void {
    const left = this.#tokens.length - tokens;
    if (left < 0)
      throw new ParlanceError('internal', 'More tokens were taken back than there are.');
    if (left >= this.#from) {
      this.#tokens.length = left;
      this.#states.length = left - this.#from + 1;
      return;
    }
    this.#readAgain(left);
  }

  /** Goes on with a fresh constraint: what a worn one remembers of texts is given back. */
  #move(): void {
    this.#constraint = this.#compiled();
    this.#constraint.renew();
    this.#readAgain(this.#tokens.length);
  }

  #readAgain(tokens: number): void {
    const again = this.#tokens.slice(0, tokens);
    this.#tokens.length = 0;
    this.#states = [this.#constraint.machine.start];
    this.#from = 0;
    for (const token of again) this.#push(token);
  }

  #write(forced: readonly number[], ahead: readonly object[]): void {
    const { machine } = this.#constraint;
    const state = this.#state;
    const complete = state === over || machine.accepts(state);
    const any = this.#writeMask(0, state);
    const flags = {
      complete,
      ended: complete && (state === over || this.#constraint.masker.isLast(state)),
      dead: !complete && !any,
      risky: state !== over && machine.risky(state),
    };
    for (const [row, one] of ahead.entries()) this.#writeMask(row + 1, one);
    this.#memory.writeView(flags, forced, ahead.length);
  }

  /**
   * The states behind the leading drafts that are allowed and behind which something is drawn. Forced
   * stretches and ends are not drawn, nor is a dead end: what leads to them is taken before anything
   * follows, as it would be without drafts, so that drafts change no text. A text instead, where that
   * must be tokenised to tell.
   */
  #readAhead(drafts: readonly number[]): readonly object[] | string {
    const ahead: object[] = [];
    let state = this.#state;
    for (const draft of drafts.slice(0, mostDrafts)) {
      const next = this.#after(state, draft);
      const drawn = next === null ? false : this.#isDrawnFrom(next);
      if (typeof drawn === 'string') return drawn;
      if (next === null || !drawn) break;
      state = next;
      ahead.push(state);
    }
    return ahead;
  }

  #isDrawnFrom(state: object): boolean | string {
    if (state === over) return true;
    const { machine, masker } = this.#constraint;
    const complete = machine.accepts(state);
    if (complete && masker.isLast(state)) return false;
    const forced = this.#constraint.forced(state);
    if (forced.kind === 'unknown') return forced.text;
    return (
      forced.tokens.length === 0 && (complete || masker.mask(state).some((word) => word !== 0))
    );
  }

  /** Whether anything is allowed. */
  #writeMask(row: number, state: object): boolean {
    const bits = state === over ? null : this.#constraint.masker.mask(state);
    this.#memory.writeMask(row, bits);
    return bits !== null && bits.some((word) => word !== 0);
  }
}
