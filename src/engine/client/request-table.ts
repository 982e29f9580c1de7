/**
 * The requests that one engine process has, by their number: where each answer goes, and when it is
 * over. The supervised engine feeds it messages; a new process begins with an empty one.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { ChoiceStep, FromEngine, GenerateRequest } from '../protocol.ts';
import { StepStream, type Generation } from './generation.ts';

interface Entry {
  readonly stream: StepStream;
  readonly resolve: (generation: Generation) => void;
  readonly reject: (error: Error) => void;
  readonly detach: () => void;
  readonly dryRun: boolean;
  /** Choices that have not finished. */
  open: number;
}

type Answer = Extract<FromEngine, { type: 'accepted' | 'rejected' | 'step' | 'released' }>;

export interface RequestTableOptions {
  /** Tells the engine to free a request. */
  readonly cancel: (id: number) => void;
  readonly onReleased: (milliseconds: number) => void;
}

export class RequestTable {
  readonly #options: RequestTableOptions;
  readonly #entries = new Map<number, Entry>();
  /** Cancelled requests that the engine has not released, and when they were cancelled. */
  readonly #releasing = new Map<number, number>();

  constructor(options: RequestTableOptions) {
    this.#options = options;
  }

  /** Resolves when the engine accepts the request; `send` puts it on its way. */
  open(
    id: number,
    request: GenerateRequest,
    signal: AbortSignal,
    send: () => void,
  ): Promise<Generation> {
    const { promise, resolve, reject } = Promise.withResolvers<Generation>();
    const abort = (): void => this.#abandon(id, new ParlanceError('cancelled', 'The client left.'));
    signal.addEventListener('abort', abort, { once: true });
    this.#entries.set(id, {
      stream: new StepStream(() => abort()),
      resolve,
      reject,
      detach: () => signal.removeEventListener('abort', abort),
      dryRun: request.dryRun,
      open: request.choices,
    });
    send();
    return promise;
  }

  receive(message: Answer): void {
    switch (message.type) {
      case 'accepted': {
        const entry = this.#entries.get(message.id);
        if (entry?.dryRun) this.#close(message.id);
        entry?.resolve({ accepted: message.accepted, steps: entry.stream });
        return;
      }
      case 'rejected': {
        const { reason, message: words, param } = message;
        const detail = { ...(param === null ? {} : { param }), ...retry(reason) };
        this.#fail(message.id, new ParlanceError(reason, words, detail));
        return;
      }
      case 'step':
        for (const [id, steps] of Map.groupBy(message.choices, (step) => step.id)) {
          this.#push(id, steps);
        }
        return;
      case 'released':
        this.#release(message.id);
        return;
      default:
        message satisfies never;
    }
  }

  /** The process is gone, and with it everything it held. */
  failAll(error: ParlanceError): void {
    for (const id of this.#entries.keys()) this.#fail(id, error);
    for (const id of this.#releasing.keys()) this.#release(id);
  }

  #push(id: number, steps: readonly ChoiceStep[]): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.stream.push(steps);
    for (const { finish } of steps) entry.open -= finish === undefined ? 0 : 1;
    if (entry.open <= 0) this.#close(id);
  }

  #close(id: number): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.detach();
    entry?.stream.end();
  }

  #fail(id: number, error: ParlanceError): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.detach();
    entry?.reject(error);
    entry?.stream.fail(error);
  }

  #abandon(id: number, error: ParlanceError): void {
    if (!this.#entries.has(id)) return;
    this.#releasing.set(id, performance.now());
    this.#fail(id, error);
    this.#options.cancel(id);
  }

  #release(id: number): void {
    const since = this.#releasing.get(id);
    if (since === undefined) return;
    this.#releasing.delete(id);
    this.#options.onReleased(performance.now() - since);
  }
}

function retry(reason: string): { retryAfter?: number } {
  return reason === 'queue_full' || reason === 'model_loading' ? { retryAfter: 1 } : {};
}
