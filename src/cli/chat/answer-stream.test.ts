/** Chunks to parts, and whole streams from a fake server cut at odd places. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import {
  always,
  beginStream,
  chunkOf,
  errorOf,
  streamOf,
  withFakeServer,
  type Handlers,
} from '../testing/fake-server.ts';
import { parseChunk, streamAnswer, type AnswerPart } from './answer-stream.ts';

const question = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] as const };

async function collect(handler: Handlers[string], key: string | null = null) {
  return await withFakeServer({ 'POST /v1/chat/completions': handler }, async ({ url, asked }) => {
    const parts: AnswerPart[] = [];
    const signal = new AbortController().signal;
    const stream = streamAnswer({ url, key }, { ...question, parameters: { top_k: 3 } }, signal);
    for await (const part of stream) parts.push(part);
    return { parts, asked };
  });
}

const refused = (reason: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ParlanceError, String(error));
  assert.equal(error.reason, reason);
  assert.match(error.message, message);
  return true;
};

describe('a whole answer', () => {
  test('gives its text and its end, and asks with parameters and key', async () => {
    const { parts, asked } = await collect(streamOf(['Hel', 'lo']), 'sk-x');
    assert.deepEqual(parts, [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'finished', finishReason: 'stop' },
    ]);
    assert.equal(asked[0]?.authorization, 'Bearer sk-x');
    assert.deepEqual(asked[0]?.body, { ...question, top_k: 3, stream: true });
  });

  test('reads characters and events that are cut anywhere', async () => {
    const bytes = Buffer.from(`${chunkOf({ content: 'Zürich — 東京 🙂' })}data: [DONE]\n\n`);
    const { parts } = await collect(({ response }) => {
      beginStream(response);
      response.flushHeaders();
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    assert.deepEqual(parts[0], { type: 'text', text: 'Zürich — 東京 🙂' });
  });

  test('reasoning comes before text', () => {
    const { parts } = parseChunk(chunkOf({ reasoning_content: 'Hm', content: 'A' }).slice(6));
    assert.deepEqual(parts, [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'A' },
    ]);
  });

  test('a chunk without choices says nothing', () => {
    assert.deepEqual(parseChunk('{"choices":[],"usage":{}}'), { parts: [], finishReason: null });
  });
});

describe('what goes wrong', () => {
  test('a refusal has the reason and the message of the server', async () => {
    const handler = always(400, errorOf('unsupported_parameter', 'top_k cannot be honoured.'));
    await assert.rejects(collect(handler), refused('unsupported_parameter', /^top_k cannot/));
  });

  test('a reason of another version is no riddle', async () => {
    const handler = always(400, errorOf('from_the_future', 'No.'));
    await assert.rejects(collect(handler), refused('upstream_failed', /^No\.$/));
  });

  test('an error in mid-stream ends the answer', async () => {
    const handler: Handlers[string] = ({ response }) => {
      beginStream(response);
      const error = `data: ${JSON.stringify(errorOf('engine_failed', 'The engine ended.'))}\n\n`;
      response.end(chunkOf({ content: 'Hel' }) + error);
    };
    await assert.rejects(collect(handler), refused('engine_failed', /^The engine ended\.$/));
  });

  test('a stream without an end is not taken for a whole answer', async () => {
    const handler: Handlers[string] = ({ response }) => {
      beginStream(response);
      response.end(chunkOf({ content: 'Hel' }));
    };
    await assert.rejects(collect(handler), refused('upstream_failed', /broke off/));
  });

  test('a connection that breaks', async () => {
    const handler: Handlers[string] = ({ response }) => {
      beginStream(response);
      response.write(chunkOf({ content: 'Hel' }), () => response.destroy());
    };
    await assert.rejects(collect(handler), refused('upstream_failed', /failed|broke off/));
  });

  test('something that is no Parlance', async () => {
    const handler: Handlers[string] = ({ response }) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<h1>Bad gateway</h1>');
    };
    await assert.rejects(
      collect(handler),
      refused('upstream_failed', /does not look like Parlance \(HTTP 502, text\/html\)/),
    );
  });

  test('aborting closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const handlers: Handlers = {
      'POST /v1/chat/completions': ({ response }) => {
        response.once('close', () => closed.resolve());
        beginStream(response);
        response.write(chunkOf({ content: 'Hel' }));
      },
    };
    await withFakeServer(handlers, async ({ url }) => {
      const controller = new AbortController();
      const stream = streamAnswer(
        { url, key: null },
        { ...question, parameters: {} },
        controller.signal,
      );
      await stream.next();
      controller.abort();
      await assert.rejects(stream.next(), { name: 'AbortError' });
      await closed.promise;
    });
  });
});
