/** Whatever is wrong with a request, the answer has the one shape; over real sockets. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  get,
  post,
  textOf,
  type Reply,
} from '../support/ask.ts';
import { untilLoad } from '../support/load.ts';
import { openStream } from '../support/open-stream.ts';
import { openSocket, parseReply, requestHead } from '../support/raw-socket.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { narrowBody, narrowQueue, narrowServer } from '../support/shared-server.ts';

let server: ServerProcess;

const chat = (body: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  post(chatUrl(server), body, { headers });

async function raw(bytes: string | Uint8Array, end = false): Promise<Reply> {
  const { socket, text } = await openSocket(server.port, bytes);
  if (end) socket.end();
  const reply = parseReply(await text);
  return reply;
}

/** Status and reason, and what the message must say. */
function check(reply: Reply, status: number, reason: string, words: RegExp = /./): void {
  const error = errorOf(reply);
  assert.deepEqual([reply.status, error.reason], [status, reason], reply.text);
  assert.match(error.message, words);
}

describe('errors', () => {
  before(async () => {
    server = await narrowServer();
  });

  it('a body that is no JSON is told where', async () => {
    check(await chat('{"model": "m",\n  "messages": [}'), 400, 'invalid_json', /line 2/);
    check(await chat(''), 400, 'invalid_json');
    check(await chat('[]'), 400, 'invalid_value');
    check(await chat('"text"'), 400, 'invalid_value');
    check(await chat('{"model": "m"} more'), 400, 'invalid_json');
    const bytes = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    const head = requestHead('/v1/chat/completions', bytes.length, { connection: 'close' });
    check(await raw(Buffer.concat([Buffer.from(head), bytes])), 400, 'invalid_json', /UTF-8/);
  });

  it('a wrong field is named with what is expected, and the others are counted', async () => {
    const body = {
      model: 'm',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: [{ type: 'img_url', image_url: { url: 'x' } }] },
      ],
      temperature: 'hot',
    };
    const reply = await chat(JSON.stringify(body));
    check(reply, 400, 'invalid_value');
    const { message, param } = errorOf(reply);
    assert.ok(
      message.startsWith(
        'messages[2].content[0].type: expected one of "text", "image_url", "file", "input_audio", got "img_url" (did you mean "image_url"?)',
      ),
      message,
    );
    assert.equal(param, 'messages[2].content[0].type');
    assert.match(message, /1 other problem/);
  });

  it('two fields that contradict each other are both named', async () => {
    const conflicts: [Record<string, unknown>, RegExp][] = [
      [{ prompt: 'x' }, /`messages` and `prompt`/],
      [{ stream_options: { include_usage: true } }, /`stream_options` needs `stream: true`/],
      [{ top_logprobs: 2 }, /`top_logprobs` needs `logprobs: true`/],
      [{ guided_regex: 'a', guided_choice: ['a'] }, /`guided_regex` and `guided_choice`/],
      [
        { chat_template_kwargs: { a: 1 }, chat_template_args: { a: 2 } },
        /`chat_template_kwargs` and `chat_template_args`/,
      ],
      [{ min_tokens: 100, max_tokens: 3 }, /`min_tokens`.*`max_tokens`/],
      [{ n: 3, best_of: 2 }, /`best_of`.*`n`/],
    ];
    for (const [extra, words] of conflicts) {
      check(await chat(JSON.stringify(chatBody(extra))), 400, 'conflicting_fields', words);
    }
  });

  it('a token that is not in the vocabulary, in every field that takes tokens', async () => {
    const outside = 49_152;
    const fields = ['stop_token_ids', 'eos_token_id', 'bad_token_ids'];
    const bodies = [
      ...fields.map((field) => ({ [field]: [outside] })),
      { logit_bias: { [outside]: 1 } },
      { messages: null, prompt: [1, outside] },
    ];
    for (const body of bodies) {
      const reply = await chat(JSON.stringify(chatBody(body)));
      check(reply, 400, 'invalid_token_id', /49152/);
      const field = Object.keys(body).find((name) => name !== 'messages') ?? '';
      assert.ok(errorOf(reply).param?.startsWith(field), reply.text);
    }
  });

  it('routes and methods that are not there', async () => {
    check(
      await get(`${server.url}/v1/chat/completion`),
      404,
      'unknown_route',
      /\/v1\/chat\/completions/,
    );
    const wrong = await get(chatUrl(server));
    check(wrong, 405, 'method_not_allowed');
    assert.match(wrong.headers['allow'] ?? '', /\bPOST\b/);
    const options = await fetch(chatUrl(server), { method: 'OPTIONS' });
    assert.equal(options.status, 405);
    assert.equal(options.headers.get('access-control-allow-origin'), null);
    await options.body?.cancel();
    check(
      await post(chatUrl(server), chatBody({ model: 'nothing' })),
      404,
      'unknown_model',
      /smollm2-135m/,
    );
  });

  it('a body of another kind, and one that is compressed', async () => {
    check(await chat('a=1', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
    check(await chat('x', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type', /gzip/);
  });

  it('a body over the limit, announced or not, is answered though more is coming', async () => {
    const big = JSON.stringify(chatBody({ user: 'x'.repeat(narrowBody) }));
    check(await chat(big), 413, 'body_too_large', /65536|64/);
    const head = requestHead('/v1/chat/completions', 100 * narrowBody);
    check(await raw(head + 'x'.repeat(narrowBody * 2)), 413, 'body_too_large');
    const chunked = head.replace(/content-length: \d+/, 'transfer-encoding: chunked');
    const piece = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    check(await raw(chunked + piece.repeat(4)), 413, 'body_too_large');
  });

  it('what is no HTTP at all', async () => {
    check(await raw('\u0016\u0003\u0001 hello\r\n\r\n'), 400, 'malformed_request');
    check(await raw('GET / HTTP/9.9\r\n\r\n'), 400, 'malformed_request');
    const huge = `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`;
    check(await raw(huge), 431, 'malformed_request');
    const short = requestHead('/v1/chat/completions', 100);
    check(await raw(`${short}{"model`, true), 400, 'malformed_request');
  });

  it('a header that means nothing', async () => {
    const reply = await chat(JSON.stringify(chatBody()), { 'x-parlance-unsupported': 'maybe' });
    check(reply, 400, 'invalid_header', /"warn"/);
  });

  it('too many waiting: 503 with retry-after, and those that wait are answered', async () => {
    const stream = await openStream(server);
    const waiting = Array.from({ length: narrowQueue }, () => complete(server));
    await untilLoad(server, 1, narrowQueue);
    for (const extra of [{}, { stream: true }]) {
      const reply = await post(chatUrl(server), chatBody(extra));
      check(reply, 503, 'queue_full');
      assert.match(reply.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    }
    stream.leave();
    for (const answer of await Promise.all(waiting)) assert.match(textOf(answer), /Paris/);
    await untilLoad(server, 0, 0);
  });

  it('after all of this it answers as before', async () => {
    assert.match(textOf(await complete(server)), /Paris/);
    // What clients do wrong is nothing that the operator has to read as an error.
    const lines = server
      .stderr()
      .split('\n')
      .filter((line) => line !== '');
    const levels = lines.map((line) => (JSON.parse(line) as { level: string }).level);
    assert.deepEqual(
      levels.filter((level) => level !== 'warn'),
      [],
    );
  });
});
