/**
 * Calls and thinking in the form of each family: tiny models that say anything, deployed with templates in
 * the manner of three families, and what their answers come out as.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { get, jsonOf } from '../../support/ask.ts';
import { deploy, deploymentUrl } from '../../support/deployments.ts';
import { startServer, type ServerProcess } from '../../support/server-process.ts';
import { writeTinyModel } from '../../support/tiny-models/index.ts';
import { callsOf, checkCalling, paint, tools, weather } from './functions.ts';
import { endsThinking, smallTemplates, specials } from './small-templates.ts';

type Chat = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.Chat.Completions.ChatCompletionMessage & {
  readonly reasoning_content?: string;
};

const families = ['thinking', 'llama', 'mistral'] as const;
const folder = mkdtempSync(join(tmpdir(), 'parlance-families-'));
const path = join(folder, 'tiny.gguf');
let server: ServerProcess;
let client: OpenAI;

before(async () => {
  writeTinyModel(path, {
    architecture: 'llama',
    context: 4096,
    specials: { more: specials },
  });
  server = await startServer({ args: ['--model', 'none'] });
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
  for (const name of families) {
    const options = { threads: 1, slots: 2, context: 4096, chat_template: smallTemplates[name] };
    await deploy(server, { name, runtime: 'embedded', model: path, options });
  }
});

after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const question = { role: 'user' as const, content: 'Paint it.' };

const ask = (model: string, extra: object = {}) =>
  client.chat.completions.create({
    model,
    messages: [question],
    temperature: 1,
    seed: 4,
    max_tokens: 400,
    ...extra,
  } as Chat);

async function promptOf(model: string, extra: object): Promise<string> {
  const plan = (await ask(model, { ...extra, dry_run: true })) as unknown as { prompt: string };
  return plan.prompt;
}

const messageOf = (answer: OpenAI.Chat.Completions.ChatCompletion): Message => {
  const message = answer.choices[0]?.message;
  assert.ok(message !== undefined);
  return message;
};

const reasoningTokens = ({ usage }: OpenAI.Chat.Completions.ChatCompletion): number =>
  usage?.completion_tokens_details?.reasoning_tokens ?? 0;

const call = (id: string) => ({
  role: 'assistant' as const,
  content: null,
  tool_calls: [
    {
      id,
      type: 'function' as const,
      function: { name: 'paint_it', arguments: '{"colour": "red", "coats": 2, "dry": true}' },
    },
  ],
});

/** A question, a call, its result, and the next question. */
const history = [
  question,
  call('call_with_a_long_name'),
  { role: 'tool' as const, tool_call_id: 'call_with_a_long_name', content: 'done' },
  { role: 'user' as const, content: 'Again.' },
];

/** What `GET /deploy/{name}` found, and what a call and its result look like in a prompt. */
const forms = {
  thinking: {
    tools: 'hermes',
    reasoning: 'think',
    call: '<tool_call>\n{"name": "paint_it", "arguments": {"colour": "red", "coats": 2, "dry": true}}\n</tool_call>',
  },
  llama: {
    tools: 'llama3',
    reasoning: null,
    call: '{"name": "paint_it", "parameters": {"colour": "red", "coats": 2, "dry": true}}<|eot_id|>',
  },
  mistral: {
    tools: 'mistral-array',
    reasoning: null,
    call: /\[TOOL_CALLS\]\[\{"name": "paint_it", "arguments": \{"colour": "red", "coats": 2, "dry": true\}, "id": "\w{9}"\}\]/,
  },
} as const;

for (const family of families) {
  const form = forms[family];
  const biased = form.reasoning === null ? {} : { logit_bias: endsThinking };

  describe(`a template in the manner of ${family}`, () => {
    it('tells the form of calls and thinking', async () => {
      const { engine } = jsonOf<{ engine: Record<string, unknown> }>(
        await get(deploymentUrl(server, family)),
      );
      assert.equal(engine['chat_template'], 'option');
      assert.equal(engine['tool_format'], form.tools);
      assert.equal(engine['reasoning_format'], form.reasoning);
    });

    it('takes functions, calls and results of the history', async () => {
      const prompt = await promptOf(family, { messages: history, tools });
      assert.ok(prompt.includes('"get_weather"'), prompt);
      if (typeof form.call === 'string') assert.ok(prompt.includes(form.call), prompt);
      else assert.match(prompt, form.call);
      assert.match(prompt, /done/);
      const { response } = await client.chat.completions
        .create({ model: family, messages: history, tools, max_tokens: 1 } as Chat)
        .withResponse();
      assert.match(response.headers.get('x-parlance-receipt') ?? '', /tools=honoured/);
    });

    it('has forced calls come out as such', async () => {
      for (const seed of [1, 2, 3]) {
        for (const { function: one } of [weather, paint]) {
          const choice = { type: 'function', function: { name: one.name } };
          const answer = await ask(family, { ...biased, tools, tool_choice: choice, seed });
          checkCalling(answer);
          assert.equal(callsOf(answer).length, 1);
          assert.equal(callsOf(answer)[0]?.name, one.name);
        }
      }
      const required = {
        ...biased,
        tools: [paint],
        tool_choice: 'required',
        parallel_tool_calls: false,
      };
      const answer = await ask(family, required);
      checkCalling(answer);
      assert.equal(callsOf(answer).length, 1);
    });

    it('streams the same call', async () => {
      const choice = { type: 'function', function: { name: 'paint_it' } };
      const body = { ...biased, tools, tool_choice: choice };
      const whole = await ask(family, body);
      const stream = client.chat.completions.stream({
        model: family,
        messages: [question],
        temperature: 1,
        seed: 4,
        max_tokens: 400,
        ...body,
      } as never);
      const final = await stream.finalChatCompletion();
      assert.deepEqual(callsOf(final), callsOf(whole));
    });
  });
}

describe('a deployment', () => {
  it('that reads no calls refuses to force one', async () => {
    const options = {
      threads: 1,
      slots: 1,
      tool_format: 'none',
      chat_template: smallTemplates.llama,
    };
    await deploy(server, { name: 'mute', runtime: 'embedded', model: path, options });
    await assert.rejects(
      ask('mute', { tools, tool_choice: 'required' }),
      /400 .*tool_format: "none"/,
    );
    const answer = await ask('mute', { tools, max_tokens: 4 });
    assert.equal(messageOf(answer).tool_calls, undefined);
  });
});

describe('thinking', () => {
  const biased = { logit_bias: endsThinking };
  const guided = { ...biased, guided_choice: ['yes', 'no'] };

  it('has its own field and count, and a constraint begins after it', async () => {
    const answer = await ask('thinking', guided);
    const { content, reasoning_content: thought } = messageOf(answer);
    assert.match(content ?? '', /^(?:yes|no)$/);
    assert.ok(thought !== undefined && thought.length > 0);
    assert.doesNotMatch(thought, /think>/);
    assert.equal(answer.choices[0]?.finish_reason, 'stop');
    const counted = reasoningTokens(answer);
    assert.ok(counted > 0 && counted < (answer.usage?.completion_tokens ?? 0));
  });

  it('streams before the content', async () => {
    const whole = messageOf(await ask('thinking', guided));
    const stream = await client.chat.completions.create({
      model: 'thinking',
      messages: [question],
      temperature: 1,
      seed: 4,
      max_tokens: 400,
      stream: true,
      ...guided,
    } as OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming);
    let thought = '';
    let content = '';
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as Partial<Message> | undefined;
      if (delta?.reasoning_content !== undefined) {
        assert.equal(content, '');
        thought += delta.reasoning_content;
      }
      content += delta?.content ?? '';
    }
    assert.equal(thought, whole.reasoning_content);
    assert.equal(content, whole.content);
  });

  it('that is cut off is all thinking', async () => {
    const answer = await ask('thinking', { max_tokens: 5 });
    assert.equal(answer.choices[0]?.finish_reason, 'length');
    assert.equal(messageOf(answer).content ?? '', '');
    assert.equal(reasoningTokens(answer), 5);
  });

  it('is not looked into for stop strings', async () => {
    const plain = messageOf(await ask('thinking', guided));
    const letter = plain.reasoning_content?.trim()[0] ?? '';
    assert.notEqual(letter, '');
    const stopped = messageOf(await ask('thinking', { ...guided, stop: [letter, 'zz'] }));
    assert.equal(stopped.reasoning_content, plain.reasoning_content);
  });

  it('is switched off by the template’s variable, and by reasoning_effort none', async () => {
    for (const off of [
      { chat_template_kwargs: { enable_thinking: false } },
      { chat_template_args: { enable_thinking: false } },
      { reasoning_effort: 'none' },
    ]) {
      assert.match(await promptOf('thinking', off), /<think>\n\n<\/think>\n\n$/);
      const answer = await ask('thinking', { ...off, guided_choice: ['yes', 'no'] });
      const { content, reasoning_content: thought } = messageOf(answer);
      assert.match(content ?? '', /^(?:yes|no)$/);
      assert.equal(thought, undefined);
      assert.equal(reasoningTokens(answer), 0);
    }
    for (const on of [
      { chat_template_kwargs: { enable_thinking: true } },
      { reasoning_effort: 'high' },
    ]) {
      assert.match(await promptOf('thinking', on), /<think>\n$/);
    }
    await assert.rejects(ask('llama', { reasoning_effort: 'high' }), /reasoning_effort/);
    await assert.rejects(
      ask('llama', { chat_template_kwargs: { enable_thinking: false } }),
      /does not read `enable_thinking`/,
    );
  });

  it('of earlier turns reaches a template that shows it, and is refused by one that does not', async () => {
    const messages = [
      question,
      { role: 'assistant', content: 'Red.', reasoning_content: 'Red is warm.' },
      { role: 'user', content: 'Sure?' },
    ];
    const prompt = await promptOf('thinking', { messages });
    assert.match(prompt, /<think>\nRed is warm\.\n<\/think>\n\nRed\./);
    await assert.rejects(ask('llama', { messages }), /no place for reasoning_content/);
  });

  it('comes before forced calls', async () => {
    const answer = await ask('thinking', { ...biased, tools: [paint], tool_choice: 'required' });
    checkCalling(answer);
    assert.ok((messageOf(answer).reasoning_content ?? '').length > 0);
    assert.ok(reasoningTokens(answer) > 0);
  });
});
