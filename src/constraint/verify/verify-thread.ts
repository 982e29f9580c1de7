/**
 * A thread in which texts are verified, one at a time. It is started with its first job; a job that
 * takes too long ends it, and the next one gets another. The verifier gives it the jobs.
 */

import { Worker } from 'node:worker_threads';

import { ParlanceError } from '../../contract/errors.ts';
import type { Verdict } from './verdict.ts';
import type { VerifyAnswer, VerifyJob } from './verifier.ts';

export interface Waiting {
  readonly job: VerifyJob;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: ParlanceError) => void;
}

export interface VerifyThreadOptions {
  /** For one job. */
  readonly milliseconds: number;
  /** What the thread starts with. */
  readonly module: URL;
  /** It is ready for the next job. */
  readonly onIdle: () => void;
}

export class VerifyThread {
  readonly #options: VerifyThreadOptions;
  #running: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | null = null;

  constructor(options: VerifyThreadOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Only for one that is not busy. */
  run(waiting: Waiting): void {
    this.#running = waiting;
    const worker = (this.#worker ??= this.#start());
    // The process stays while a text is being verified, and no longer.
    worker.ref();
    const { milliseconds } = this.#options;
    this.#timer = setTimeout(() => {
      void this.#drop();
      this.#fail(`takes longer than ${milliseconds} ms`);
    }, milliseconds);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(waiting.job);
  }

  /** Ends the thread; the job that runs in it rejects. */
  async close(error: ParlanceError): Promise<void> {
    const waiting = this.#running;
    this.#running = null;
    clearTimeout(this.#timer);
    waiting?.reject(error);
    await this.#drop();
  }

  #start(): Worker {
    const worker = new Worker(this.#options.module, {
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
    this.#options.onIdle();
  }

  async #drop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}
