/** A client that streams one answer after the other, so that a test can see whether anything stalls it. */

import assert from 'node:assert/strict';
import { chatBody, chatUrl, chunksOf, send, type Body } from './ask.ts';

export interface Streaming {
  /** Pieces of text that have come so far. */
  readonly pieces: number;
  /** Milliseconds: the longest time without a piece, up to now, while an answer was being written. */
  readonly longestGap: number;
  /** Lets the current answer end; the first thing that went wrong is thrown. */
  stop(): Promise<void>;
}

/** Resolves with the first piece. `check` sees each whole stream. */
export async function keepStreaming(
  server: { readonly url: string },
  body: Body,
  check: (stream: string) => void = () => {},
): Promise<Streaming> {
  const first = Promise.withResolvers<void>();
  let pieces = 0;
  let longestGap = 0;
  let last: number | null = null;
  const stopped = new AbortController();
  const readOne = async (seed: number): Promise<void> => {
    const response = await send(chatUrl(server), chatBody({ ...body, seed, stream: true }));
    assert.ok(response.status === 200 && response.body !== null, `status ${response.status}`);
    let text = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (!part.includes('"content":"')) continue;
      pieces += 1;
      const now = performance.now();
      if (last !== null) longestGap = Math.max(longestGap, now - last);
      last = now;
      first.resolve();
    }
    last = null;
    chunksOf(text);
    check(text);
  };
  const all = (async () => {
    for (let seed = 1; !stopped.signal.aborted; seed += 1) await readOne(seed);
  })();
  all.catch(first.reject);
  await first.promise;
  return {
    get pieces() {
      return pieces;
    },
    get longestGap() {
      return last === null ? longestGap : Math.max(longestGap, performance.now() - last);
    },
    async stop() {
      stopped.abort();
      await all;
    },
  };
}
