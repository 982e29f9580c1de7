import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';

import { decodeRate, gapsOf, streamChat } from './chat-stream.ts';

const result = (times: number[], completionTokens = times.length) => ({
  sentAt: 0,
  times,
  endedAt: times.at(-1) ?? 0,
  text: '',
  promptTokens: 1,
  cachedTokens: 0,
  completionTokens,
  choices: [],
});

test('decoding is counted while all streams decode', () => {
  // From 2,000 to 4,000 the first has 2 pieces and the second 4: 6 tokens in 2 seconds.
  const first = result([1000, 2000, 3000, 4000]);
  const second = result([2000, 2500, 3000, 3500, 4000, 9000]);
  assert.equal(decodeRate([first, second]), 3);
});

test('a piece of several tokens counts as several', () => {
  assert.equal(decodeRate([result([0, 1000, 2000, 3000, 4000], 10)]), 2);
});

test('gaps between pieces', () => {
  assert.deepEqual(gapsOf({ times: [5, 6, 9] }), [1, 3]);
});

/** Answers every connection with these bytes. */
async function serve(answer: string) {
  const server = createServer((socket) => socket.once('data', () => socket.end(answer)));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return {
    running: {
      name: 'fake',
      url: `http://127.0.0.1:${port}`,
      model: 'm',
      pid: 0,
      untilLength: () => ({}),
      stop: () => Promise.resolve(),
    },
    close: () => server.close(),
  };
}

const ask = { messages: [{ role: 'user', content: 'hi' }], maxTokens: 2 } as const;

test('text, usage and token choices are read from the stream', async () => {
  const events = [
    { choices: [{ delta: { role: 'assistant', content: null } }] },
    {
      choices: [
        {
          delta: { content: 'a' },
          logprobs: { content: [{ token: 'a', logprob: -1, top_logprobs: [] }] },
        },
      ],
    },
    { choices: [{ delta: { content: 'b' } }] },
    {
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    },
  ];
  const body = [...events.map((one) => JSON.stringify(one)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');
  const { running, close } = await serve(
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${body}`,
  );
  try {
    const answer = await streamChat(running, ask);
    assert.equal(answer.text, 'ab');
    assert.equal(answer.times.length, 2);
    assert.deepEqual(
      [answer.promptTokens, answer.cachedTokens, answer.completionTokens],
      [9, 4, 2],
    );
    assert.deepEqual(answer.choices, [{ token: 'a', logprob: -1, top: [] }]);
  } finally {
    close();
  }
});

test('a refusal fails with what the server said', async () => {
  const { running, close } = await serve(
    'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\nno such field',
  );
  try {
    await assert.rejects(streamChat(running, ask), /fake: 400 no such field/);
  } finally {
    close();
  }
});
