/** The official openai package for JavaScript, driven through all that a program does with it. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import OpenAI, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIUserAbortError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { franceQuestion, metric, model } from '../support/ask.ts';
import { deploy, undeploy } from '../support/deployments.ts';
import { sendJson, startUpstream, type FakeUpstream } from '../support/fake-upstream.ts';
import { sharedServer } from '../support/shared-server.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

let server: ServerProcess;
let upstream: FakeUpstream;
let client: OpenAI;

const through = 'sdk-upstream';
const messages = [{ role: 'user' as const, content: franceQuestion }];
const basic = { model, messages, temperature: 0, max_tokens: 24 };

/** Fields that the package's types do not know are sent all the same. */
const withExtras = (extras: object) => ({ ...basic, ...extras });

describe('the official openai package', () => {
  before(async () => {
    server = await sharedServer();
    upstream = await startUpstream();
    const body = { name: through, runtime: 'external', model: 'theirs' };
    await deploy(server, { ...body, base_url: upstream.baseUrl });
    client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
  });

  after(async () => {
    await undeploy(server, through);
    await upstream.close();
  });

  it('chats', async () => {
    const answer = await client.chat.completions.create(basic);
    assert.match(answer.choices[0]?.message.content ?? '', /Paris/);
    assert.equal(answer.choices[0]?.finish_reason, 'stop');
    assert.ok((answer.usage?.total_tokens ?? 0) > 0);
    assert.ok(answer._request_id);
  });

  it('streams, and its own assembly gives the same answer', async () => {
    const stream = client.chat.completions.stream({
      ...basic,
      stream_options: { include_usage: true },
    });
    let text = '';
    stream.on('content', (delta) => {
      text += delta;
    });
    const final = await stream.finalChatCompletion();
    const whole = await client.chat.completions.create(basic);
    assert.equal(final.choices[0]?.message.content, whole.choices[0]?.message.content);
    assert.equal(text, whole.choices[0]?.message.content);
    assert.deepEqual(final.usage, whole.usage);
  });

  it('aborts, and the slot is free again', async () => {
    const before = await metric(server, 'parlance_requests_cancelled_total');
    const stream = await client.chat.completions.create({
      ...withExtras({ ignore_eos: true }),
      max_tokens: 900,
      stream: true,
    });
    for await (const chunk of stream) {
      assert.equal(chunk.object, 'chat.completion.chunk');
      stream.controller.abort();
    }
    await waitUntil(
      'the slot to be free',
      async () => (await metric(server, 'parlance_requests_running')) === 0,
    );
    await waitUntil(
      'the request to be counted',
      async () => (await metric(server, 'parlance_requests_cancelled_total')) === before + 1,
    );
    const controller = new AbortController();
    const pending = client.chat.completions.create(
      { ...withExtras({ ignore_eos: true }), max_tokens: 900 },
      { signal: controller.signal },
    );
    await waitUntil(
      'the request to run',
      async () => (await metric(server, 'parlance_requests_running')) === 1,
    );
    controller.abort();
    await assert.rejects(pending, APIUserAbortError);
  });

  it('takes fields that it does not know, n, seed and log probabilities', async () => {
    const answer = await client.chat.completions.create({
      ...withExtras({ top_k: 5, repetition_penalty: 1.1, min_p: 0.01 }),
      temperature: 1,
      n: 2,
      seed: 3,
      logprobs: true,
      top_logprobs: 2,
      max_tokens: 4,
    });
    assert.equal(answer.choices.length, 2);
    for (const { logprobs } of answer.choices) {
      assert.equal(logprobs?.content?.[0]?.top_logprobs.length, 2);
    }
    const { response } = await client.chat.completions
      .create({ ...withExtras({ top_k: 5 }), max_tokens: 1 })
      .withResponse();
    assert.equal(
      response.headers.get('x-parlance-receipt'),
      'temperature=honoured; max_tokens=honoured; top_k=honoured',
    );
  });

  it('completes raw prompts', async () => {
    const body = { model, prompt: 'Once upon a time', max_tokens: 4, temperature: 0 };
    const whole = await client.completions.create(body);
    let text = '';
    for await (const chunk of await client.completions.create({ ...body, stream: true })) {
      text += chunk.choices[0]?.text ?? '';
    }
    assert.equal(text, whole.choices[0]?.text);
  });

  it('lists and retrieves models', async () => {
    const names = [];
    for await (const { id } of client.models.list()) names.push(id);
    assert.ok(names.includes(model) && names.includes(through));
    assert.equal((await client.models.retrieve(model)).id, model);
    await assert.rejects(client.models.retrieve('nothing'), NotFoundError);
  });

  it('sees its own error classes, with code, param and type', async () => {
    await assert.rejects(
      client.chat.completions.create({ ...basic, temperature: 9 }),
      (error) =>
        error instanceof BadRequestError &&
        error.status === 400 &&
        error.param === 'temperature' &&
        error.type === 'invalid_request_error',
    );
    await assert.rejects(
      client.chat.completions.create({ ...basic, model: 'nothing' }),
      (error) => error instanceof NotFoundError && error.message.includes(model),
    );
  });

  it('sees a limit of the upstream as RateLimitError, and its crash as InternalServerError', async () => {
    const ask = { ...basic, model: through };
    upstream.bend((_, response) => {
      response.setHeader('retry-after', '7');
      sendJson(response, 429, { error: { message: 'slow down' } });
    });
    await assert.rejects(
      client.chat.completions.create(ask),
      (error) =>
        error instanceof RateLimitError &&
        error.message.includes('slow down') &&
        error.headers.get('retry-after') === '7',
    );
    upstream.bend((_, response) => sendJson(response, 500, { error: { message: 'oh' } }));
    await assert.rejects(client.chat.completions.create(ask), InternalServerError);
    upstream.bend(null);
    assert.equal(
      (await client.chat.completions.create(ask)).choices[0]?.message.content,
      'hello there',
    );
  });

  it('tries again after a 429, and never after a 400', async () => {
    const patient = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 2 });
    const ask = { ...basic, model: through };
    let refusals = 0;
    upstream.bend((asked, response) => {
      refusals += 1;
      if (refusals > 1) upstream.bend(null);
      const status = asked.body['temperature'] === 0 ? 429 : 400;
      response.setHeader('retry-after', '1');
      sendJson(response, status, { error: { message: 'no' } });
    });
    const answer = await patient.chat.completions.create(ask);
    assert.equal(answer.choices[0]?.message.content, 'hello there');
    assert.equal(refusals, 2);
    upstream.bend((_, response) => {
      refusals += 1;
      sendJson(response, 400, { error: { message: 'no' } });
    });
    await assert.rejects(patient.chat.completions.create(ask), BadRequestError);
    assert.equal(refusals, 3);
    upstream.bend(null);
  });

  it('times out and fails to connect in its own words', async () => {
    upstream.bend(() => {});
    const cut = upstream.nextCut();
    await assert.rejects(
      client.chat.completions.create({ ...basic, model: through }, { timeout: 300 }),
      APIConnectionTimeoutError,
    );
    // The client's own time is over, and the upstream is told.
    await cut;
    upstream.bend(null);
    const nowhere = new OpenAI({ baseURL: 'http://127.0.0.1:1/v1', apiKey: 'any', maxRetries: 0 });
    await assert.rejects(nowhere.models.list(), APIConnectionError);
  });
});
