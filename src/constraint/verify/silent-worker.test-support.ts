/**
 * A verifier's thread for tests: it says in which thread a text was judged, and never ends with the text
 * `never`.
 */

import { parentPort, threadId } from 'node:worker_threads';

import type { VerifyAnswer, VerifyJob } from './verifier.ts';

parentPort?.on('message', ({ id, text }: VerifyJob) => {
  if (text === 'never') return;
  const verdict = { ok: false, reason: 'judged', keyword: String(threadId) } as const;
  const answer: VerifyAnswer = { type: 'verdict', id, verdict };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer);
});
