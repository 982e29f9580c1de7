/** The agreement between `chat` and `serve`, with the real server and the real model. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { withFolder } from '../testing/run-cli.ts';
import { streamAnswer, type AnswerPart } from './answer-stream.ts';
import { startOwnServer } from './own-server.ts';

const model = process.env['PARLANCE_TEST_MODEL'];
assert.ok(model, 'PARLANCE_TEST_MODEL must name the .gguf file of the test model');

test('a server of the chat’s own answers, and is gone when it is stopped', async () => {
  await withFolder(async (home) => {
    const own = await startOwnServer({
      args: ['--home', home, '--model', model, '--slots', '1', '--context', '512'],
      env: { PATH: process.env['PATH'] },
      signal: new AbortController().signal,
    });
    try {
      const listed = (await (await fetch(`${own.url}/v1/models`)).json()) as {
        data: { id: string }[];
      };
      const parts: AnswerPart[] = [];
      const question = {
        model: listed.data[0]?.id ?? '',
        messages: [{ role: 'user', content: 'Count to five.' }] as const,
        parameters: { max_tokens: 4, temperature: 0 },
      };
      const server = { url: own.url, key: null };
      const signal = new AbortController().signal;
      for await (const part of streamAnswer(server, question, signal)) parts.push(part);
      assert.ok(parts.some(({ type }) => type === 'text'));
      assert.deepEqual(parts.at(-1), { type: 'finished', finishReason: 'length' });
    } finally {
      await own.stop();
    }
    await assert.rejects(fetch(`${own.url}/health`));
  });
});
