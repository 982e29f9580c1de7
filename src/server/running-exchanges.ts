/** The requests that are on their way, so that the server can drain: wait for them, then end them. */

import { ParlanceError } from '../contract/index.ts';
import type { Exchange } from './exchange.ts';
import type { Timers } from './http/timers.ts';

export class RunningExchanges {
  readonly #running = new Set<Exchange>();
  #whenIdle: (() => void)[] = [];

  get size(): number {
    return this.#running.size;
  }

  add(exchange: Exchange): void {
    this.#running.add(exchange);
  }

  remove(exchange: Exchange): void {
    this.#running.delete(exchange);
    if (this.#running.size > 0) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }

  /** Settles when nothing runs; at once when nothing does. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle.push(resolve);
    return promise;
  }

  /** Settles when nothing runs, or after so many milliseconds. */
  async idleWithin(milliseconds: number, timers: Timers): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = timers.start(resolve, milliseconds);
    await Promise.race([this.idle(), promise]);
    timer.cancel();
  }

  abortAll(): void {
    for (const exchange of this.#running) {
      exchange.abort(
        new ParlanceError('shutting_down', 'The server is shutting down and ended this request.', {
          retryAfter: 5,
        }),
      );
    }
  }
}
