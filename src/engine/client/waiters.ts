/**
 * Requests that wait for an engine to come back: each until it does, until its client leaves, or
 * until its patience ends. The supervised engine owns one.
 */

import { ParlanceError } from '../../contract/errors.ts';

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: ParlanceError) => void;
}

export class Waiters {
  readonly #waiting = new Set<Waiter>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Rejects with `cancelled` on abort and with `model_loading` after `patienceMs`. */
  async wait(patienceMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { resolve, reject };
    const onAbort = (): void => reject(new ParlanceError('cancelled', 'The client left.'));
    const timer = setTimeout(() => {
      const words = 'The engine is still being restarted; try again soon.';
      reject(new ParlanceError('model_loading', words, { retryAfter: 5 }));
    }, patienceMs);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#waiting.delete(waiter);
    }
  }

  release(): void {
    for (const { resolve } of this.#waiting) resolve();
  }

  fail(error: ParlanceError): void {
    for (const { reject } of this.#waiting) reject(error);
  }
}
