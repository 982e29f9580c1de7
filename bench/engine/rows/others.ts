/** Streams that decode while something else is measured. */

import { streamChat } from '../chat-stream.ts';
import type { RunningServer } from '../contenders/contender.ts';
import { makePrompt } from '../prompts.ts';

export interface Others {
  readonly streams: number;
  readonly seed: number;
  /** Enough for the streams to outlast the work. */
  readonly maxTokens: number;
  /** Called with the stream's number and the time of each piece of its text. */
  readonly onPiece?: (stream: number, at: number) => void;
}

/** Starts the streams, waits until all have begun, does the work, and ends them. */
export async function whileOthersDecode<T>(
  server: RunningServer,
  { streams, seed, maxTokens, onPiece }: Others,
  work: () => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const begun: Promise<void>[] = [];
  const running = Array.from({ length: streams }, (_, stream) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    return streamChat(server, {
      messages: makePrompt(seed + stream, 60),
      maxTokens,
      signal: ending.signal,
      onPiece: (at) => {
        resolve();
        onPiece?.(stream, at);
      },
    });
  });
  try {
    // A stream that fails would otherwise never begin.
    await Promise.race([Promise.all(begun), Promise.all(running)]);
    return await work();
  } finally {
    ending.abort();
    await Promise.all(running);
  }
}
