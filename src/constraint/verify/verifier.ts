/**
 * Verifies finished texts off the main thread, whoever generated them. One thread, started when it is
 * first needed; where a text keeps it busy while others wait, a second one takes those. Targets call it
 * when an answer is whole.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Reason } from '../../contract/errors.ts';
import { anyObjectSchema } from '../any-object.ts';
import type { ConstraintSpec } from '../spec.ts';
import type { Verdict } from './verdict.ts';
import { VerifyThread, type Waiting } from './verify-thread.ts';

export interface Verifier {
  /**
   * Whether the text satisfies the constraint. Rejects with `invalid_constraint` where the constraint
   * itself is refused, and with `shutting_down` after `close`.
   */
  verify(spec: ConstraintSpec, text: string): Promise<Verdict>;
  /** Why texts cannot be kept to the constraint while they are generated; null: they can. */
  findUnsupported(spec: ConstraintSpec): Promise<ParlanceError | null>;
  /** Starts the thread before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

export interface VerifyJob {
  readonly id: number;
  readonly spec: ConstraintSpec;
  /** null: the mask's machine is compiled, and no text is judged. */
  readonly text: string | null;
}

export type VerifyAnswer =
  | { readonly type: 'verdict'; readonly id: number; readonly verdict: Verdict }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly reason: Reason;
      readonly message: string;
      readonly keyword: string | null;
    };

export interface VerifierOptions {
  /** For one text, compiling included. */
  readonly milliseconds?: number;
  /** For which a text may keep others waiting before a second thread takes them. */
  readonly patience?: number;
  /** What the threads start with; tests have one of their own. */
  readonly module?: URL;
}

/** A verifier; whoever makes it closes it. */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  return new ThreadVerifier(options);
}

const anyObject: ConstraintSpec = { kind: 'json', schema: anyObjectSchema, whitespace: null };

class ThreadVerifier implements Verifier {
  readonly #patience: number;
  readonly #createThread: () => VerifyThread;
  readonly #queue: Waiting[] = [];
  readonly #first: VerifyThread;
  #second: VerifyThread | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #jobs = 0;

  constructor({
    milliseconds = 10_000,
    patience = 100,
    module = new URL('./verify-worker.ts', import.meta.url),
  }: VerifierOptions) {
    this.#patience = patience;
    this.#createThread = () =>
      new VerifyThread({ milliseconds, module, onIdle: () => this.#next() });
    this.#first = this.#createThread();
  }

  async verify(spec: ConstraintSpec, text: string): Promise<Verdict> {
    return await this.#ask(spec, text);
  }

  async findUnsupported(spec: ConstraintSpec): Promise<ParlanceError | null> {
    try {
      const verdict = await this.#ask(spec, null);
      if (verdict.ok) return null;
      const { reason, keyword } = verdict;
      return new ParlanceError('invalid_constraint', reason, { keyword });
    } catch (error) {
      if (error instanceof ParlanceError && error.reason === 'invalid_constraint') return error;
      throw error;
    }
  }

  warm(): void {
    // Code that has run once is there; nobody waits for what it says.
    void this.verify(anyObject, '{}').catch(() => null);
  }

  async #ask(spec: ConstraintSpec, text: string | null): Promise<Verdict> {
    if (this.#closed) throw closing();
    return await new Promise((resolve, reject) => {
      this.#queue.push({ job: { id: ++this.#jobs, spec, text }, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#queue.splice(0)) reject(closing());
    await Promise.all([this.#first.close(closing()), this.#second?.close(closing())]);
  }

  /** Gives out what waits. A thread that has just taken a job has its time before another is started. */
  #next(): void {
    let hasBegun = false;
    for (const thread of [this.#first, this.#second]) {
      if (thread === null || thread.isBusy) continue;
      const waiting = this.#queue.shift();
      if (waiting === undefined) break;
      thread.run(waiting);
      hasBegun ||= thread === this.#first;
    }
    if (this.#queue.length === 0 || hasBegun) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.#queue.length > 0 && this.#second === null) {
      this.#timer ??= setTimeout(() => this.#grow(), this.#patience);
    }
    if (!this.#first.isBusy && this.#second?.isBusy === false) this.#shrink();
  }

  #grow(): void {
    this.#second = this.#createThread();
    this.#next();
  }

  /** Nobody waits and nobody is slow: one thread is enough, and half the memory. */
  #shrink(): void {
    const spare = this.#second;
    this.#second = null;
    void spare?.close(closing());
  }
}

const closing = (): ParlanceError =>
  new ParlanceError('shutting_down', 'The server is shutting down.');
