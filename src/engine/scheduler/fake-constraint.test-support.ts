/**
 * Constraints for the scheduler's tests: a language is a function from the text so far to the bytes that
 * may follow. Answers may come late, as a worker's do.
 */

import assert from 'node:assert/strict';

import type {
  ConstraintSession,
  ConstraintView,
  PreparedConstraint,
} from '../constraints/index.ts';
import { fakeTokens } from '../llama/fake-decoder.ts';

export interface Follow {
  /** Bytes that may come next. */
  readonly bytes: string;
  readonly complete?: boolean;
  readonly risky?: boolean;
}

export type Language = (text: string) => Follow;

const words = Math.ceil(fakeTokens.size / 32);
const textOf = (tokens: readonly number[]): string => Buffer.from(tokens).toString('latin1');

export class FakeConstraint implements PreparedConstraint {
  readonly #language: Language;
  /** Polls until an answer is there. */
  readonly #delay: number;
  readonly sessions: FakeSession[] = [];
  released = 0;

  constructor(language: Language, delay = 0) {
    this.#language = language;
    this.#delay = delay;
  }

  open(): FakeSession {
    const session = new FakeSession(this.#language, this.#delay);
    this.sessions.push(session);
    return session;
  }

  release(): void {
    this.released += 1;
  }
}

export class FakeSession implements ConstraintSession {
  readonly #language: Language;
  readonly #delay: number;
  readonly #tokens: number[] = [];
  #polls = 0;
  #view: ConstraintView;
  closed = false;
  rewinds = 0;
  looks = 0;

  constructor(language: Language, delay: number) {
    this.#language = language;
    this.#delay = delay;
    this.#view = this.#answer(true, []);
  }

  get ready(): boolean {
    this.#polls += 1;
    return this.#polls > this.#delay;
  }

  wait(): boolean {
    return this.ready;
  }

  get view(): ConstraintView {
    assert.ok(this.#polls > this.#delay, 'a view is read when it is there');
    assert.ok(!this.closed);
    return this.#view;
  }

  take(tokens: readonly number[]): void {
    for (const token of tokens) {
      assert.ok(this.#follow().bytes.includes(textOf([token])), `token ${token} was allowed`);
      this.#tokens.push(token);
    }
    this.#view = this.#answer(true, []);
  }

  look(drafts: readonly number[]): void {
    this.looks += 1;
    this.#view = this.#answer(false, drafts);
  }

  rewind(tokens: number): void {
    this.rewinds += 1;
    assert.ok(tokens > 0 && tokens <= this.#tokens.length);
    this.#tokens.length -= tokens;
    this.#view = this.#answer(false, []);
  }

  close(): void {
    this.closed = true;
  }

  #follow(ahead: readonly number[] = []): Follow {
    return this.#language(textOf([...this.#tokens, ...ahead]));
  }

  #answer(forces: boolean, drafts: readonly number[]): ConstraintView {
    this.#polls = 0;
    const forced: number[] = [];
    let follow = this.#follow();
    while (follow.bytes.length === 1 && follow.complete !== true) {
      if (!forces) break;
      const token = follow.bytes.charCodeAt(0);
      forced.push(token);
      this.#tokens.push(token);
      follow = this.#follow();
    }
    let allowed = 0;
    while (allowed < drafts.length) {
      const next = textOf(drafts.slice(allowed, allowed + 1));
      if (!this.#follow(drafts.slice(0, allowed)).bytes.includes(next)) break;
      allowed += 1;
    }
    const rows = Array.from({ length: allowed + 1 }, (_, row) =>
      toMask(this.#follow(drafts.slice(0, row))),
    );
    const complete = follow.complete === true;
    return {
      forced,
      complete,
      ended: complete && follow.bytes === '',
      dead: !complete && follow.bytes === '',
      risky: follow.risky === true,
      drafts: allowed,
      mask: (row) => rows[row] ?? assert.fail(`there is no row ${row}`),
    };
  }
}

function toMask({ bytes, complete }: Follow): Uint32Array {
  const mask = new Uint32Array(words);
  const ids = [...Buffer.from(bytes, 'latin1'), ...(complete === true ? [fakeTokens.eos] : [])];
  for (const id of ids) mask[id >>> 5] = (mask[id >>> 5] ?? 0) | (1 << (id & 31));
  return mask;
}
