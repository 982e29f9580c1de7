/**
 * A text in a lane, seen from the engine's thread: questions go out as messages, answers are read from
 * shared memory, without a turn of the event loop. Texts that the lane needs tokenised are tokenised in
 * passing, whenever the engine looks whether there is an answer.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Vocabulary } from '../llama/decoder.ts';
import type { ConstraintSession, ConstraintView } from './constraint-session.ts';
import type { Question } from './constrained-text.ts';
import type { Lane } from './lane.ts';
import type { ViewMemory } from './view-memory.ts';

export class LaneSession implements ConstraintSession {
  readonly #lane: Lane;
  readonly #id: number;
  readonly #memory: ViewMemory;
  readonly #vocabulary: Vocabulary;
  /** The opening is question 1. */
  #asked = 1;
  #tokenised = 0;
  #open = true;

  constructor(lane: Lane, id: number, memory: ViewMemory, vocabulary: Vocabulary) {
    this.#lane = lane;
    this.#id = id;
    this.#memory = memory;
    this.#vocabulary = vocabulary;
  }

  get isClosed(): boolean {
    return !this.#open;
  }

  get ready(): boolean {
    if (this.#memory.isAnswered(this.#asked)) return true;
    this.#tokenise();
    return false;
  }

  wait(milliseconds: number): boolean {
    const until = performance.now() + milliseconds;
    for (;;) {
      const seen = this.#memory.events;
      if (this.ready) return true;
      const left = until - performance.now();
      if (left <= 0) return false;
      this.#memory.waitForEvent(seen, left);
    }
  }

  get view(): ConstraintView {
    if (this.#memory.hasFailed) throw this.#memory.failure();
    if (!this.#open || !this.ready) {
      throw new ParlanceError('internal', 'The view of a constraint was read before it was there.');
    }
    return this.#memory.view();
  }

  take(tokens: readonly number[]): void {
    this.#ask({ type: 'take', tokens: [...tokens] });
  }

  look(drafts: readonly number[]): void {
    this.#ask({ type: 'look', drafts: [...drafts] });
  }

  rewind(tokens: number): void {
    this.#ask({ type: 'rewind', tokens });
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#lane.tell({ type: 'close', session: this.#id });
  }

  #ask(question: Question): void {
    if (!this.#open) throw new ParlanceError('internal', 'The session of a constraint is closed.');
    this.#asked += 1;
    const number = this.#asked;
    this.#lane.tell({ type: 'ask', session: this.#id, number, question });
  }

  #tokenise(): void {
    const asked = this.#memory.textAsked(this.#tokenised);
    if (asked === null) return;
    this.#tokenised = asked.ask;
    const tokens = this.#vocabulary.tokenize(asked.text, false);
    this.#lane.tell({ type: 'tokens', session: this.#id, text: asked.text, tokens });
  }
}
