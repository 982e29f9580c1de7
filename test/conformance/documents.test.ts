/** The example requests of the four API documents, as they stand there, against the real model. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkAnswer, checkStream } from '../support/answer-shapes.ts';
import {
  chatUrl,
  errorOf,
  joined,
  model,
  post,
  receiptOf,
  textOf,
  type Body,
} from '../support/ask.ts';
import {
  curlRequestsOf,
  missing,
  readDocument,
  type CurlRequest,
} from '../support/contract-documents.ts';
import { sharedServer } from '../support/shared-server.ts';
import type { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;

/** Sends a document's request to our server; a function or model of its gateway keeps its prefix. */
function replay({ path, headers, body }: CurlRequest, extra: Body = {}) {
  const name = String(body['model']).replace(/^(tensorzero::\w+::)?.*$/, `$1${model}`);
  return post(`${server.url}${path}`, { ...body, model: name, ...extra }, { headers });
}

function requestsOf(number: '000' | '001' | '002'): CurlRequest[] {
  const found = curlRequestsOf(readDocument(number));
  assert.equal(found.length, { '000': 1, '001': 3, '002': 4 }[number]);
  for (const { method, path } of found) {
    assert.deepEqual([method, path], ['POST', '/v1/chat/completions']);
  }
  return found;
}

/** One request of a document, from 0. */
function nth(number: '000' | '001' | '002', at: number): CurlRequest {
  const found = requestsOf(number)[at];
  assert.ok(found !== undefined);
  return found;
}

describe('the example requests of the API documents', { skip: missing }, () => {
  before(async () => {
    server = await sharedServer();
  });

  it('000: a stream with max_completion_tokens and temperature', async () => {
    const reply = await replay(nth('000', 0));
    assert.equal(
      reply.headers['x-parlance-receipt'],
      'max_completion_tokens=honoured; temperature=honoured',
    );
    const chunks = checkStream('chat', reply);
    assert.match(joined(chunks), /\w/);
    assert.equal(chunks[0]?.model, model);
    assert.ok(chunks.every((chunk) => chunk.usage === undefined));
  });

  it('000: the example value of every field at once, but for a token that is not in the vocabulary', async () => {
    const fields = {
      max_completion_tokens: 100,
      temperature: 0.7,
      top_p: 0.95,
      top_k: 50,
      min_p: 0.05,
      min_tokens: 10,
      seed: 42,
      frequency_penalty: 0.5,
      repetition_penalty: 1.1,
      presence_penalty: 0.3,
      n: 1,
      eos_token_id: [2, 50256],
      stop: ['\n', '###'],
    };
    const document = readDocument('000');
    for (const [name, value] of Object.entries(fields)) {
      if (name !== 'n') assert.ok(document.includes(`${name}\n`), name);
      const shown = Array.isArray(value) ? JSON.stringify(value).replaceAll(',', ', ') : value;
      assert.ok(document.includes(String(shown)), `${name} ${String(shown)}`);
    }
    const outside = errorOf(await replay(nth('000', 0), fields));
    assert.deepEqual([outside.code, outside.reason], [400, 'invalid_token_id']);
    assert.match(outside.message, /50256/);
    const reply = await replay(nth('000', 0), { ...fields, eos_token_id: [2] });
    checkStream('chat', reply);
    const names = Object.keys(fields).filter((name) => name !== 'n');
    assert.deepEqual(
      (reply.headers['x-parlance-receipt'] ?? '').split('; ').toSorted(),
      names.map((name) => `${name}=honoured`).toSorted(),
    );
  });

  it('001: messages', async () => {
    const answer = checkAnswer('chat', await replay(nth('001', 0)));
    assert.equal(answer.model, model);
    assert.equal(answer.choices.length, 1);
    assert.match(textOf(answer), /\w/);
  });

  it('001: a stream', async () => {
    const chunks = checkStream('chat', await replay(nth('001', 1)));
    assert.match(joined(chunks), /\w/);
  });

  it('001: a raw prompt, whole and streamed', async () => {
    const answer = checkAnswer('prompt', await replay(nth('001', 2), { seed: 5 }));
    const [choice] = answer.choices;
    assert.equal(choice?.text, choice?.message.content);
    assert.ok((choice?.text ?? '').length > 0);
    const reply = await replay(nth('001', 2), { seed: 5, stream: true });
    assert.equal(joined(checkStream('prompt', reply)), choice?.text);
  });

  it('001: without max_tokens a raw prompt gets 16', async () => {
    const { max_tokens: _, ...body } = nth('001', 2).body;
    const request = { ...nth('001', 2), body };
    const answer = checkAnswer('prompt', await replay(request, { ignore_eos: true }));
    assert.equal(answer.usage.completion_tokens, 16);
    assert.equal(answer.choices[0]?.finish_reason, 'length');
  });

  it('002: a plain chat, with any key', async () => {
    const request = nth('002', 0);
    assert.equal(request.headers['authorization'], 'Bearer YOUR_API_KEY');
    checkAnswer('chat', await replay(request, { max_tokens: 40 }));
  });

  it('002: a function of the gateway is not there yet, and says so', async () => {
    const error = errorOf(await replay(nth('002', 1)));
    assert.deepEqual([error.code, error.reason], [404, 'unknown_model']);
    assert.match(error.message, /function/);
  });

  it('002: tools are taken, and a call is read where the model makes one', async () => {
    const answer = checkAnswer('chat', await replay(nth('002', 1), { model, max_tokens: 8 }));
    assert.ok(['stop', 'length', 'tool_calls'].includes(answer.choices[0]?.finish_reason ?? ''));
  });

  it('002: guided_json is kept to, and the gateway’s model name is understood', async () => {
    const request = nth('002', 2);
    assert.match(String(request.body['model']), /^tensorzero::model_name::/);
    const reply = await replay(request, { max_tokens: 200, temperature: 0 });
    const answer = checkAnswer('chat', reply);
    assert.equal(answer.model, `tensorzero::model_name::${model}`);
    assert.equal(receiptOf(reply)['guided_json']?.split(' ')[0], 'honoured');
    assert.match(answer.choices[0]?.message?.content ?? '', /^\s*\{/);
  });

  it('002: an image is refused by its path', async () => {
    const error = errorOf(await replay(nth('002', 3)));
    assert.deepEqual(
      [error.code, error.reason, error.param],
      [400, 'unsupported_parameter', 'messages[0].content[1]'],
    );
  });

  it('002: errors have its shape', async () => {
    const reply = await post(chatUrl(server), { model });
    assert.deepEqual([reply.status, errorOf(reply).type], [400, 'invalid_request_error']);
    assert.match(readDocument('002'), /"type": "invalid_request_error",\n\s+"code": 400/);
  });

  it('003: the Api-Key scheme, and limits beyond the context are cut and said', async () => {
    assert.match(readDocument('003'), /Authorization: Api-Key YOUR_API_KEY/);
    const headers = { authorization: 'Api-Key YOUR_API_KEY' };
    const messages = [{ role: 'user', content: 'Say hi.' }];
    const body = { model, messages, max_tokens: 262_144, dry_run: true };
    const reply = await post(chatUrl(server), body, { headers });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.text, /"name":"max_tokens","fate":"honoured","note":"cut to \d+/);
    const { message } = errorOf(await post(chatUrl(server), { ...body, max_tokens: 262_145 }));
    assert.match(message, /262144/);
  });
});
