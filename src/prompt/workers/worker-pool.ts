/**
 * Worker threads for work that others gave us: a template or a file may take for ever, or all memory,
 * and then only its thread ends. Each thread does one job at a time, and is started again when it was
 * lost. A worker's module says `ready` once, then answers each job with one message.
 */

import { Worker } from 'node:worker_threads';

export interface PoolOptions {
  /** The worker's module. */
  readonly module: URL;
  /** Threads at a time; further jobs wait in their order. */
  readonly size: number;
  /** For one job, the thread's start not counted. */
  readonly milliseconds: number;
  readonly megabytes: number;
  /** Whether threads stay when there is nothing to do. */
  readonly keep: boolean;
}

export interface WorkerPool<Job, Result> {
  /** @throws WorkerLost, or the signal's reason */
  run(job: Job, signal: AbortSignal): Promise<Result>;
  /** Starts a thread before it is needed. */
  warm(): void;
  /** Ends the threads; a later job starts one again. */
  close(): Promise<void>;
}

/** A thread ended, or was ended, before its answer; `why` completes a sentence such as "the file …". */
export class WorkerLost extends Error {
  readonly why: string;

  constructor(why: string) {
    super(why);
    this.why = why;
  }
}

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly signal: AbortSignal;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A place for a thread; `busy` while it has a job. */
interface Lane {
  worker: Promise<Worker> | null;
  busy: boolean;
}

export function createWorkerPool<Job, Result>(options: PoolOptions): WorkerPool<Job, Result> {
  const queue: Waiting<Job, Result>[] = [];
  const lanes = Array.from({ length: options.size }, (): Lane => ({ worker: null, busy: false }));

  const start = (lane: Lane): Promise<Worker> => {
    const worker = startWorker(options);
    lane.worker = worker;
    const forget = (): void => {
      if (lane.worker === worker) lane.worker = null;
    };
    worker.then((one) => one.once('exit', forget), forget);
    return worker;
  };

  const work = async (lane: Lane): Promise<void> => {
    lane.busy = true;
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      try {
        const worker = await (lane.worker ?? start(lane));
        if (one.signal.aborted) one.reject(one.signal.reason);
        else one.resolve(await runJob<Job, Result>(worker, one, options.milliseconds));
      } catch (error) {
        await end(lane);
        one.reject(error);
        if (options.keep) void start(lane).catch(() => {});
      }
    }
    lane.busy = false;
    if (!options.keep) await end(lane);
  };

  return {
    run: async (job, signal) =>
      await new Promise((resolve, reject) => {
        signal.throwIfAborted();
        queue.push({ job, signal, resolve, reject });
        const idle = lanes.filter(({ busy }) => !busy);
        const free = idle.find(({ worker }) => worker !== null) ?? idle[0];
        if (free !== undefined) void work(free);
      }),
    warm() {
      const [lane] = lanes;
      if (lane !== undefined && lane.worker === null) void start(lane).catch(() => {});
    },
    async close() {
      await Promise.all(lanes.map(end));
    },
  };
}

async function end(lane: Lane): Promise<void> {
  const { worker } = lane;
  lane.worker = null;
  await worker?.then((one) => one.terminate()).catch(() => 0);
}

async function startWorker({ module, megabytes }: PoolOptions): Promise<Worker> {
  const worker = new Worker(module, {
    // What is not ours sees nothing of ours.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  // An error ends the worker, which whoever waits is told; without a listener it would end the server.
  worker.on('error', () => {});
  worker.unref();
  return await new Promise((resolve, reject) => {
    const failed = (): void => reject(new WorkerLost('could not be looked at'));
    worker.once('exit', failed);
    worker.once('message', () => {
      worker.off('exit', failed);
      resolve(worker);
    });
  });
}

async function runJob<Job, Result>(
  worker: Worker,
  { job, signal }: Pick<Waiting<Job, Result>, 'job' | 'signal'>,
  milliseconds: number,
): Promise<Result> {
  return await new Promise((resolve, reject) => {
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', left);
      worker.off('message', answered).off('exit', gone);
      then();
    };
    const left = (): void => settle(() => reject(signal.reason));
    const answered = (result: Result): void => settle(() => resolve(result));
    const gone = (): void => settle(() => reject(new WorkerLost('takes more memory than it may')));
    const late = (): void =>
      settle(() => reject(new WorkerLost(`takes longer than ${milliseconds} ms`)));
    const timer = setTimeout(late, milliseconds);
    signal.addEventListener('abort', left);
    worker.on('message', answered).on('exit', gone);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(job);
  });
}
