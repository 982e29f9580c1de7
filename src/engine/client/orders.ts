/**
 * Orders to one engine process that are answered by `done`: adapters come and go, contexts are
 * exported. The supervised engine owns one; requests are in `request-table.ts`.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { FromEngine, ToEngine } from '../protocol.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** An order before it has its number. */
export type Order = WithoutId<
  Extract<ToEngine, { type: 'load-adapter' | 'unload-adapter' | 'export-context' }>
>;

type Settle = Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>;

export class Orders {
  readonly #waiting = new Map<number, Settle>();

  /** Resolves when the engine has done it, rejects with the engine's own error. */
  open(id: number, send: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(id, { resolve, reject });
    send();
    return promise;
  }

  receive({ id, error }: Extract<FromEngine, { type: 'done' }>): void {
    const order = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === null) order?.resolve();
    else order?.reject(new ParlanceError(error.reason, error.message));
  }

  /** The process is gone. */
  failAll(error: ParlanceError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
