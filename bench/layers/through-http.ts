/** Sends the bench's requests to a chat route over HTTP, as a client would, and reads the stream. */

import { Agent, request } from 'undici';

import { readEvents } from '../../src/event-stream/index.ts';
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
    for await (const events of readEvents(answer.body)) {
      for (const data of events) {
        if (/"delta":\{"content":/.test(data)) onToken(performance.now());
      }
    }
  };
}
