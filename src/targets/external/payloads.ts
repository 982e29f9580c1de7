/** The `data:` payloads of an upstream's event stream, whatever way its bytes were cut. */

import { createParser } from 'eventsource-parser';
import { ParlanceError } from '../../contract/index.ts';

export async function* readPayloads(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let ready: string[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event.data) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    const payloads = ready;
    ready = [];
    yield* payloads;
  }
}

export const streamCut = (origin: string): ParlanceError =>
  new ParlanceError(
    'upstream_failed',
    `The upstream at ${origin} ended its answer before every choice was complete.`,
  );
