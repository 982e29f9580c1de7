/** The `data:` payloads of an upstream's event stream, up to its end mark. */

import { ParlanceError } from '../../contract/index.ts';
import { readEvents } from '../../event-stream/index.ts';
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
  const events = readEvents(answer.body);
  let whole = false;
  try {
    while (!whole) {
      const next = await events.next();
      if (next.done === true) {
        whole = true;
        return;
      }
      const payloads = next.value;
      const ended = payloads.some(isEndMark);
      if (ended) whole = await endsSoon(events);
      yield* payloads;
      if (ended) return;
    }
  } finally {
    if (!whole) answer.close();
  }
}

/** Reads what is left for a moment. @returns whether the end came */
async function endsSoon(events: AsyncIterator<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), lingerMs);
  void readOn(events).then(resolve);
  const ended = await promise;
  clearTimeout(timer);
  return ended;
}

/** What comes after the end mark is nobody's; a break there loses nothing. */
async function readOn(events: AsyncIterator<unknown>): Promise<boolean> {
  try {
    while ((await events.next()).done !== true);
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
