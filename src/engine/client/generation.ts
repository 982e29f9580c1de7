/**
 * One generation as the server sees it: steps come in from the engine's messages, go out to whoever
 * iterates, and end exactly once. The client makes one for each request; nothing here sends.
 */

import type { Accepted, ChoiceStep } from '../protocol.ts';

export interface Generation {
  readonly accepted: Accepted;
  /** All steps since the last read together. Throws a catalogued error where the request fails. */
  readonly steps: AsyncIterable<readonly ChoiceStep[]>;
}

/** A queue of steps with one reader. */
export class StepStream implements AsyncIterableIterator<readonly ChoiceStep[]> {
  #steps: ChoiceStep[] = [];
  #ended = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;
  readonly #onAbandon: () => void;

  /** `onAbandon` is called when the reader stops before the end. */
  constructor(onAbandon: () => void) {
    this.#onAbandon = onAbandon;
  }

  push(steps: readonly ChoiceStep[]): void {
    if (this.#ended) return;
    this.#steps.push(...steps);
    this.#notify();
  }

  /** What was pushed before is still read. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** The reader gets the error at once. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#steps = [];
    this.#notify();
  }

  async next(): Promise<IteratorResult<readonly ChoiceStep[]>> {
    while (this.#steps.length === 0 && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    if (this.#error !== null) throw this.#error;
    if (this.#steps.length === 0) return { done: true, value: undefined };
    const value = this.#steps;
    this.#steps = [];
    return { done: false, value };
  }

  return(): Promise<IteratorResult<readonly ChoiceStep[]>> {
    if (!this.#ended) this.#onAbandon();
    this.#ended = true;
    this.#steps = [];
    this.#notify();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
