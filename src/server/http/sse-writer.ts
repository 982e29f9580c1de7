/**
 * Writes server-sent events. Headers are held until there is something to send, so that a refusal
 * can still be a plain JSON error. A comment goes out after each silence; it and every event are
 * whole when they are written. Waits for a slow reader, but never for one that is gone.
 */

import type { ServerResponse } from 'node:http';

import { toErrorBody } from '../../contract/index.ts';
import type { Timer, Timers } from './timers.ts';

/** The part of a response that the writer uses. */
export type SseResponse = Pick<
  ServerResponse,
  'writeHead' | 'write' | 'end' | 'once' | 'off' | 'headersSent' | 'destroyed'
>;

export interface SseOptions {
  readonly heartbeatMs: number;
  readonly timers: Timers;
  /** Aborted when the client left or the server gives up; nothing waits after that. */
  readonly signal: AbortSignal;
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

const heartbeat = ': keep-alive\n\n';

export class SseWriter {
  readonly #response: SseResponse;
  readonly #options: SseOptions;
  readonly #timer: Timer;
  #blocked = false;
  #ended = false;

  /** Begins to count the silence at once. */
  constructor(response: SseResponse, options: SseOptions) {
    this.#response = response;
    this.#options = options;
    this.#timer = options.timers.start(() => this.#beat(), options.heartbeatMs);
  }

  /** Whether the client has seen headers: an error must then be an event. */
  get started(): boolean {
    return this.#response.headersSent;
  }

  /** Sends payloads as one event each, in one write. Settles when more may be sent. */
  async send(payloads: readonly string[]): Promise<void> {
    if (payloads.length === 0) return;
    let text = '';
    for (const payload of payloads) text += `data: ${payload}\n\n`;
    if (!this.#write(text)) await this.#drained();
  }

  /** Ends the stream as finished. */
  done(): void {
    this.#write('data: [DONE]\n\n');
    this.#end();
  }

  /** Ends the stream with an error event and without `[DONE]`. */
  fail(error: unknown): void {
    this.#write(`data: ${JSON.stringify(toErrorBody(error))}\n\n`);
    this.#end();
  }

  /** Ends the writing without a word: the client is gone, or gets its answer in another form. */
  stop(): void {
    this.#ended = true;
    this.#timer.cancel();
  }

  #end(): void {
    if (this.#ended) return;
    this.stop();
    this.#response.end();
  }

  #beat(): void {
    // A reader that does not take what it has needs no sign of life.
    if (!this.#blocked) this.#write(heartbeat);
    if (!this.#ended) this.#timer.refresh();
  }

  /** @returns false where the reader is slow */
  #write(text: string): boolean {
    if (this.#ended || this.#response.destroyed) return true;
    if (!this.#response.headersSent) this.#response.writeHead(200, headers);
    this.#timer.refresh();
    return this.#response.write(text);
  }

  /** After a client has left, `drain` never comes: `close` and the signal end the wait as well. */
  #drained(): Promise<void> {
    const { signal } = this.#options;
    const response = this.#response;
    if (signal.aborted || response.destroyed) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = (): void => resolve();
    this.#blocked = true;
    response.once('drain', go).once('close', go);
    signal.addEventListener('abort', go, { once: true });
    return promise.finally(() => {
      this.#blocked = false;
      response.off('drain', go).off('close', go);
      signal.removeEventListener('abort', go);
    });
  }
}
