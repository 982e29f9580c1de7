/**
 * Reads a request's body as text, within a size and a patience. Stops at the limit; what happens to
 * the rest of the body, and to the connection, is for the error writer.
 */

import type { IncomingMessage } from 'node:http';

import { ParlanceError } from '../../contract/index.ts';
import type { Timers } from './timers.ts';

export interface BodyOptions {
  readonly maxBytes: number;
  /** The longest silence, in milliseconds. */
  readonly patienceMs: number;
  readonly timers: Timers;
  /** Aborted when the client left or the connection broke: no event of the request may tell. */
  readonly signal: AbortSignal;
}

function tooLarge(limit: number): ParlanceError {
  return new ParlanceError(
    'body_too_large',
    `The body is over the limit of ${limit} bytes; send less, or start the server with a higher --max-body.`,
  );
}

function tooSlow(patienceMs: number): ParlanceError {
  return new ParlanceError(
    'request_timeout',
    `Nothing of the body came for ${patienceMs / 1000} s; send it without pauses.`,
  );
}

/**
 * @throws ParlanceError `body_too_large`, `request_timeout`, `invalid_json` (not UTF-8), or the
 *   signal's reason
 */
export async function readBody(request: IncomingMessage, options: BodyOptions): Promise<string> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > options.maxBytes) throw tooLarge(options.maxBytes);
  return decode(await receive(request, options));
}

function receive(request: IncomingMessage, options: BodyOptions): Promise<readonly Buffer[]> {
  const { maxBytes, patienceMs, timers, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[]>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = timers.start(() => reject(tooSlow(patienceMs)), patienceMs);
  const onData = (chunk: Buffer): void => {
    timer.refresh();
    bytes += chunk.length;
    if (bytes > maxBytes) reject(tooLarge(maxBytes));
    else chunks.push(chunk);
  };
  const onEnd = (): void => resolve(chunks);
  const onAbort = (): void => reject(signal.reason as ParlanceError);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  request.on('data', onData).on('end', onEnd);
  return promise.finally(() => {
    timer.cancel();
    request.off('data', onData).off('end', onEnd);
    signal.removeEventListener('abort', onAbort);
  });
}

function decode(chunks: readonly Buffer[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ParlanceError('invalid_json', 'The body is not valid UTF-8; JSON is sent in UTF-8.');
  }
}
