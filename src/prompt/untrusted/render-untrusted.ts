/**
 * Templates that come with a request run here, in a worker: however one behaves, no other request waits
 * for it but those that bring a template too. The renderer calls this.
 */

import { ParlanceError, type Reason } from '../../contract/errors.ts';
import type { PromptInput, Rendered, SpecialTokens } from '../prompt-input.ts';
import { createWorkerPool, WorkerLost } from '../workers/worker-pool.ts';

export interface UntrustedJob {
  readonly source: string;
  readonly special: SpecialTokens;
  readonly input: PromptInput;
}

/** What the worker answers; errors lose their class on the way between threads. */
export type UntrustedResult =
  | { readonly type: 'rendered'; readonly rendered: Rendered }
  | {
      readonly type: 'failed';
      readonly reason: Reason;
      readonly message: string;
      readonly param: string | null;
    };

export interface UntrustedRenderer {
  /** @throws ParlanceError `invalid_template` (param `chat_template`), or the signal's reason */
  render(job: UntrustedJob, signal: AbortSignal): Promise<Rendered>;
  /** Starts the worker before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

/** Characters; the limits of the template engine come after this one. */
const maxSource = 1_000_000;

const refusal = (why: string): ParlanceError =>
  new ParlanceError('invalid_template', `The chat template ${why}.`, { param: 'chat_template' });

/** @param milliseconds that one render may take, the worker's start not counted */
export function createUntrustedRenderer(milliseconds = 1000): UntrustedRenderer {
  const pool = createWorkerPool<UntrustedJob, UntrustedResult>({
    module: new URL('./untrusted-worker.ts', import.meta.url),
    size: 2,
    milliseconds,
    megabytes: 256,
    keep: true,
  });
  return {
    async render(job, signal) {
      if (job.source.length > maxSource) throw refusal(`is longer than ${maxSource} characters`);
      const result = await pool.run(job, signal).catch((error: unknown) => {
        throw error instanceof WorkerLost ? refusal(error.why) : error;
      });
      if (result.type === 'rendered') return result.rendered;
      const { reason, message, param } = result;
      throw new ParlanceError(reason, message, { param: param ?? 'chat_template' });
    },
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}
