/** Calls of functions with the real model and the official package: forced, allowed, in turns. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI, { BadRequestError } from 'openai';
import { model } from '../../support/ask.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { callsOf, checkCalling, paint, tools, weather } from './functions.ts';

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;

let server: ServerProcess;
let client: OpenAI;

const question = { role: 'user' as const, content: 'What is the weather in Paris?' };
const basic = {
  model,
  messages: [question],
  temperature: 0,
  max_tokens: 200,
  tools,
} satisfies Body;
const named = (name: string): Pick<Body, 'tool_choice'> => ({
  tool_choice: { type: 'function', function: { name } },
});

const ask = (extra: Partial<Body> = {}) => client.chat.completions.create({ ...basic, ...extra });

async function askWithReceipt(extra: Partial<Body>) {
  const { data, response } = await client.chat.completions
    .create({ ...basic, ...extra })
    .withResponse();
  return { data, receipt: response.headers.get('x-parlance-receipt') ?? '' };
}

interface Plan {
  readonly prompt: string;
  readonly receipt: readonly { readonly name: string; readonly note?: string }[];
}

/** A schema that nobody can enforce or check. */
const unsupported = (strict: boolean): OpenAI.Chat.Completions.ChatCompletionFunctionTool => ({
  type: 'function',
  function: {
    name: 'twice',
    strict,
    parameters: {
      type: 'object',
      properties: { word: { type: 'string', pattern: String.raw`^(\w+) \1$` } },
    },
  },
});

before(async () => {
  server = await sharedServer();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
});

describe('a forced call', () => {
  it('is one or more of any function with `required`', async () => {
    const { data, receipt } = await askWithReceipt({ tool_choice: 'required' });
    checkCalling(data);
    assert.ok(callsOf(data).length >= 1);
    assert.match(receipt, /tools=emulated/);
    assert.match(receipt, /tool_choice=honoured/);
    assert.ok((data.usage?.completion_tokens ?? 0) > 10);
  });

  it('is exactly one of the named function', async () => {
    for (const { function: one } of [weather, paint]) {
      const answer = await ask(named(one.name));
      checkCalling(answer);
      assert.deepEqual(
        callsOf(answer).map(({ name }) => name),
        [one.name],
      );
    }
  });

  it('is exactly one without parallel calls', async () => {
    const answer = await ask({ tool_choice: 'required', parallel_tool_calls: false });
    checkCalling(answer);
    assert.equal(callsOf(answer).length, 1);
  });

  it('is one of the allowed functions', async () => {
    const answer = await ask({
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', name: 'paint_it' }] },
      },
    });
    checkCalling(answer);
    for (const { name } of callsOf(answer)) assert.equal(name, 'paint_it');
  });

  it('may have the old names', async () => {
    const { tools: _, ...rest } = basic;
    const { data, receipt } = await client.chat.completions
      .create({
        ...rest,
        functions: [weather.function],
        function_call: { name: 'get_weather' },
      })
      .withResponse()
      .then(({ data: answer, response }) => ({
        data: answer,
        receipt: response.headers.get('x-parlance-receipt') ?? '',
      }));
    assert.equal(callsOf(data).length, 1);
    assert.match(receipt, /functions=emulated; function_call=honoured/);
  });

  it('is made in each of several choices, whatever is drawn', async () => {
    const answer = await ask({ tool_choice: 'required', n: 3, temperature: 1, seed: 11 });
    assert.equal(answer.choices.length, 3);
    for (const { index, finish_reason: reason } of answer.choices) {
      if (reason !== 'length') checkCalling(answer, index);
      if (reason !== 'length') assert.ok(callsOf(answer, index).length >= 1);
    }
    assert.ok(answer.choices.some(({ finish_reason: reason }) => reason === 'tool_calls'));
  });

  it('is not ended by stop strings within it', async () => {
    const plain = await ask(named('get_weather'));
    const stopped = await ask({ ...named('get_weather'), stop: ['city', 'celsius', '"', '{'] });
    checkCalling(stopped);
    assert.deepEqual(callsOf(stopped), callsOf(plain));
  });

  it('that is cut off says so, and keeps what was written', async () => {
    const { data, receipt } = await askWithReceipt({ ...named('get_weather'), max_tokens: 22 });
    const [choice] = data.choices;
    assert.equal(choice?.finish_reason, 'length');
    const [call] = choice.message.tool_calls ?? [];
    assert.ok(call?.type === 'function');
    assert.equal(call.function.name, 'get_weather');
    assert.throws(() => JSON.parse(call.function.arguments) as unknown);
    assert.match(receipt, /incomplete: cut off by max_tokens/);
    assert.equal(data.usage?.completion_tokens, 22);
  });

  it('goes before a form that is asked of the text', async () => {
    const form = { response_format: { type: 'json_object' } } as const;
    const forced = await ask({ ...form, ...named('paint_it') });
    checkCalling(forced);
    const none = await ask({ ...form, tool_choice: 'none', max_tokens: 120 });
    const [choice] = none.choices;
    assert.equal(choice?.message.tool_calls, undefined);
    if (choice?.finish_reason === 'stop') JSON.parse(choice.message.content ?? '');
    assert.match(choice?.message.content ?? '', /^\s*\{/);
  });
});

describe('functions', () => {
  it('are neither shown nor called with `none`', async () => {
    const answer = await ask({ tool_choice: 'none', max_tokens: 40 });
    assert.equal(answer.choices[0]?.message.tool_calls, undefined);
    assert.ok((answer.usage?.prompt_tokens ?? 0) < 60);
  });

  it('may be answered with text, and stop strings end that', async () => {
    const answer = await ask({ stop: ['Paris'], max_tokens: 60 });
    const [choice] = answer.choices;
    assert.doesNotMatch(choice?.message.content ?? '', /Paris/);
    assert.equal(choice?.finish_reason, 'stop');
  });

  it('that are strict with a schema that cannot be kept are refused by its keyword', async () => {
    for (const strict of [true, false]) {
      const asking = ask({ tools: [unsupported(strict)], tool_choice: 'required' });
      await assert.rejects(asking, (error: unknown) => {
        assert.ok(error instanceof BadRequestError);
        assert.match(error.message, /parameters of twice: .*backreference/);
        assert.equal(error.param, 'tools');
        return true;
      });
    }
    const body = { ...basic, tools: [unsupported(false)], dry_run: true };
    const plan = (await client.chat.completions.create(body)) as unknown as Plan;
    assert.match(
      plan.receipt.find(({ name }) => name === 'tools')?.note ?? '',
      /arguments of twice may be any object: \w+ cannot be enforced/,
    );
  });

  it('that do not exist cannot be chosen', async () => {
    await assert.rejects(ask(named('get_wether')), /did you mean "get_weather"/);
  });
});

describe('the history of calls', () => {
  it('goes to the model, with results, and the model answers', async () => {
    const first = await ask(named('get_weather'));
    const message = first.choices[0]?.message;
    assert.ok(message !== undefined);
    const id = message.tool_calls?.[0]?.id ?? '';
    const messages = [
      question,
      message,
      { role: 'tool' as const, tool_call_id: id, content: '{"temperature": 18}' },
    ];
    const { data, receipt } = await askWithReceipt({ messages, tool_choice: 'none' });
    assert.equal(data.choices[0]?.message.tool_calls, undefined);
    assert.match(receipt, /messages\[1\]\.tool_calls=emulated/);
    const body = { ...basic, messages, dry_run: true };
    const plan = (await client.chat.completions.create(body)) as unknown as Plan;
    assert.match(plan.prompt, /<tools>\n\{"type": "function".*"get_weather"/);
    assert.match(plan.prompt, /<tool_call>\n\{"name": "get_weather", "arguments": \{/);
    assert.match(plan.prompt, /<tool_response>\n\{"temperature": 18\}\n<\/tool_response>/);
  });
});

describe('a model that may call', () => {
  const repeat = {
    role: 'user' as const,
    content:
      'Repeat this exactly, and nothing else:\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius"}}\n</tool_call>',
  };

  it('calls when it writes a call', async () => {
    const answer = await ask({ messages: [repeat], tool_choice: 'auto' });
    checkCalling(answer);
    assert.deepEqual(callsOf(answer), [
      { name: 'get_weather', arguments: { city: 'Paris', unit: 'celsius' } },
    ]);
  });

  it('calls only what is there: what it writes for something else is text', async () => {
    for (const extra of [{ tools: [paint] }, { tool_choice: 'none' as const }]) {
      const answer = await ask({ messages: [repeat], ...extra, max_tokens: 60 });
      const [choice] = answer.choices;
      for (const { name } of callsOf(answer)) assert.equal(name, 'paint_it');
      if (extra.tool_choice === 'none') {
        assert.equal(choice?.message.tool_calls, undefined);
        assert.match(choice?.message.content ?? '', /get_weather/);
      }
    }
  });

  it('learns it from calls of earlier turns', async () => {
    const city = (name: string) => ({ role: 'user' as const, content: `The weather in ${name}?` });
    const call = (id: string, name: string) => ({
      role: 'assistant' as const,
      content: null,
      tool_calls: [
        {
          id,
          type: 'function' as const,
          function: { name: 'get_weather', arguments: `{"city": "${name}", "unit": "celsius"}` },
        },
      ],
    });
    const answer = await ask({
      messages: [city('Rome'), call('a', 'Rome'), city('Oslo'), call('b', 'Oslo'), city('Paris')],
      tools: [weather],
    });
    checkCalling(answer);
    assert.equal(callsOf(answer)[0]?.arguments['city'], 'Paris');
  });
});

describe('streamed calls', () => {
  it('come name first, then in fragments that the package puts together', async () => {
    const body = {
      ...basic,
      tool_choice: 'required' as const,
      stream_options: { include_usage: true },
    };
    const whole = await client.chat.completions.create({ ...basic, tool_choice: 'required' });
    const stream = client.chat.completions.stream(body);
    const seen = new Map<number, { name: string; fragments: string[] }>();
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      assert.ok(choice !== undefined);
      for (const { index, id, function: part } of choice.delta.tool_calls ?? []) {
        const known = seen.get(index);
        if (known === undefined) {
          assert.equal(index, seen.size);
          assert.ok(id !== undefined && part?.name !== undefined);
          assert.equal(part.arguments, '');
          seen.set(index, { name: part.name, fragments: [] });
        } else {
          assert.equal(id, undefined);
          assert.equal(part?.name, undefined);
          known.fragments.push(part?.arguments ?? '');
        }
      }
    }
    const final = await stream.finalChatCompletion();
    checkSame(final, whole);
    assert.deepEqual(final.usage, whole.usage);
    for (const { fragments } of seen.values()) assert.ok(fragments.length > 2);
  });
});

/** IDs are drawn anew. */
function checkSame(
  one: OpenAI.Chat.Completions.ChatCompletion,
  other: OpenAI.Chat.Completions.ChatCompletion,
): void {
  assert.deepEqual(callsOf(one), callsOf(other));
  assert.equal(one.choices[0]?.finish_reason, other.choices[0]?.finish_reason);
}
