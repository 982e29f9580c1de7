/**
 * The thread in which finished texts are verified. It answers each job in turn and keeps what it
 * compiled; whoever started it ends it when a job takes too long. It has no environment.
 */

import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

import { asParlanceError } from '../../contract/errors.ts';
import { SpecVerifiers } from './spec-verifier.ts';
import type { VerifyAnswer, VerifyJob } from './verifier.ts';

const verifiers = new SpecVerifiers((spec) =>
  createHash('sha256').update(JSON.stringify(spec)).digest('base64'),
);

function answer({ id, spec, text }: VerifyJob): VerifyAnswer {
  try {
    return {
      type: 'verdict',
      id,
      verdict: text === null ? verifiers.compile(spec) : verifiers.verify(spec, text),
    };
  } catch (error) {
    const { reason, message, keyword } = asParlanceError(error);
    return { type: 'failed', id, reason, message, keyword };
  }
}

parentPort?.on('message', (job: VerifyJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer(job));
});
