import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admit, parseChatRequest } from '../../contract/index.ts';
import {
  neutralSampling,
  type ChoiceStep,
  type Engine,
  type GenerateRequest,
} from '../../engine/index.ts';
import type { ModelMetadata } from '../../models/index.ts';
import type { AnswerEvent } from '../target.ts';
import { createEmbeddedTarget } from './embedded-target.ts';

const chatml =
  "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";

function metadataWith(chatTemplate: string | null): ModelMetadata {
  const tokenizer = { bos: { id: 1, text: '<s>' }, eos: { id: 2, text: '</s>' } };
  return { chatTemplate, tokenizer } as unknown as ModelMetadata;
}

/** An engine that remembers what it was asked and answers with given steps. */
function engineWith(steps: readonly (readonly ChoiceStep[])[] = []) {
  const asked: GenerateRequest[] = [];
  const accepted = {
    promptTokens: 7,
    truncatedTokens: 0,
    maxTokens: 5,
    maxTokensReduced: true,
    prompt: 'the whole prompt',
  };
  const engine = {
    generate(request: GenerateRequest) {
      asked.push(request);
      return Promise.resolve({ accepted, steps: streamOf(steps) });
    },
  } as unknown as Engine;
  return { engine, asked };
}

async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function run(body: object, steps?: readonly (readonly ChoiceStep[])[], template = chatml) {
  const { engine, asked } = engineWith(steps);
  const target = createEmbeddedTarget({ name: 'm', engine, metadata: metadataWith(template) });
  const source = JSON.stringify({ model: 'm', ...body });
  const { request } = admit(parseChatRequest(source), target.capabilities, target.name);
  const identity = { id: 'i', model: 'm', created: 1, episodeId: null };
  const { signal } = new AbortController();
  if (request.dryRun) return { asked, plan: await target.plan({ request, identity, signal }) };
  const answer = await target.run({ request, identity, signal });
  const events: AnswerEvent[] = [];
  if (answer.kind === 'events') for await (const batch of answer.events) events.push(...batch);
  return { asked, events, notes: answer.notes };
}

const user = { role: 'user', content: 'hi' };

describe('embedded target', () => {
  it('renders messages through the model’s template', async () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const messages = [
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: parts },
    ];
    const { asked } = await run({ messages });
    assert.deepEqual(asked[0]?.prompt, {
      text: '<system>be brief\n<user>a\nb\n<assistant>',
      addSpecial: false,
    });
    const open = await run({ messages: [user], add_generation_prompt: false });
    assert.deepEqual(open.asked[0]?.prompt, { text: '<user>hi\n', addSpecial: false });
  });

  it('fills in every default', async () => {
    const { asked } = await run({ messages: [user] });
    assert.deepEqual(asked[0]?.sampling, neutralSampling);
  });

  it('passes parameters on, synonyms folded', async () => {
    const { asked } = await run({
      prompt: [5, 6],
      seed: 3,
      max_tokens: 9,
      max_completion_tokens: 8,
      eos_token_id: 4,
      stop_token_ids: [4, 11],
      stop: 'x',
      logit_bias: { 17: -5 },
      logprobs: true,
      top_logprobs: 2,
      n: 3,
    });
    const sent = asked[0];
    assert.deepEqual(sent?.prompt, { tokens: [5, 6] });
    assert.equal(sent?.choices, 3);
    const { seed, maxTokens, stopTokenIds, stop, logitBias, topLogprobs, defaultMaxTokens } =
      sent?.sampling ?? {};
    assert.deepEqual(
      { seed, maxTokens, stopTokenIds, stop, logitBias, topLogprobs, defaultMaxTokens },
      {
        seed: '3',
        maxTokens: 8,
        stopTokenIds: [4, 11],
        stop: ['x'],
        logitBias: [[17, -5]],
        topLogprobs: 2,
        defaultMaxTokens: 16,
      },
    );
  });

  it('adds up usage over choices and ends each', async () => {
    const step = (choice: number, text: string, tokens: number): ChoiceStep => ({
      id: 1,
      choice,
      text,
      tokens,
    });
    const end: ChoiceStep = {
      ...step(1, '', 3),
      finish: { reason: 'stop', stopReason: 'END' },
    };
    const { events } = await run({ messages: [user], n: 2 }, [
      [step(0, 'a', 1), step(1, 'b', 1)],
      [{ ...step(0, '', 2), finish: { reason: 'length', stopReason: null } }, end],
    ]);
    assert.deepEqual(events?.at(-1), {
      type: 'usage',
      usage: { promptTokens: 7, completionTokens: 5, cachedTokens: 0, reasoningTokens: 0 },
    });
    const finishes = events?.filter((event) => event.type === 'finish');
    assert.deepEqual(finishes, [
      { type: 'finish', choice: 0, reason: 'length', stopReason: null },
      { type: 'finish', choice: 1, reason: 'stop', stopReason: 'END' },
    ]);
  });

  it('says in the notes that max_tokens was cut', async () => {
    const { notes } = await run({ messages: [user], max_tokens: 100 });
    assert.deepEqual(notes, [
      { parameter: 'max_tokens', note: 'cut to 5, what the context has left' },
    ]);
  });

  it('echoes the assistant’s last message, or a raw prompt, before each choice', async () => {
    const messages = [user, { role: 'assistant', content: 'Once' }];
    const chat = await run({ messages, echo: true, n: 2 });
    assert.deepEqual(chat.events, [
      { type: 'text', choice: 0, text: 'Once' },
      { type: 'text', choice: 1, text: 'Once' },
    ]);
    assert.deepEqual((await run({ messages: [user], echo: true })).events, []);
    const raw = await run({ prompt: 'abc', echo: true });
    assert.deepEqual(raw.events, [{ type: 'text', choice: 0, text: 'abc' }]);
    const ids = await run({ prompt: [1], echo: true });
    assert.deepEqual(ids.events, [{ type: 'text', choice: 0, text: 'the whole prompt' }]);
  });

  it('plans without generating', async () => {
    const { plan, asked } = await run({ messages: [user], dry_run: true });
    assert.equal(asked[0]?.dryRun, true);
    assert.equal(plan?.prompt, 'the whole prompt');
    assert.equal(plan?.promptTokens, 7);
  });

  it('refuses what it cannot do, and takes message fields that the template knows', async () => {
    await assert.rejects(run({ messages: [user], top_p_min: 0.1 }), {
      reason: 'unsupported_parameter',
      param: 'top_p_min',
      message: /embedded:m.*Use `top_p` or `min_p`/,
    });
    const named = [{ ...user, name: 'Ann' }];
    await assert.rejects(run({ messages: named }), { param: 'messages[0].name' });
    await run({ messages: named }, [], "{{ messages[0]['name'] }}");
    const image = [{ type: 'image_url', image_url: { url: 'data:,' } }];
    await assert.rejects(run({ messages: [{ role: 'user', content: image }] }), {
      param: 'messages[0].content[0]',
    });
    await assert.rejects(run({ prompt: 'x', add_generation_prompt: false }), {
      reason: 'unsupported_parameter',
    });
  });

  it('fails at once for a broken template, and for messages where there is none', async () => {
    const { engine } = engineWith();
    const broken = () =>
      createEmbeddedTarget({ name: 'm', engine, metadata: metadataWith('{% for %}') });
    assert.throws(broken, { reason: 'invalid_template' });
    const raising = "{{ raise_exception('no system role') }}";
    assert.throws(
      () => createEmbeddedTarget({ name: 'm', engine, metadata: metadataWith(raising) }),
      { reason: 'invalid_template', message: /no system role/ },
    );
  });
});
