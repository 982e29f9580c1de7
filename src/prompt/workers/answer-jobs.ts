/** The thread's side of a pool: answers each job, one after the other, and says when it can begin. */

import { parentPort } from 'node:worker_threads';

/** @param answer catches what a job can do wrong; what it throws ends the thread */
export function answerJobs<Job, Result>(answer: (job: Job) => Result | Promise<Result>): void {
  const send = (message: Result | 'ready'): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(message);
  };
  parentPort?.on('message', (job: Job) => {
    void (async () => send(await answer(job)))();
  });
  send('ready');
}
