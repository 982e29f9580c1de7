/** Event lists in, payload lists and bodies out; every one is held against the contract's schemas. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

import {
  chatCompletionChunkSchema,
  chatCompletionSchema,
  completionChunkSchema,
  completionSchema,
  promptCompletionChunkSchema,
  promptCompletionSchema,
} from '../../contract/index.ts';
import type { AnswerEvent, TokenLogprob } from '../../targets/index.ts';
import { finish, greeting, text, usageOf } from '../testing/fake-services.ts';
import { toAnswerBody } from './answer-body.ts';
import type { AnswerHead, AnswerShape } from './answer-head.ts';
import {
  createChunkStream,
  end,
  isComplete,
  startState,
  step,
  type StreamPlan,
} from './chunk-stream.ts';
import { collect, emptyCollection, isCollected } from './collect.ts';

type Batches = readonly (readonly AnswerEvent[])[];
type Json = Record<string, unknown>;

const uuid = '01a1feec-8b80-7288-b7fd-4516f1efb797';

const headOf = (shape: AnswerShape): AnswerHead => ({
  id: shape === 'chat' ? uuid : `cmpl-${uuid}`,
  created: 1_700_000_000,
  model: 'a "quoted" name',
  episodeId: shape === 'chat' ? uuid : null,
  fingerprint: 'fp_0',
});

const chunkSchemas: Record<AnswerShape, TSchema> = {
  chat: chatCompletionChunkSchema,
  prompt: promptCompletionChunkSchema,
  text: completionChunkSchema,
};

const bodySchemas: Record<AnswerShape, TSchema> = {
  chat: chatCompletionSchema,
  prompt: promptCompletionSchema,
  text: completionSchema,
};

const handed = { firstGenTokens: [5], ctxRequestId: 12, opaqueState: 'a.b' };
const handedOver: AnswerEvent = {
  type: 'finish',
  choice: 0,
  reason: 'length',
  stopReason: null,
  handed,
};
const handover = {
  request_type: 'context_only',
  first_gen_tokens: [5],
  ctx_request_id: 12,
  opaque_state: 'a.b',
};

function check(schema: TSchema, value: unknown): void {
  const compiled = Compile(schema);
  const [, errors] = [compiled.Check(value), [...compiled.Errors(value)]];
  assert.deepEqual(errors, [], JSON.stringify(value));
}

function chunks(batches: Batches, more: Partial<StreamPlan> = {}): Json[] {
  const shape = more.shape ?? 'chat';
  const plan = {
    shape,
    head: headOf(shape),
    choices: 1,
    usage: 'none',
    continuous: false,
  } as const;
  const stream = createChunkStream({ ...plan, logprobs: false, ...more });
  let state = startState;
  const payloads: string[] = [];
  for (const batch of batches) {
    const next = step(stream, state, batch);
    state = next.state;
    payloads.push(...next.payloads);
  }
  assert.ok(isComplete(stream, state));
  payloads.push(...end(stream, state));
  const parsed = payloads.map((payload) => JSON.parse(payload) as Json);
  for (const one of parsed) check(chunkSchemas[shape], one);
  return parsed;
}

function body(
  batches: Batches,
  more: { shape?: AnswerShape; choices?: number; logprobs?: boolean } = {},
): Json {
  const { shape = 'chat', choices = 1, logprobs = false } = more;
  const collected = emptyCollection(choices);
  for (const batch of batches) collect(collected, batch);
  assert.ok(isCollected(collected));
  const value = toAnswerBody(collected, { shape, head: headOf(shape), logprobs });
  check(bodySchemas[shape], value);
  return value;
}

const choiceOf = (chunk: Json | undefined): Json =>
  (chunk?.['choices'] as Json[] | undefined)?.[0] ?? {};
const choicesOf = (list: readonly Json[]): Json[] => list.map(choiceOf);

describe('a stream of chat chunks', () => {
  test('begins with the role, goes on with text, ends with a finish', () => {
    const list = chunks(greeting);
    assert.deepEqual(choicesOf(list), [
      { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'Hello' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: ' world' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop', stop_reason: null },
    ]);
    const [first] = list;
    assert.deepEqual(
      { ...first, choices: undefined },
      {
        id: uuid,
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'a "quoted" name',
        episode_id: uuid,
        system_fingerprint: 'fp_0',
        service_tier: 'default',
        choices: undefined,
      },
    );
    assert.ok(list.every((chunk) => !('usage' in chunk)));
  });

  test('escapes text as JSON does', () => {
    const words = 'a"\\\n\u2028 \u{1f600} \ud800';
    const list = chunks([[text(words)], [finish(), usageOf(1, 1)]]);
    assert.deepEqual(choiceOf(list[1])['delta'], { content: words });
  });

  test('empty text is not worth a chunk', () => {
    assert.equal(chunks([[text('')], [finish(), usageOf(1, 1)]]).length, 2);
  });

  test('usage rides on the finish of the last choice, and counts all', () => {
    const list = chunks(
      [
        [text('a', 1), text('b', 0), usageOf(5, 2)],
        [finish(1), usageOf(5, 3)],
        [finish(0)],
        [usageOf(5, 4)],
      ],
      { choices: 2, usage: 'last' },
    );
    assert.deepEqual(
      list.map((chunk) => (chunk['usage'] as Json | undefined)?.['completion_tokens']),
      [undefined, undefined, undefined, undefined, undefined, 4],
    );
    assert.deepEqual(choiceOf(list.at(-1)), {
      index: 0,
      delta: {},
      logprobs: null,
      finish_reason: 'stop',
      stop_reason: null,
    });
  });

  test('usage in a chunk of its own, where that is configured', () => {
    const list = chunks(greeting, { usage: 'separate' });
    assert.deepEqual(list.at(-1)?.['choices'], []);
    assert.equal((list.at(-1)?.['usage'] as Json | undefined)?.['total_tokens'], 12);
    assert.equal(choiceOf(list.at(-2))['finish_reason'], 'stop');
    assert.ok(!('usage' in (list.at(-2) ?? {})));
  });

  test('usage in every chunk counts the chunk’s own tokens', () => {
    const list = chunks(greeting, { continuous: true });
    assert.deepEqual(
      list.map((chunk) => (chunk['usage'] as Json)['completion_tokens']),
      [1, 1, 2, 3],
    );
  });

  test('a held context goes out with the finish', () => {
    const list = chunks([[text('a')], [handedOver, usageOf(1, 1)]]);
    assert.deepEqual(choiceOf(list.at(-1))['disaggregated_params'], handover);
  });

  test('tool calls and reasoning', () => {
    const list = chunks([
      [{ type: 'reasoning', choice: 0, text: 'hm' }],
      [{ type: 'tool_call_start', choice: 0, index: 0, id: 'call_1', name: 'f' }],
      [{ type: 'tool_call_delta', choice: 0, index: 0, arguments: '{"a":1}' }],
      [{ type: 'finish', choice: 0, reason: 'tool_calls', stopReason: 7 }, usageOf(1, 1)],
    ]);
    assert.deepEqual(
      choicesOf(list).map((choice) => choice['delta']),
      [
        { role: 'assistant', content: '' },
        { reasoning_content: 'hm' },
        {
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } },
          ],
        },
        { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
        {},
      ],
    );
    assert.equal(choiceOf(list.at(-1))['stop_reason'], 7);
  });

  test('a step changes no state that came before it', () => {
    const stream = createChunkStream({
      shape: 'chat',
      head: headOf('chat'),
      choices: 1,
      usage: 'last',
      continuous: false,
      logprobs: false,
    });
    const once = step(stream, startState, [text('a')]);
    const again = step(stream, startState, [text('a')]);
    assert.deepEqual(once, again);
  });
});

test('a raw prompt streams the same choices under another name', () => {
  const list = chunks(greeting, { shape: 'prompt' });
  assert.equal(list[0]?.['object'], 'text_completion.chunk');
  assert.equal('episode_id' in (list[0] ?? {}), false);
  assert.deepEqual(choicesOf(list), choicesOf(chunks(greeting)));
});

const scored = (token: string, logprob: number, bytes: readonly number[] | null): TokenLogprob => ({
  token,
  logprob,
  bytes,
  top: [
    { token, logprob, bytes },
    { token: 'z', logprob: -9, bytes: [122] },
  ],
});

/** An echoed prompt, then a character of two tokens, then a letter. */
const withLogprobs: Batches = [
  [text('é:')],
  [{ type: 'text', choice: 0, text: '', logprobs: [scored('�', -1, [0xe2, 0x82])] }],
  [{ type: 'text', choice: 0, text: '€', logprobs: [scored('�', -0.5, [0xac])] }],
  [{ type: 'text', choice: 0, text: 'x', logprobs: [scored('x', -0.25, null)] }],
  [finish(), usageOf(2, 3)],
];

describe('log probabilities', () => {
  test('in chat chunks stand beside their text', () => {
    const list = choicesOf(chunks(withLogprobs, { logprobs: true }));
    assert.deepEqual(list[2]?.['logprobs'], {
      content: [
        {
          token: '�',
          logprob: -1,
          bytes: [0xe2, 0x82],
          top_logprobs: [
            { token: '�', logprob: -1, bytes: [0xe2, 0x82] },
            { token: 'z', logprob: -9, bytes: [122] },
          ],
        },
      ],
      refusal: null,
    });
    assert.equal(list[1]?.['logprobs'], null);
  });

  test('in a chat body are one list', () => {
    const [choice] = body(withLogprobs, { logprobs: true })['choices'] as Json[];
    const logprobs = choice?.['logprobs'] as { content: Json[] } | undefined;
    assert.deepEqual(
      logprobs?.content.map((one) => one['logprob']),
      [-1, -0.5, -0.25],
    );
  });

  test('in the older form have offsets in code points, after an echoed prompt', () => {
    const [choice] = body(withLogprobs, { shape: 'text', logprobs: true })['choices'] as Json[];
    assert.deepEqual(choice?.['logprobs'], {
      tokens: ['�', '�', 'x'],
      token_logprobs: [-1, -0.5, -0.25],
      top_logprobs: [
        { '�': -1, z: -9 },
        { '�': -0.5, z: -9 },
        { x: -0.25, z: -9 },
      ],
      text_offset: [2, 3, 3],
    });
  });

  test('in the older stream go on from chunk to chunk', () => {
    const list = choicesOf(chunks(withLogprobs, { shape: 'text', logprobs: true }));
    const offsets = list.map((one) => (one['logprobs'] as Json | null)?.['text_offset']);
    assert.deepEqual(offsets, [undefined, [2], [3], [3], undefined]);
  });
});

describe('a legacy stream', () => {
  test('has text choices and no opening chunk', () => {
    const list = chunks(greeting, { shape: 'text', usage: 'last' });
    assert.equal(list[0]?.['object'], 'text_completion');
    assert.deepEqual(choicesOf(list), [
      { index: 0, text: 'Hello', logprobs: null, finish_reason: null },
      { index: 0, text: ' world', logprobs: null, finish_reason: null },
      { index: 0, text: '', logprobs: null, finish_reason: 'stop', stop_reason: null },
    ]);
    assert.equal((list.at(-1)?.['usage'] as Json | undefined)?.['completion_tokens'], 3);
  });
});

describe('a body', () => {
  test('of a raw prompt has both message and text', () => {
    const value = body(greeting, { shape: 'prompt' });
    assert.equal(value['object'], 'text_completion');
    const [choice] = value['choices'] as Json[];
    assert.equal(choice?.['text'], 'Hello world');
    assert.deepEqual(choice?.['message'], {
      role: 'assistant',
      content: 'Hello world',
      refusal: null,
    });
  });

  test('with tool calls and no text has null content', () => {
    const value = body([
      [{ type: 'tool_call_start', choice: 0, index: 0, id: 'c', name: 'f' }],
      [{ type: 'tool_call_delta', choice: 0, index: 0, arguments: '{"a"' }],
      [{ type: 'tool_call_delta', choice: 0, index: 0, arguments: ':1}' }],
      [{ type: 'finish', choice: 0, reason: 'tool_calls', stopReason: null }, usageOf(1, 1)],
    ]);
    const [choice] = value['choices'] as Json[];
    assert.deepEqual(choice?.['message'], {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    });
  });

  test('a held context is told with its choice', () => {
    const value = body([[text('a')], [handedOver, usageOf(1, 1)]]);
    const [choice] = value['choices'] as Json[];
    assert.deepEqual(choice?.['disaggregated_params'], handover);
    assert.equal(choice['finish_reason'], 'length');
  });

  test('has each choice under its own index, whatever came first', () => {
    const value = body([[text('b', 1), text('a', 0)], [finish(1)], [finish(0), usageOf(1, 2)]], {
      choices: 2,
    });
    const choices = value['choices'] as { index: number; message: Json }[];
    assert.deepEqual(
      choices.map((choice) => [choice.index, choice.message['content']]),
      [
        [0, 'a'],
        [1, 'b'],
      ],
    );
  });
});
