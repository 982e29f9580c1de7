/**
 * Templates that come with a request run here, in a worker: however one behaves, no other request
 * waits for it. One worker at a time, one render after the other; a render that takes too long, or a
 * worker that ends, is the request's own failure, and the next request gets a new worker.
 */

import { Worker } from 'node:worker_threads';
import { ParlanceError } from '../../contract/errors.ts';
import type { ReceiptNote } from '../../contract/index.ts';
import type { PromptInput, Rendered, SpecialTokens } from '../prompt-input.ts';

export interface UntrustedJob {
  readonly source: string;
  readonly special: SpecialTokens;
  readonly input: PromptInput;
}

/** What the worker answers; errors lose their class on the way between threads. */
export type UntrustedResult =
  | { readonly type: 'rendered'; readonly text: string; readonly notes: readonly ReceiptNote[] }
  | {
      readonly type: 'failed';
      readonly reason: ParlanceError['reason'];
      readonly message: string;
      readonly param: string | null;
    }
  | { readonly type: 'ready' };

export interface UntrustedRenderer {
  /** @throws ParlanceError `invalid_template` (param `chat_template`), or when the signal says so */
  render(job: UntrustedJob, signal: AbortSignal): Promise<Rendered>;
  /** Starts the worker before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly job: UntrustedJob;
  readonly signal: AbortSignal;
  readonly resolve: (rendered: Rendered) => void;
  readonly reject: (error: unknown) => void;
}

const refusedFor = (why: string): ParlanceError =>
  new ParlanceError('invalid_template', `The chat template ${why}.`, { param: 'chat_template' });

/** Characters; the limits of the template's own engine come after this one. */
const maxSource = 1_000_000;

/** @param milliseconds that one render may take, the worker's start not counted */
export function createUntrustedRenderer(milliseconds = 1000): UntrustedRenderer {
  const queue: Waiting[] = [];
  let worker: Promise<Worker> | null = null;
  let busy = false;

  const next = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      if (one.signal.aborted) {
        one.reject(one.signal.reason);
        continue;
      }
      try {
        worker ??= startWorker();
        one.resolve(await runIn(await worker, one.job, milliseconds));
      } catch (error) {
        if (error instanceof WorkerGone) {
          await dropWorker();
          one.reject(refusedFor(error.message));
        } else {
          one.reject(error);
        }
      }
    }
    busy = false;
  };

  const dropWorker = async (): Promise<void> => {
    const gone = worker;
    worker = null;
    await gone?.then((one) => one.terminate()).catch(() => 0);
  };

  return {
    render: async (job, signal) => {
      if (job.source.length > maxSource) {
        throw refusedFor(`is longer than ${maxSource} characters`);
      }
      return await new Promise((resolve, reject) => {
        queue.push({ job, signal, resolve, reject });
        void next();
      });
    },
    warm: () => {
      worker ??= startWorker();
      worker.catch(() => (worker = null));
    },
    close: dropWorker,
  };
}

/** The worker did not answer; its message completes "The chat template …". */
class WorkerGone extends Error {}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL('./untrusted-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
    env: {},
    stdin: false,
  });
  // An error ends the worker, which whoever waits is told; without a listener it would end the server.
  worker.on('error', () => {});
  worker.unref();
  return await new Promise((resolve, reject) => {
    const failed = (): void => reject(new WorkerGone('could not be run'));
    worker.once('error', failed).once('exit', failed);
    worker.once('message', () => {
      worker.off('error', failed).off('exit', failed);
      resolve(worker);
    });
  });
}

async function runIn(worker: Worker, job: UntrustedJob, milliseconds: number): Promise<Rendered> {
  const result = await new Promise<UntrustedResult>((resolve, reject) => {
    const gone = (): void => settle(() => reject(new WorkerGone('used up its memory')));
    const answered = (answer: UntrustedResult): void => settle(() => resolve(answer));
    const timer = setTimeout(() => {
      settle(() => reject(new WorkerGone(`took longer than ${milliseconds} ms`)));
    }, milliseconds);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      worker.off('message', answered).off('error', gone).off('exit', gone);
      then();
    };
    worker.on('message', answered).on('error', gone).on('exit', gone);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(job);
  });
  if (result.type === 'rendered') return { text: result.text, notes: result.notes };
  if (result.type === 'ready') throw new WorkerGone('could not be run');
  const { reason, message, param } = result;
  throw new ParlanceError(reason, message, { param: param ?? 'chat_template' });
}
