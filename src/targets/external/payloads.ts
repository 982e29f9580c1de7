/** The `data:` payloads of an upstream's event stream, whatever way its bytes were cut. */

import { createParser } from 'eventsource-parser';
import { ParlanceError } from '../../contract/index.ts';
import type { UpstreamAnswer } from './upstream.ts';

export const isEndMark = (payload: string): boolean => payload.trim() === '[DONE]';

/** How long an upstream may take to end its body after the end mark. */
const lingerMs = 500;

/**
 * Payloads in order, the end mark included. The body is read to its own end, which follows the mark at
 * once: only a connection that was read whole can be used again. Whoever stops early closes it.
 */
export async function* readPayloads(
  answer: Pick<UpstreamAnswer, 'body' | 'close'>,
): AsyncGenerator<string> {
  let ready: string[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event.data) });
  const decoder = new TextDecoder();
  const body = answer.body[Symbol.asyncIterator]();
  let whole = false;
  try {
    while (!whole) {
      const next = await body.next();
      if (next.done === true) {
        whole = true;
        return;
      }
      parser.feed(decoder.decode(next.value, { stream: true }));
      const payloads = ready;
      ready = [];
      if (payloads.some(isEndMark)) whole = await endsSoon(body);
      yield* payloads;
      if (payloads.some(isEndMark)) return;
    }
  } finally {
    if (!whole) answer.close();
  }
}

/** Reads what is left for a moment. @returns whether the end came */
async function endsSoon(body: AsyncIterator<Uint8Array>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), lingerMs);
  void readOn(body).then(resolve);
  const ended = await promise;
  clearTimeout(timer);
  return ended;
}

/** What comes after the end mark is nobody's; a break there loses nothing. */
async function readOn(body: AsyncIterator<Uint8Array>): Promise<boolean> {
  try {
    while ((await body.next()).done !== true);
    return true;
  } catch {
    return false;
  }
}

export const streamCut = (origin: string): ParlanceError =>
  new ParlanceError(
    'upstream_failed',
    `The upstream at ${origin} ended its answer before every choice was complete.`,
  );
