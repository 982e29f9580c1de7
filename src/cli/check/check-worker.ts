/** The thread in which `parlance check` compiles and steps; `checker.ts` starts it, and ends it when it hangs. */

import { parentPort } from 'node:worker_threads';

import { checkTexts, type CheckJob } from './check-texts.ts';

parentPort?.on('message', (job: CheckJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(checkTexts(job));
});
