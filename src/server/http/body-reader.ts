/**
 * Reads a request's body as text, within a size and a patience. Stops at the limit; what happens to
 * the rest of the body, and to the connection, is for the error writer.
 */

import type { IncomingMessage } from 'node:http';

import { ParlanceError } from '../../contract/index.ts';
import type { Timers } from './timers.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** The longest silence, in milliseconds. */
  readonly patienceMs: number;
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

const left = (): ParlanceError =>
  new ParlanceError('cancelled', 'The client left before its body was complete.');

/**
 * @throws ParlanceError `body_too_large`, `request_timeout`, `invalid_json` (not UTF-8), or
 *   `cancelled` when the client left
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  timers: Timers,
): Promise<string> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  return decode(await receive(request, limits, timers));
}

function receive(
  request: IncomingMessage,
  limits: BodyLimits,
  timers: Timers,
): Promise<readonly Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[]>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = timers.start(() => reject(tooSlow(limits.patienceMs)), limits.patienceMs);
  const onData = (chunk: Buffer): void => {
    timer.refresh();
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > limits.maxBytes) reject(tooLarge(limits.maxBytes));
  };
  const onEnd = (): void => resolve(chunks);
  const onClose = (): void => reject(left());
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  return promise.finally(() => {
    timer.cancel();
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

function decode(chunks: readonly Buffer[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ParlanceError('invalid_json', 'The body is not valid UTF-8; JSON is sent in UTF-8.');
  }
}
