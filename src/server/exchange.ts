/**
 * One request on its way through the server: its parts, its signal, and what the log and the metrics
 * will say of it. Made by the app for each request; handlers fill the record and send one answer.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';

import { ParlanceError } from '../contract/index.ts';
import type { Usage } from '../targets/index.ts';
import { readBody } from './http/body-reader.ts';
import type { Timers } from './http/timers.ts';
import type { Services } from './services.ts';

/** Facts for the log line and the metrics, filled in as they become known. */
export interface ExchangeRecord {
  /** The pattern of the route, or `unmatched`. */
  route: string;
  model: string | null;
  target: string | null;
  usage: Usage | null;
  /** Of the API key. */
  keyId: string | null;
  /** Set where a target is asked to answer. */
  inference: {
    readonly id: string;
    readonly episodeId: string | null;
    readonly stream: boolean;
  } | null;
  receipt: string;
  finishReasons: string[];
  /** From the request's arrival to the first piece of its answer. */
  firstTokenSeconds: number | null;
}

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly services: Services;
  readonly timers: Timers;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly services: Services;
  readonly timers: Timers;
  readonly startedAt = performance.now();
  readonly record: ExchangeRecord = {
    route: 'unmatched',
    model: null,
    target: null,
    usage: null,
    keyId: null,
    inference: null,
    receipt: '',
    finishReasons: [],
    firstTokenSeconds: null,
  };
  /** Values of the path's parameters. */
  parameters: Readonly<Record<string, string>> = {};
  readonly #controller = new AbortController();
  readonly #expectsContinue: boolean;
  #left = false;

  constructor(options: ExchangeOptions) {
    this.request = options.request;
    this.response = options.response;
    this.id = options.id;
    this.services = options.services;
    this.timers = options.timers;
    this.#expectsContinue = options.expectsContinue;
    // A socket that breaks is seen as the response's `close`; unheard errors would end the process.
    this.request.on('error', () => {});
    this.response.on('error', () => {});
    this.response.once('close', () => {
      if (!this.response.writableFinished) this.#leave();
    });
  }

  /** Aborted when the client leaves before its answer is complete, or when the server gives up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasLeft(): boolean {
    return this.#left;
  }

  /** Seconds since the request arrived. */
  get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  /** A piece of the answer is there; the metrics want to know of the first. */
  pieceCame(): void {
    if (this.record.firstTokenSeconds !== null) return;
    this.record.firstTokenSeconds = this.seconds;
    this.services.metrics.firstToken(this.record.firstTokenSeconds);
  }

  /** Ends the request from our side; the client gets this error. */
  abort(reason: ParlanceError): void {
    this.#controller.abort(reason);
  }

  #leave(): void {
    this.#left = true;
    this.abort(new ParlanceError('cancelled', 'The client left before its answer was complete.'));
  }

  /** @throws ParlanceError, see `readBody` */
  async readText(): Promise<string> {
    const { maxBodyBytes: maxBytes, bodyTimeoutMs: patienceMs } = this.services.settings;
    const announced = Number(this.request.headers['content-length'] ?? 0);
    if (this.#expectsContinue && announced <= maxBytes) this.response.writeContinue();
    const { timers, signal } = this;
    return readBody(this.request, { maxBytes, patienceMs, timers, signal });
  }

  sendText(status: number, type: string, text: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
    });
    this.response.end(text);
  }

  sendJson(status: number, body: unknown): void {
    this.sendText(status, 'application/json; charset=utf-8', JSON.stringify(body));
  }
}
