/** What is recorded of requests, once each, when they have ended. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import type { AnswerEvent } from '../targets/index.ts';
import {
  events,
  fakeServices,
  fakeTarget,
  finish,
  greeting,
  text,
  untilAborted,
  usageOf,
  type FakeOptions,
} from './testing/fake-services.ts';
import { post, withApp } from './testing/with-app.ts';

const chat = { model: 'tiny', messages: [{ role: 'user', content: 'hi' }] };
const path = '/v1/chat/completions';

/** Sends one request to the end of its answer; the server has settled when it comes back. */
async function ask(body: unknown, options: FakeOptions = {}, headers = {}) {
  const services = fakeServices(options);
  const answered = await withApp(services, async ({ url }) => {
    const response = await fetch(`${url}${path}`, post(body, headers));
    return { headers: response.headers, text: await response.text(), status: response.status };
  });
  return { ...answered, recorded: services.recorded };
}

test('a finished answer, under its own id and with what it cost', async () => {
  const before = Date.now();
  const { text: body, headers, recorded } = await ask({ ...chat, top_k: 5 });
  const { id } = JSON.parse(body) as { id: string };
  assert.equal(recorded.length, 1);
  const { created, totalMs, firstTokenMs, episodeId, ...rest } = recorded[0]!;
  assert.deepEqual(rest, {
    id,
    requestId: headers.get('x-request-id'),
    keyId: null,
    endpoint: path,
    model: 'tiny',
    target: 'embedded:tiny',
    stream: false,
    status: 200,
    error: null,
    finishReasons: ['stop'],
    promptTokens: 9,
    completionTokens: 3,
    cachedTokens: 0,
    reasoningTokens: 0,
    draftsVerified: null,
    draftsAccepted: null,
    receipt: 'top_k=honoured',
  });
  assert.equal(rest.receipt, headers.get('x-parlance-receipt'));
  assert.match(episodeId ?? '', /^[0-9a-f-]{36}$/);
  assert.ok(created >= before - 2 && created <= Date.now());
  assert.ok(firstTokenMs !== null && firstTokenMs >= 0 && firstTokenMs <= totalMs);
});

test('a stream, its choices in their order, and the drafts of its tokens', async () => {
  const ends = (choice: number, reason: 'stop' | 'length'): AnswerEvent => ({
    type: 'finish',
    choice,
    reason,
    stopReason: null,
  });
  const usage: AnswerEvent = {
    type: 'usage',
    usage: {
      promptTokens: 9,
      completionTokens: 8,
      cachedTokens: 5,
      reasoningTokens: 2,
      drafts: { verified: 6, accepted: 4 },
    },
  };
  const script = () =>
    events([[text('b', 1), ends(1, 'length')], [text('a')], [ends(0, 'stop'), usage]]);
  const { recorded } = await ask({ ...chat, n: 2, stream: true }, { target: fakeTarget(script) });
  const one = recorded[0]!;
  assert.deepEqual([one.stream, one.finishReasons], [true, ['stop', 'length']]);
  assert.deepEqual(
    [one.cachedTokens, one.reasoningTokens, one.draftsVerified, one.draftsAccepted],
    [5, 2, 6, 4],
  );
});

test('bytes of an upstream that pass through, as a body and as a stream', async () => {
  const usage = '"usage":{"prompt_tokens":7,"completion_tokens":2}';
  async function* payloads() {
    yield `{"choices":[{"index":0,"finish_reason":null}]}`;
    yield `{"choices":[{"index":0,"finish_reason":"length"}],${usage}}`;
  }
  const stream = fakeTarget(() => ({ kind: 'wire', notes: [], payloads: payloads() }));
  const streamed = await ask({ ...chat, stream: true }, { target: stream });
  async function* body() {
    yield `{"choices":[{"index":0,"finish_reason":"length"}],${usage}}`;
  }
  const whole = fakeTarget(() => ({ kind: 'wire', notes: [], payloads: body() }));
  const sent = await ask(chat, { target: whole });
  for (const { recorded } of [streamed, sent]) {
    assert.deepEqual(recorded[0]?.finishReasons, ['length']);
    assert.deepEqual([recorded[0]?.promptTokens, recorded[0]?.completionTokens], [7, 2]);
  }
});

test('a target that refuses, and a stream that breaks', async () => {
  const refuses = fakeTarget(() => {
    throw new ParlanceError('upstream_failed', 'The upstream broke.');
  });
  const refused = (await ask(chat, { target: refuses })).recorded[0]!;
  assert.deepEqual([refused.status, refused.error], [502, 'upstream_failed']);
  assert.deepEqual([refused.promptTokens, refused.firstTokenMs], [null, null]);
  async function* broken() {
    yield [text('Hello'), usageOf(9, 1)];
    throw new ParlanceError('engine_failed', 'The engine has ended.');
  }
  const breaks = fakeTarget(() => events(broken()));
  const answered = await ask({ ...chat, stream: true }, { target: breaks });
  assert.equal(answered.status, 200);
  const [one] = answered.recorded;
  assert.equal(one?.error, 'engine_failed');
  assert.ok((one?.status ?? 0) >= 500);
  assert.deepEqual([one?.completionTokens, one?.finishReasons], [1, []]);
});

test('a client that leaves in the middle', async () => {
  const target = fakeTarget(({ signal }) => {
    async function* endless() {
      yield [text('Hello'), usageOf(9, 1)];
      await untilAborted(signal);
    }
    return events(endless());
  });
  const services = fakeServices({ target });
  await withApp(services, async ({ url }) => {
    const controller = new AbortController();
    const response = await fetch(`${url}${path}`, {
      ...post({ ...chat, stream: true }),
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
  });
  const [one] = services.recorded;
  assert.equal(services.recorded.length, 1);
  assert.deepEqual([one?.completionTokens, one?.finishReasons], [1, []]);
  assert.ok([499, 503].includes(one?.status ?? 0), String(one?.status));
});

test('several prompts of one request are one record; a raw prompt has no episode', async () => {
  const services = fakeServices({ target: fakeTarget(() => events(greeting)) });
  await withApp(services, async ({ url }) => {
    const body = post({ model: 'tiny', prompt: ['a', 'b'] });
    await (await fetch(`${url}/v1/completions`, body)).text();
  });
  const [one] = services.recorded;
  assert.equal(services.recorded.length, 1);
  assert.deepEqual([one?.endpoint, one?.episodeId], ['/v1/completions', null]);
  assert.deepEqual([one?.finishReasons, one?.completionTokens], [['stop', 'stop'], 6]);
});

test('the key that was used', async () => {
  const access = {
    authenticate: () =>
      Promise.resolve({ id: 'key-1', name: 'laptop', rights: new Set(['chat'] as const) }),
  };
  const { recorded } = await ask(chat, { services: { access } });
  assert.equal(recorded[0]?.keyId, 'key-1');
});

test('nothing of what no target was asked for', async () => {
  for (const body of [
    '{',
    { ...chat, model: 'none' },
    { ...chat, guided_grammar: 'root ::= "a"' },
    { ...chat, dry_run: true },
  ]) {
    const { recorded } = await ask(body);
    assert.deepEqual(recorded, []);
  }
  const target = fakeTarget(() => events([[finish(), usageOf(1, 0)]]));
  assert.equal((await ask(chat, { target })).recorded.length, 1);
});
