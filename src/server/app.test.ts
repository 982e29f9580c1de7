/** The server over a real socket, with fakes behind it: answers, streams, deployments, draining. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

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
} from './testing/fake-services.ts';
import { payloadsOf, post, withApp } from './testing/with-app.ts';

type Body = Record<string, unknown>;

const chat = (more: Body = {}): Body => ({
  model: 'tiny',
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /v1/chat/completions', () => {
  test('answers as one JSON body', async () => {
    const target = fakeTarget();
    await withApp(fakeServices({ target }), async ({ url }) => {
      const answer = await fetch(`${url}/v1/chat/completions`, post(chat({ top_k: 5 })));
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-parlance-receipt'), 'top_k=honoured');
      const body = (await answer.json()) as Body;
      assert.match(String(body['id']), uuid7);
      assert.match(String(body['episode_id']), uuid7);
      assert.equal(body['object'], 'chat.completion');
      assert.equal(body['model'], 'tiny');
      assert.deepEqual(body['choices'], [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello world', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
          stop_reason: null,
        },
      ]);
      assert.deepEqual(body['usage'], {
        prompt_tokens: 9,
        completion_tokens: 3,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      });
      assert.equal(target.runs[0]?.identity.id, body['id']);
    });
  });

  test('streams the same text, then [DONE]', async () => {
    await withApp(fakeServices(), async ({ url }) => {
      const answer = await fetch(`${url}/v1/chat/completions`, post(chat({ stream: true })));
      assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-cache');
      assert.equal(answer.headers.get('x-parlance-receipt'), null);
      const payloads = payloadsOf(await answer.text());
      assert.equal(payloads.at(-1), '[DONE]');
      const chunks = payloads.slice(0, -1).map((one) => JSON.parse(one) as { choices: Body[] });
      const deltas = chunks.map((chunk) => chunk.choices[0]?.['delta'] as { content?: string });
      assert.deepEqual(deltas[0], { role: 'assistant', content: '' });
      assert.equal(deltas.map((delta) => delta.content ?? '').join(''), 'Hello world');
      assert.deepEqual(deltas.at(-1), {});
      assert.equal(chunks.at(-1)?.choices[0]?.['finish_reason'], 'stop');
    });
  });

  test('a raw prompt has the shape of its own', async () => {
    await withApp(fakeServices(), async ({ url }) => {
      const raw = { model: 'tiny', prompt: 'Once' };
      const whole = await fetch(`${url}/v1/chat/completions`, post(raw));
      const body = (await whole.json()) as Body;
      assert.match(String(body['id']), /^cmpl-/);
      assert.equal(body['object'], 'text_completion');
      const [choice] = body['choices'] as Body[];
      assert.equal(choice?.['text'], 'Hello world');
      assert.equal((choice?.['message'] as Body | undefined)?.['content'], 'Hello world');
      const streamed = await fetch(`${url}/v1/chat/completions`, post({ ...raw, stream: true }));
      const first = JSON.parse(payloadsOf(await streamed.text())[0] ?? '') as Body;
      assert.equal(first['object'], 'text_completion.chunk');
      assert.match(String(first['id']), /^cmpl-/);
    });
  });

  test('dry_run plans and does not run', async () => {
    await withApp(fakeServices(), async ({ url }) => {
      const answer = await fetch(
        `${url}/v1/chat/completions`,
        post(chat({ dry_run: true, stream: true, seed: 7 })),
      );
      assert.deepEqual(await answer.json(), {
        object: 'chat.completion.plan',
        model: 'tiny',
        target: 'embedded:tiny',
        prompt: '<user>hi',
        prompt_tokens: 4,
        max_tokens: 20,
        receipt: [{ name: 'seed', fate: 'honoured' }],
      });
    });
  });

  test('what a relaxed request loses is in the receipt, the warning and the log', async () => {
    const services = fakeServices();
    await withApp(services, async ({ url }) => {
      const body = chat({ guided_grammar: 'root ::= "a"', zzz: 1 });
      const answer = await fetch(
        `${url}/v1/chat/completions`,
        post(body, { 'x-parlance-unsupported': 'warn' }),
      );
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-parlance-receipt'), 'zzz=dropped; guided_grammar=dropped');
      assert.equal(answer.headers.get('warning'), '299 parlance "dropped: zzz, guided_grammar"');
      await answer.text();
    });
    assert.ok(services.logLines.some((line) => line['msg'] === 'parameters were dropped'));
  });

  test('notes of the target reach the receipt without changing its fates', async () => {
    const notes = [{ parameter: 'max_tokens', note: 'cut to 20' }] as const;
    const target = fakeTarget(() => events(greeting, notes));
    await withApp(fakeServices({ target }), async ({ url }) => {
      const answer = await fetch(`${url}/v1/chat/completions`, post(chat({ max_tokens: 9999 })));
      assert.equal(answer.headers.get('x-parlance-receipt'), 'max_tokens=honoured (cut to 20)');
    });
  });

  test('wire answers are passed on as they are', async () => {
    const target = fakeTarget(({ request }) => ({
      kind: 'wire',
      notes: [],
      payloads: (async function* () {
        yield '{"x":1}';
        if (request.stream)
          yield '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
      })(),
    }));
    const services = fakeServices({ target });
    await withApp(services, async ({ url }) => {
      const whole = await fetch(`${url}/v1/chat/completions`, post(chat()));
      assert.equal(await whole.text(), '{"x":1}');
      assert.equal(whole.headers.get('content-type'), 'application/json; charset=utf-8');
      const streamed = await fetch(`${url}/v1/chat/completions`, post(chat({ stream: true })));
      assert.equal(
        await streamed.text(),
        'data: {"x":1}\n\ndata: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\ndata: [DONE]\n\n',
      );
    });
    assert.match(await services.metrics.render(), /completion_tokens_total\{[^}]*\} 4/);
  });

  test('usage that a wire answer does not show is counted all the same', async () => {
    const target = fakeTarget(() => ({
      kind: 'wire',
      notes: [],
      payloads: (async function* () {
        yield '{"x":1}';
      })(),
      unshownUsage: () => ({
        promptTokens: 3,
        completionTokens: 5,
        cachedTokens: 0,
        reasoningTokens: 0,
      }),
    }));
    const services = fakeServices({ target });
    await withApp(services, async ({ url }) => {
      const streamed = await fetch(`${url}/v1/chat/completions`, post(chat({ stream: true })));
      assert.equal(await streamed.text(), 'data: {"x":1}\n\ndata: [DONE]\n\n');
    });
    assert.match(await services.metrics.render(), /completion_tokens_total\{[^}]*\} 5/);
  });
});

describe('POST /v1/completions', () => {
  const echoing = fakeTarget(({ request }) => {
    const { input } = request;
    const words = input.kind === 'prompt' ? String(input.prompt) : '';
    return events([[text(`<${words}>`)], [finish(), usageOf(2, 1)]]);
  });

  test('answers each prompt, numbered in the order of the prompts', async () => {
    await withApp(fakeServices({ target: echoing }), async ({ url }) => {
      const answer = await fetch(
        `${url}/v1/completions`,
        post({ model: 'tiny', prompt: ['a', 'b', 'c'] }),
      );
      const body = (await answer.json()) as Body;
      assert.equal(body['object'], 'text_completion');
      const choices = body['choices'] as Body[];
      assert.deepEqual(
        choices.map((choice) => [choice['index'], choice['text']]),
        [
          [0, '<a>'],
          [1, '<b>'],
          [2, '<c>'],
        ],
      );
      assert.equal('message' in (choices[0] ?? {}), false);
      assert.equal((body['usage'] as Body)['prompt_tokens'], 6);
      assert.equal((body['usage'] as Body)['total_tokens'], 9);
    });
  });

  test('streams text choices', async () => {
    await withApp(fakeServices({ target: echoing }), async ({ url }) => {
      const answer = await fetch(
        `${url}/v1/completions`,
        post({ model: 'tiny', prompt: [1, 2], stream: true }),
      );
      const payloads = payloadsOf(await answer.text());
      assert.equal(payloads.at(-1), '[DONE]');
      const chunks = payloads.slice(0, -1).map((one) => JSON.parse(one) as { choices: Body[] });
      assert.equal(chunks.map((chunk) => String(chunk.choices[0]?.['text'])).join(''), '<1,2>');
      assert.equal(chunks.at(-1)?.choices[0]?.['finish_reason'], 'stop');
    });
  });

  test('a target that passes bytes through is read back into text choices', async () => {
    const wire = fakeTarget(() => ({
      kind: 'wire',
      notes: [],
      payloads: (async function* () {
        yield '{"choices":[{"index":0,"text":"ab","finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}';
      })(),
    }));
    await withApp(fakeServices({ target: wire }), async ({ url }) => {
      const answer = await fetch(`${url}/v1/completions`, post({ model: 'tiny', prompt: 'x' }));
      const body = (await answer.json()) as { choices: Body[]; usage: Body };
      assert.equal(body.choices[0]?.['text'], 'ab');
      assert.equal(body.choices[0]?.['finish_reason'], 'length');
      assert.equal(body.usage['completion_tokens'], 2);
    });
  });

  test('one prompt that fails ends the others', async () => {
    const aborted: string[] = [];
    const target = fakeTarget(({ request, signal }) => {
      const { input } = request;
      const words = input.kind === 'prompt' ? String(input.prompt) : '';
      if (words === 'bad') throw new ParlanceError('queue_full', 'Too many requests wait.');
      async function* endless(): AsyncGenerator<readonly AnswerEvent[]> {
        yield [text('x')];
        await untilAborted(signal).catch(() => aborted.push(words));
      }
      return events(endless());
    });
    await withApp(fakeServices({ target }), async ({ url }) => {
      const answer = await fetch(
        `${url}/v1/completions`,
        post({ model: 'tiny', prompt: ['good', 'bad'] }),
      );
      assert.equal(answer.status, 503);
      assert.ok(answer.headers.has('retry-after'));
    });
    assert.deepEqual(aborted, ['good']);
  });

  test('integer logprobs become both parameters, under one name', async () => {
    const target = fakeTarget();
    await withApp(fakeServices({ target }), async ({ url }) => {
      const answer = await fetch(
        `${url}/v1/completions`,
        post({ model: 'tiny', prompt: 'x', logprobs: 3 }),
      );
      assert.equal(answer.headers.get('x-parlance-receipt'), 'logprobs=honoured');
      assert.deepEqual(target.runs[0]?.request.parameters, { logprobs: true, top_logprobs: 3 });
    });
  });
});

describe('models, health, documents', () => {
  test('are there', async () => {
    await withApp(fakeServices(), async ({ url }) => {
      const json = async (path: string): Promise<Body> =>
        (await (await fetch(url + path)).json()) as Body;
      assert.equal(((await json('/v1/models'))['data'] as Body[]).length, 2);
      assert.equal((await json('/v1/models/group/tiny'))['id'], 'group/tiny');
      assert.equal((await json('/v1/models/group%2Ftiny'))['id'], 'group/tiny');
      assert.equal((await json('/v1/models/?x=1'))['object'], 'list');
      assert.equal((await json('/health'))['status'], 'ok');
      assert.equal((await json('/openapi.json'))['openapi'], '3.1.0');
      assert.equal((await json('/'))['name'], 'parlance');
      const metrics = await fetch(`${url}/metrics`);
      assert.match(await metrics.text(), /^parlance_requests_running 0$/m);
      const head = await fetch(`${url}/v1/models`, { method: 'HEAD' });
      assert.equal(head.status, 200);
      assert.equal(await head.text(), '');
    });
  });

  test('health is 503 until the start model is ready', async () => {
    const services = fakeServices({
      services: { health: { check: () => ({ status: 'starting' }) } },
    });
    await withApp(services, async ({ url }) => {
      const answer = await fetch(`${url}/health`);
      assert.equal(answer.status, 503);
      assert.deepEqual(await answer.json(), { status: 'starting' });
    });
  });
});

describe('/deploy', () => {
  test('makes, shows and removes deployments', async () => {
    await withApp(fakeServices(), async ({ url }) => {
      const made = await fetch(`${url}/deploy`, post({ name: 'group/new' }));
      assert.equal(made.status, 202);
      assert.equal(made.headers.get('location'), '/deploy/group%2Fnew');
      assert.deepEqual(await made.json(), { name: 'group/new', state: 'pulling' });
      const list = (await (await fetch(`${url}/deploy`)).json()) as Body;
      assert.deepEqual(list['data'], [{ name: 'tiny', state: 'ready' }]);
      const one = await fetch(`${url}/deploy/group%2Ftiny`);
      assert.deepEqual(await one.json(), { name: 'group/tiny', state: 'ready' });
      const removed = await fetch(`${url}/deploy/tiny`, { method: 'DELETE' });
      assert.equal(removed.status, 202);
      assert.deepEqual(await removed.json(), { name: 'tiny', state: 'draining' });
    });
  });
});

test('every request is one line of the log, with its id and no body', async () => {
  const services = fakeServices();
  await withApp(services, async ({ url }) => {
    const answer = await fetch(
      `${url}/v1/chat/completions`,
      post(chat(), { 'x-request-id': 'mine-1', authorization: 'Bearer s3cret' }),
    );
    assert.equal(answer.headers.get('x-request-id'), 'mine-1');
    await answer.text();
  });
  const lines = services.logLines.filter((line) => line['msg'] === 'request');
  assert.equal(lines.length, 1);
  const { time: _, ms, ...facts } = lines[0] ?? {};
  assert.equal(typeof ms, 'number');
  assert.deepEqual(facts, {
    level: 'info',
    id: 'mine-1',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    model: 'tiny',
    promptTokens: 9,
    cachedTokens: 0,
    tokens: 3,
    msg: 'request',
  });
  assert.ok(!JSON.stringify(services.logLines).includes('s3cret'));
});

test('what stands in an answer that misses its constraint is told to the client and not logged', async () => {
  const words = 'The value at #/patient/Ann Other is not allowed.';
  const target = fakeTarget(() => {
    throw new ParlanceError('constraint_not_met', words);
  });
  const services = fakeServices({ target });
  await withApp(services, async ({ url }) => {
    const answer = await fetch(`${url}/v1/chat/completions`, post(chat()));
    assert.equal(answer.status, 502);
    assert.ok((await answer.text()).includes('Ann Other'));
  });
  const logged = JSON.stringify(services.logLines);
  assert.ok(logged.includes('constraint_not_met'));
  assert.ok(!logged.includes('Ann Other'));
});
