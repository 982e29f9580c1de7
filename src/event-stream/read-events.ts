/**
 * Server-sent events out of bytes, whatever way these were cut. Whoever reads a stream uses it: targets
 * that answer with one, and the CLI. It knows nothing of what the events mean.
 */

import { createParser } from 'eventsource-parser';

/** The data of the events that each piece of the body completes, in order; often none. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let ready: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => ready.push(data) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    const complete = ready;
    ready = [];
    yield complete;
  }
}
