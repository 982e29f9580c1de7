/**
 * Verifies finished texts off the main thread, whoever generated them. One thread, started when it is
 * first needed; a text that takes too long is no good, its thread is ended, and the next text gets
 * another. Targets call it when an answer is whole.
 */

import { Worker } from 'node:worker_threads';

import { ParlanceError } from '../../contract/errors.ts';
import type { Reason } from '../../contract/errors.ts';
import type { ConstraintSpec } from '../spec.ts';
import type { Verdict } from './verdict.ts';

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
}

/** A verifier; whoever makes it closes it. */
export function createVerifier({ milliseconds = 10_000 }: VerifierOptions = {}): Verifier {
  return new ThreadVerifier(milliseconds);
}

const anyObject: ConstraintSpec = { kind: 'json', schema: '{"type":"object"}', whitespace: null };

interface Waiting {
  readonly job: VerifyJob;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: ParlanceError) => void;
}

class ThreadVerifier implements Verifier {
  readonly #milliseconds: number;
  readonly #queue: Waiting[] = [];
  #running: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | null = null;
  #closed = false;
  #jobs = 0;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
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
    const left = [...this.#queue.splice(0), ...(this.#running === null ? [] : [this.#running])];
    this.#running = null;
    clearTimeout(this.#timer);
    for (const { reject } of left) reject(closing());
    await this.#drop();
  }

  #next(): void {
    if (this.#running !== null) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    this.#running = waiting;
    const worker = (this.#worker ??= this.#start());
    // The process stays while a text is being verified, and no longer.
    worker.ref();
    this.#timer = setTimeout(() => {
      void this.#drop();
      this.#fail(`takes longer than ${this.#milliseconds} ms`);
    }, this.#milliseconds);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(waiting.job);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 16 },
      env: {},
      stdin: false,
    });
    worker.on('message', (answer: VerifyAnswer) => this.#answered(answer));
    const gone = (error: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      const isMemory = error instanceof Error && error.message.includes('memory');
      this.#fail(isMemory ? 'takes more memory than it is given' : 'ended the thread that tried');
    };
    worker.on('error', gone).on('exit', gone);
    return worker;
  }

  #answered(answer: VerifyAnswer): void {
    if (this.#running?.job.id !== answer.id) return;
    if (answer.type === 'verdict') {
      this.#settle(({ resolve }) => resolve(answer.verdict));
      return;
    }
    const { reason, message, keyword } = answer;
    const detail = keyword === null ? {} : { keyword };
    this.#settle(({ reject }) => reject(new ParlanceError(reason, message, detail)));
  }

  /** The text could not be judged: it is no good. */
  #fail(why: string): void {
    const reason = `Whether the text satisfies the constraint could not be found out: it ${why}.`;
    this.#settle(({ resolve }) => resolve({ ok: false, reason, keyword: 'time' }));
  }

  #settle(finish: (waiting: Waiting) => void): void {
    const waiting = this.#running;
    if (waiting === null) return;
    clearTimeout(this.#timer);
    this.#running = null;
    this.#worker?.unref();
    finish(waiting);
    this.#next();
  }

  async #drop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

const closing = (): ParlanceError =>
  new ParlanceError('shutting_down', 'The server is shutting down.');
