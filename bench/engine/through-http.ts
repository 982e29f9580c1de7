/** Sends the bench's requests to a chat route over HTTP, as a client would, and reads the stream. */

import { createParser } from 'eventsource-parser';
import { Agent, request } from 'undici';

import type { SendRequest } from './measure.ts';
import { generatedTokens, makeMessages } from './workload.ts';

/** @param url of the server, without a path */
export function sendThroughHttp(url: string, model: string): SendRequest {
  const dispatcher = new Agent({ connections: 64 });
  return async (index, onToken) => {
    const answer = await request(`${url}/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: makeMessages(index),
        temperature: 0,
        max_tokens: generatedTokens,
        ignore_eos: true,
        stream: true,
      }),
    });
    if (answer.statusCode !== 200) throw new Error(await answer.body.text());
    const parser = createParser({
      onEvent: ({ data }) => {
        if (/"delta":\{"content":/.test(data)) onToken(performance.now());
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of answer.body) {
      parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
    }
  };
}
