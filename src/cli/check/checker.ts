/**
 * Checks one constraint after the other in a thread that can be ended, so that no constraint, however
 * written, holds the command up or takes all memory. Called by `check.ts`.
 */

import { Worker } from 'node:worker_threads';

import { checkMs, notSupported, type CheckJob, type CheckResult } from './check-texts.ts';

export interface Checker {
  /** Never rejects; one at a time. */
  check(job: CheckJob): Promise<CheckResult>;
  close(): Promise<void>;
}

export interface CheckerOptions {
  readonly module: URL;
  /** Until the thread is ended; above the limit that it keeps by itself. */
  readonly milliseconds: number;
  readonly megabytes: number;
}

const defaults: CheckerOptions = {
  module: new URL('./check-worker.ts', import.meta.url),
  milliseconds: checkMs + 1000,
  megabytes: 1536,
};

export function createChecker(options: CheckerOptions = defaults): Checker {
  let worker: Worker | null = null;
  const start = (): Worker => {
    const { megabytes } = options;
    return new Worker(options.module, { resourceLimits: { maxOldGenerationSizeMb: megabytes } });
  };
  const ending: Promise<unknown>[] = [];
  const drop = (): void => {
    if (worker !== null) ending.push(worker.terminate());
    worker = null;
  };
  return {
    async check(job) {
      worker ??= start();
      const result = await ask(worker, job, options);
      if (typeof result !== 'string') return result;
      // A thread with a full heap takes seconds to end; the next job need not wait for that.
      drop();
      const keyword = job.spec.kind === 'json' ? 'schema' : job.spec.kind;
      return notSupported(`The constraint ${result}.`, keyword, job.texts.length);
    },
    async close() {
      drop();
      await Promise.all(ending);
    },
  };
}

/** The worker's answer, or in words why there is none. */
async function ask(
  worker: Worker,
  job: CheckJob,
  { milliseconds }: CheckerOptions,
): Promise<CheckResult | string> {
  return await new Promise((resolve) => {
    const settle = (result: CheckResult | string): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', failed).off('exit', ended);
      resolve(result);
    };
    const failed = (error: unknown): void => {
      const isMemory = error instanceof Error && error.message.includes('memory');
      settle(isMemory ? 'needs more memory than it is given' : 'could not be compiled');
    };
    const ended = (): void => settle('could not be compiled');
    const late = (): void => settle(`needs more than ${milliseconds} ms`);
    const timer = setTimeout(late, milliseconds);
    worker.on('message', settle).on('error', failed).on('exit', ended);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(job);
  });
}
