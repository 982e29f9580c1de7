import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { admit, parseChatRequest } from '../../contract/index.ts';
import {
  neutralSampling,
  type ChoiceStep,
  type Engine,
  type GenerateRequest,
} from '../../engine/index.ts';
import type { AnswerEvent } from '../target.ts';
import { createEmbeddedTarget, type LoadedAdapter } from './embedded-target.ts';
import { createTargetServices, localOnly } from '../services.ts';
import { Handovers } from './handovers.ts';
import { createModelRenderer, type ModelRenderer } from './model-renderer.ts';
import { metadataWith } from './model-metadata.test-support.ts';

const chatml =
  "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";

const services = createTargetServices(localOnly);
after(async () => await services.close());

const promptingWith = (chatTemplate: string): ModelRenderer =>
  createModelRenderer({ metadata: metadataWith({ chatTemplate }), services });

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
    info: { kvType: 'q8_0/f16', library: 'none' },
    modelIdentity: 'weights',
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

interface Setting {
  readonly template?: string;
  readonly adapter?: LoadedAdapter;
  readonly handovers?: Handovers;
  readonly engine?: ReturnType<typeof engineWith>;
}

async function run(
  body: object,
  steps?: readonly (readonly ChoiceStep[])[],
  setting: Setting = {},
) {
  const { engine, asked } = setting.engine ?? engineWith(steps);
  const { template = chatml, adapter = null, handovers = new Handovers() } = setting;
  const prompting = promptingWith(template);
  handovers.join(engine);
  const target = createEmbeddedTarget({
    name: 'm',
    engine,
    prompting,
    adapter,
    handovers,
    services,
  });
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
    const contract = { ...neutralSampling, spacesBetweenSpecialTokens: true };
    assert.deepEqual(asked[0]?.sampling, contract);
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

  it('passes on what concerns beams, bans, drafts and the queue', async () => {
    const { asked } = await run({
      messages: [user],
      n: 2,
      best_of: 4,
      use_beam_search: true,
      length_penalty: 0.5,
      early_stopping: 'never',
      bad: 'x',
      prediction: {
        type: 'content',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      priority: -3,
      cache_salt: 's',
      spaces_between_special_tokens: false,
    });
    const sent = asked[0];
    assert.deepEqual(
      [sent?.choices, sent?.bestOf, sent?.beam, sent?.prediction, sent?.priority, sent?.cacheSalt],
      [2, 4, { lengthPenalty: 0.5, earlyStopping: 'never' }, 'ab', -3, 's'],
    );
    assert.deepEqual(sent?.sampling.bad, ['x']);
    assert.equal(sent.sampling.spacesBetweenSpecialTokens, false);
    const { asked: dynamic } = await run({
      messages: [user],
      top_p: 0.9,
      top_p_min: 0.2,
      top_p_decay: 0.5,
      top_p_reset_ids: [4],
      bad: ['y', 'z'],
    });
    const { topP, topPMin, topPDecay, topPResetIds, bad } = dynamic[0]?.sampling ?? {};
    assert.deepEqual(
      { topP, topPMin, topPDecay, topPResetIds, bad },
      { topP: 0.9, topPMin: 0.2, topPDecay: 0.5, topPResetIds: [4], bad: ['y', 'z'] },
    );
    assert.deepEqual([dynamic[0]?.beam, dynamic[0]?.bestOf], [null, 1]);
  });

  it('leaves the last message open on request', async () => {
    const messages = [user, { role: 'assistant', content: 'Once' }];
    const { asked } = await run({ messages, continue_final_message: true, echo: true });
    assert.deepEqual(asked[0]?.prompt, {
      text: '<user>hi\n<assistant>Once',
      addSpecial: false,
    });
  });

  it('names its adapter to the engine', async () => {
    const adapter = { name: 'a@1', identity: '1' };
    const { asked } = await run({ messages: [user] }, [], { adapter });
    assert.equal(asked[0]?.adapter, 'a@1');
    assert.equal((await run({ messages: [user] })).asked[0]?.adapter, null);
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

  it('counts choices that are not told, and what came from a cached prefix', async () => {
    const finish = { reason: 'stop', stopReason: null } as const;
    const drafts = { verified: 4, accepted: 3 };
    const { events } = await run({ messages: [user], best_of: 3 }, [
      [{ id: 1, choice: 0, text: 'a', tokens: 4, cachedTokens: 6 }],
      [{ id: 1, choice: 0, text: '', tokens: 5, finish, untoldTokens: 9, drafts }],
    ]);
    const usages = events?.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    assert.deepEqual(
      usages?.map(({ completionTokens, cachedTokens }) => [completionTokens, cachedTokens]),
      [
        [4, 6],
        [14, 6],
      ],
    );
    assert.deepEqual(
      usages.map((usage) => usage.drafts),
      [undefined, drafts],
    );
  });

  it('hands a context over, and goes on from it with the same prompt only', async () => {
    const finish = { reason: 'length', stopReason: null } as const;
    const context = { id: 'c1', firstTokens: [9] };
    const engine = engineWith([[{ id: 1, choice: 0, text: 'P', tokens: 1, finish, context }]]);
    const setting = { engine, handovers: new Handovers() };
    const only = { request_type: 'context_only' };
    const first = await run({ messages: [user], disaggregated_params: only }, [], setting);
    assert.deepEqual(engine.asked[0]?.handover, { type: 'hold', milliseconds: 60_000 });
    const end = first.events?.find((event) => event.type === 'finish');
    assert.deepEqual(end?.handed?.firstGenTokens, [9]);
    const later = {
      request_type: 'generation_only',
      opaque_state: end.handed.opaqueState,
      first_gen_tokens: [9],
      ctx_request_id: end.handed.ctxRequestId,
    };
    await run({ messages: [user], disaggregated_params: later }, [], setting);
    assert.deepEqual(engine.asked[1]?.handover, {
      type: 'resume',
      context: 'c1',
      firstTokens: [9],
    });
    const refusals = [
      { messages: [{ ...user, content: 'ho' }] },
      { messages: [user], truncate_prompt_tokens: 3 },
      { messages: [{ ...user, content: 'ho' }], dry_run: true },
    ];
    for (const body of refusals) {
      await assert.rejects(run({ ...body, disaggregated_params: later }, [], setting), {
        reason: 'invalid_handle',
        message: /another prompt/,
      });
    }
    assert.equal(engine.asked.length, 2);
    const plan = { messages: [user], disaggregated_params: later, dry_run: true };
    await run(plan, [], setting);
    assert.equal(engine.asked[2]?.handover, null);
    const adapter = { name: 'a@1', identity: '1' };
    await assert.rejects(
      run({ messages: [user], disaggregated_params: later }, [], { ...setting, adapter }),
      { message: /another adapter/ },
    );
  });

  it('says in the notes that max_tokens was cut', async () => {
    const { notes } = await run({ messages: [user], max_tokens: 100 });
    assert.deepEqual(notes, [
      { parameter: 'max_tokens', note: 'cut to 5, what the context has left' },
    ]);
  });

  it('refuses to echo a raw prompt with log-probabilities, which would lack the prompt’s', async () => {
    const asked = { prompt: 'abc', echo: true, logprobs: true };
    await assert.rejects(run(asked), { reason: 'unsupported_parameter', param: 'echo' });
    const messages = [user, { role: 'assistant', content: 'Once' }];
    await run({ messages, echo: true, logprobs: true });
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
    await assert.rejects(run({ messages: [user], verbosity: 'low' }), {
      reason: 'unsupported_parameter',
      param: 'verbosity',
      message: /embedded:m.*Ask for the length in the prompt/,
    });
    const prediction = { type: 'content', content: [{ type: 'image_url', text: 'x' }] };
    await assert.rejects(run({ messages: [user], prediction }), { param: 'prediction' });
    const handover = { request_type: 'generation_only', draft_tokens: [1] };
    await assert.rejects(run({ messages: [user], disaggregated_params: handover }), {
      param: 'disaggregated_params',
      message: /makes no `draft_tokens`/,
    });
    const named = [{ ...user, name: 'Ann' }];
    await assert.rejects(run({ messages: named }), { param: 'messages[0].name' });
    await run({ messages: named }, [], { template: "{{ messages[0]['name'] }}" });
    const image = [{ type: 'image_url', image_url: { url: 'data:,' } }];
    await assert.rejects(run({ messages: [{ role: 'user', content: image }] }), {
      param: 'messages[0].content[0]',
    });
    await assert.rejects(run({ prompt: 'x', add_generation_prompt: false }), {
      reason: 'unsupported_parameter',
    });
  });
});
