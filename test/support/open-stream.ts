/** A stream that is read piece by piece, so that a test can act in its middle. */

import assert from 'node:assert/strict';
import { chatBody, chatUrl, chunksOf, joined, send, type Body } from './ask.ts';
import { within } from './wait-until.ts';

/** Goes on for as long as the context lasts, unless it is ended. */
export const endless: Body = {
  ignore_eos: true,
  max_tokens: 900,
  messages: [{ role: 'user', content: 'Tell me a long story.' }],
};

export interface OpenStream {
  /** Everything to its end; what came before is in it. */
  rest(): Promise<string>;
  /** The client leaves. */
  leave(): void;
}

/** Resolves once the first text is there, so that its request is decoding. */
export async function openStream(
  server: { readonly url: string },
  extra: Body = {},
): Promise<OpenStream> {
  const controller = new AbortController();
  const body = chatBody({ ...endless, ...extra, stream: true });
  const response = await send(chatUrl(server), body, { signal: controller.signal });
  assert.equal(response.status, 200);
  assert.ok(response.body !== null);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async (): Promise<boolean> => {
    const { done, value } = await within('more of the stream', reader.read(), 60_000);
    text += value ?? '';
    return !done;
  };
  while (!/"content":"[^"]/.test(text)) assert.ok(await read(), text);
  return {
    async rest() {
      while (await read());
      return text;
    },
    leave: () => controller.abort(),
  };
}

/** The text of a stream that ended well. */
export const finishedText = (stream: string): string => joined(chunksOf(stream));
