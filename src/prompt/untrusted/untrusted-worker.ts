/**
 * The thread in which a request's own template runs. It gets a job and answers once; it has no
 * environment, and whoever started it ends it when it takes too long.
 */

import { parentPort } from 'node:worker_threads';
import { asParlanceError } from '../../contract/errors.ts';
import { compileTemplate } from '../chat-template.ts';
import { composePrompt, createComposer } from '../compose-prompt.ts';
import type { UntrustedJob, UntrustedResult } from './render-untrusted.ts';

function answer({ source, special, input }: UntrustedJob): UntrustedResult {
  try {
    const composer = createComposer(compileTemplate(source), source, special);
    return { type: 'rendered', ...composePrompt(composer, input) };
  } catch (error) {
    const { reason, message, param } = asParlanceError(error);
    return { type: 'failed', reason, message, param };
  }
}

parentPort?.on('message', (job: UntrustedJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer(job));
});
const ready: UntrustedResult = { type: 'ready' };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(ready);
