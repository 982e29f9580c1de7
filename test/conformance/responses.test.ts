/** Every field of an answer: JSON and streams of chat, raw prompts and /v1/completions, and plans. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createValidator, planSchema } from '../../src/contract/index.ts';
import { checkAnswer, checkStream, uuid7 } from '../support/answer-shapes.ts';
import {
  chatBody,
  chatUrl,
  errorOf,
  franceQuestion,
  get,
  joined,
  jsonOf,
  model,
  post,
  textOf,
  type Body,
  type Chunk,
  type ScoredToken,
} from '../support/ask.ts';
import { sharedContext, sharedServer } from '../support/shared-server.ts';
import type { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;

const chat = (extra: Body = {}) => post(chatUrl(server), chatBody(extra));
const answer = async (extra: Body = {}) => checkAnswer('chat', await chat(extra));
const chunks = async (extra: Body = {}) =>
  checkStream('chat', await chat({ ...extra, stream: true }));

const rawBody = (extra: Body): Body => ({
  model,
  prompt: 'Once upon a time',
  temperature: 0,
  ...extra,
});
const raw = (extra: Body) => post(chatUrl(server), rawBody(extra));
const legacy = (extra: Body) => post(`${server.url}/v1/completions`, rawBody(extra));

interface LegacyChoice {
  readonly index: number;
  readonly text: string;
  readonly finish_reason: string | null;
  readonly logprobs: {
    readonly tokens: readonly string[];
    readonly token_logprobs: readonly number[];
    readonly top_logprobs: readonly Readonly<Record<string, number>>[];
    readonly text_offset: readonly number[];
  } | null;
}

const legacyChoices = async (extra: Body): Promise<readonly LegacyChoice[]> =>
  checkAnswer('text', await legacy(extra)).choices as unknown as readonly LegacyChoice[];

const finishOf = (all: readonly Chunk[], index = 0) =>
  all
    .flatMap((chunk) => chunk.choices)
    .find((choice) => choice.index === index && choice.finish_reason !== null);

const bytesToText = (tokens: readonly ScoredToken[]): string =>
  Buffer.from(tokens.flatMap(({ bytes }) => bytes)).toString('utf8');

describe('answers, field by field', () => {
  before(async () => {
    server = await sharedServer();
  });

  it('a chat answer has its identity, its usage and the model as it was asked for', async () => {
    const first = await answer();
    const second = await answer({ model: `parlance::model_name::${model}` });
    assert.match(textOf(first), /Paris/);
    assert.notEqual(first.id, second.id);
    assert.equal(second.model, `parlance::model_name::${model}`);
    assert.equal(textOf(second), textOf(first));
    assert.deepEqual(first.choices[0]?.finish_reason, 'stop');
    assert.equal(first.choices[0]?.stop_reason, null);
    const { episode_id } = first as unknown as { episode_id: string };
    assert.match(episode_id, uuid7);
  });

  it('keeps the episode and the request id that were given', async () => {
    const episode_id = '01977ed9-7492-7b70-8347-9564aeb44a24';
    const body = chatBody({ episode_id, max_tokens: 1 });
    const reply = await post(chatUrl(server), body, { headers: { 'x-request-id': 'mine-1' } });
    assert.equal(jsonOf(reply)['episode_id'], episode_id);
    assert.equal(reply.headers['x-request-id'], 'mine-1');
    assert.match((await chat({ max_tokens: 1 })).headers['x-request-id'] ?? '', uuid7);
  });

  it('says why a choice ended: its own end, the limit, a stop string, a stop token', async () => {
    const limited = await answer({ max_tokens: 2 });
    assert.equal(limited.choices[0]?.finish_reason, 'length');
    assert.equal(limited.usage.completion_tokens, 2);
    const stopped = await answer({ stop: ['nothing', ' is'] });
    assert.deepEqual(
      [stopped.choices[0]?.finish_reason, stopped.choices[0]?.stop_reason],
      ['stop', ' is'],
    );
    assert.equal(textOf(stopped), 'The capital of France');
    const shown = await answer({ stop: ' is', include_stop_str_in_output: true });
    assert.equal(textOf(shown), 'The capital of France is');
    // Token 28 is "," and 30 is "." in this vocabulary; the answer ends with a full stop.
    const token = await answer({ eos_token_id: [30] });
    assert.deepEqual(
      [token.choices[0]?.finish_reason, token.choices[0]?.stop_reason],
      ['stop', 30],
    );
    const all = await chunks({ stop: [' is'] });
    assert.equal(finishOf(all)?.stop_reason, ' is');
    assert.equal(joined(all), 'The capital of France');
  });

  it('usage rides on the last finish chunk, in every chunk, or nowhere', async () => {
    const silent = await chunks();
    assert.ok(silent.every((chunk) => !('usage' in chunk)));
    const last = await chunks({ stream_options: { include_usage: true } });
    assert.ok(last.slice(0, -1).every((chunk) => !chunk.usage));
    const { usage } = await answer();
    assert.deepEqual(last.at(-1)?.usage, usage);
    assert.equal(last.at(-1)?.choices[0]?.finish_reason, 'stop');
    const always = await chunks({
      stream_options: { include_usage: true, continuous_usage_stats: true },
    });
    const counts = always.map((chunk) => chunk.usage?.completion_tokens ?? -1);
    assert.deepEqual(
      counts,
      [...counts].toSorted((one, other) => one - other),
    );
    assert.ok(counts.every((count) => count >= 0));
    assert.deepEqual(always.at(-1)?.usage, usage);
  });

  it('n choices come back as n, streamed under their index, and usage counts them all', async () => {
    const request = { n: 3, seed: 7, temperature: 1, max_tokens: 8 };
    const whole = await answer(request);
    assert.deepEqual(
      whole.choices.map(({ index }) => index),
      [0, 1, 2],
    );
    const texts = whole.choices.map(({ message }) => message.content);
    assert.ok(new Set(texts).size > 1, 'three draws that are all the same');
    const all = await chunks({ ...request, stream_options: { include_usage: true } });
    assert.deepEqual(
      [0, 1, 2].map((index) => joined(all, index)),
      texts,
    );
    assert.equal(all.filter((chunk) => chunk.usage).length, 1);
    assert.deepEqual(all.at(-1)?.usage, whole.usage);
    const greedy = await answer({ n: 2 });
    assert.equal(greedy.choices[0]?.message.content, greedy.choices[1]?.message.content);
  });

  it('logprobs are of the raw logits, the chosen token has its own, and they spell the text', async () => {
    const whole = await answer({ logprobs: true, top_logprobs: 3 });
    const tokens = whole.choices[0]?.logprobs?.content ?? [];
    assert.equal(bytesToText(tokens), textOf(whole));
    for (const { token, logprob, top_logprobs } of tokens) {
      assert.equal(top_logprobs.length, 3);
      assert.ok(logprob <= 0);
      const ranked = top_logprobs.map((one) => one.logprob);
      assert.deepEqual(
        ranked,
        ranked.toSorted((one, other) => other - one),
      );
      // Greedy: the best of all is the one that was taken.
      assert.deepEqual([top_logprobs[0]?.token, ranked[0]], [token, logprob]);
    }
    const streamed = await chunks({ logprobs: true, top_logprobs: 3 });
    const joinedTokens = streamed
      .flatMap((chunk) => chunk.choices)
      .flatMap((choice) => choice.logprobs?.content ?? []);
    assert.deepEqual(joinedTokens, tokens);
    const alone = await answer({ logprobs: true });
    assert.deepEqual(
      alone.choices[0]?.logprobs?.content.map((one) => [one.logprob, one.top_logprobs]),
      tokens.map((one) => [one.logprob, []]),
    );
    assert.equal((await answer()).choices[0]?.logprobs, null);
  });

  it('a raw prompt on the chat route is shaped as its document says', async () => {
    const whole = checkAnswer('prompt', await raw({ max_tokens: 5 }));
    const [choice] = whole.choices;
    assert.equal(choice?.text, choice?.message.content);
    const scored = checkAnswer('prompt', await raw({ max_tokens: 5, logprobs: true }));
    assert.equal(bytesToText(scored.choices[0]?.logprobs?.content ?? []), choice?.text);
    const all = checkStream('prompt', await raw({ max_tokens: 5, stream: true }));
    assert.equal(joined(all), choice?.text);
    const ids = checkAnswer('prompt', await raw({ prompt: [9906, 314], max_tokens: 2 }));
    assert.equal(ids.usage.prompt_tokens, 2);
  });

  it('echo puts the prompt, or the assistant’s last message, before the answer', async () => {
    const plain = checkAnswer('prompt', await raw({ max_tokens: 5 })).choices[0]?.text ?? '';
    const echoed = checkAnswer('prompt', await raw({ max_tokens: 5, echo: true }));
    assert.equal(echoed.choices[0]?.text, `Once upon a time${plain}`);
    const all = checkStream('prompt', await raw({ max_tokens: 5, echo: true, stream: true }));
    assert.equal(joined(all), `Once upon a time${plain}`);
    const messages = [
      { role: 'user', content: franceQuestion },
      { role: 'assistant', content: 'Well:' },
    ];
    assert.match(textOf(await answer({ messages, echo: true, max_tokens: 3 })), /^Well:/);
    assert.doesNotMatch(textOf(await answer({ messages, max_tokens: 3 })), /^Well:/);
  });

  it('/v1/completions: strings, several of them, and token IDs', async () => {
    const [one] = await legacyChoices({ max_tokens: 6 });
    assert.equal(one?.text, checkAnswer('prompt', await raw({ max_tokens: 6 })).choices[0]?.text);
    const prompt = ['Once upon a time', 'The sea is'];
    const several = await legacyChoices({ prompt, n: 2, max_tokens: 6 });
    assert.deepEqual(
      several.map(({ index }) => index),
      [0, 1, 2, 3],
    );
    assert.deepEqual([several[0]?.text, several[1]?.text], [one?.text, one?.text]);
    assert.equal(several[2]?.text, several[3]?.text);
    const ids = await legacyChoices({ prompt: [[9906], [314, 216]], max_tokens: 2 });
    assert.equal(ids.length, 2);
    const all = checkStream('text', await legacy({ prompt, max_tokens: 6, stream: true }));
    assert.equal(joined(all, 0), one?.text);
    assert.equal(joined(all, 1), several[2]?.text);
  });

  it('/v1/completions: echo, integer logprobs, and suffix refused', async () => {
    const [plain] = await legacyChoices({ max_tokens: 6, logprobs: 2 });
    const {
      tokens = [],
      token_logprobs = [],
      text_offset = [],
      top_logprobs = [],
    } = plain?.logprobs ?? {};
    assert.equal(tokens.join(''), plain?.text);
    assert.equal(token_logprobs.length, 6);
    assert.deepEqual(
      text_offset,
      tokens.map((_, at) => tokens.slice(0, at).join('').length),
    );
    for (const [at, top] of top_logprobs.entries()) {
      assert.ok(Object.keys(top).length >= 2);
      assert.equal(top[tokens[at] ?? ''], token_logprobs[at]);
    }
    const [echoed] = await legacyChoices({ max_tokens: 6, echo: true });
    assert.equal(echoed?.text, `Once upon a time${plain?.text}`);
    const { reason, param } = errorOf(await legacy({ suffix: 'the end' }));
    assert.deepEqual([reason, param], ['unsupported_parameter', 'suffix']);
  });

  it('dry_run renders, counts and plans, and generates nothing', async () => {
    const reply = await chat({ dry_run: true, top_k: 5, max_tokens: 5000 });
    assert.equal(reply.status, 200, reply.text);
    const plan = jsonOf<Record<string, unknown>>(reply);
    createValidator(planSchema)(plan);
    assert.equal(plan['object'], 'chat.completion.plan');
    assert.match(String(plan['prompt']), /capital of France\?.*<\|im_start\|>assistant\n$/s);
    const { usage } = await answer();
    assert.equal(plan['prompt_tokens'], usage.prompt_tokens);
    assert.equal(plan['max_tokens'], sharedContext - usage.prompt_tokens);
    assert.match(String(plan['target']), new RegExp(model));
    const receipt = plan['receipt'] as { name: string; fate: string; note?: string }[];
    assert.deepEqual(
      receipt.map(({ name, fate }) => [name, fate]),
      [
        ['temperature', 'honoured'],
        ['max_tokens', 'honoured'],
        ['top_k', 'honoured'],
      ],
    );
    assert.match(receipt[1]?.note ?? '', /cut/);
  });

  it('a prompt beyond the context is refused, unless it may be cut', async () => {
    const long = 'word '.repeat(sharedContext + 100);
    const messages = [{ role: 'user', content: long }];
    const error = errorOf(await chat({ messages }));
    assert.deepEqual([error.code, error.reason], [400, 'context_length_exceeded']);
    const reply = await chat({ messages, truncate_prompt_tokens: 64, max_tokens: 1 });
    assert.equal(checkAnswer('chat', reply).usage.prompt_tokens, 64);
    assert.match(
      reply.headers['x-parlance-receipt'] ?? '',
      /^temperature=honoured; max_tokens=honoured; truncate_prompt_tokens=honoured \(cut \d+ tokens/,
    );
  });

  it('models are listed and found by name', async () => {
    const list = jsonOf<{ object: string; data: { id: string; object: string }[] }>(
      await get(`${server.url}/v1/models`),
    );
    assert.equal(list.object, 'list');
    const found = list.data.find(({ id }) => id === model);
    assert.equal(found?.object, 'model');
    const one = await get(`${server.url}/v1/models/${model}`);
    assert.deepEqual(jsonOf(one), found);
    const error = errorOf(await get(`${server.url}/v1/models/smollm2-135n`));
    assert.deepEqual([error.code, error.reason], [404, 'unknown_model']);
    assert.match(error.message, /did you mean "smollm2-135m"/);
  });
});
