/** Several answers as one, wire payloads read back as events, usage found in bytes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import type { AnswerEvent } from '../../targets/index.ts';
import { finish, text, untilAborted, usageOf } from '../testing/fake-services.ts';
import { mergeAnswers } from './merge-answers.ts';
import { eventsOfPayload } from './wire-events.ts';

type Batches = readonly (readonly AnswerEvent[])[];

async function* answerOf(batches: Batches): AsyncGenerator<readonly AnswerEvent[]> {
  yield* batches;
}

describe('merged answers', () => {
  test('are numbered prompt-major, and their usage adds up', async () => {
    const each: Batches = [
      [text('a', 0), text('b', 1), usageOf(3, 2)],
      [finish(0), finish(1), usageOf(3, 4)],
    ];
    const all: AnswerEvent[] = [];
    const merged = mergeAnswers([answerOf(each), answerOf(each)], {
      choicesEach: 2,
      abort: () => {},
    });
    for await (const batch of merged) all.push(...batch);
    const texts = all.filter((event) => event.type === 'text');
    assert.deepEqual(new Set(texts.map((event) => event.choice)), new Set([0, 1, 2, 3]));
    assert.equal(all.filter((event) => event.type === 'finish').length, 4);
    const last = all.findLast((event) => event.type === 'usage');
    assert.deepEqual(last, usageOf(6, 8));
  });

  test('end together when one fails', async () => {
    const controller = new AbortController();
    const ended: string[] = [];
    async function* endless(): AsyncGenerator<readonly AnswerEvent[]> {
      try {
        yield [text('x')];
        await untilAborted(controller.signal);
      } finally {
        ended.push('endless');
      }
    }
    async function* failing(): AsyncGenerator<readonly AnswerEvent[]> {
      yield [text('y')];
      throw new ParlanceError('engine_failed', 'It ended.');
    }
    const merged = mergeAnswers([endless(), failing()], {
      choicesEach: 1,
      abort: () => controller.abort(),
    });
    const read = async (): Promise<void> => {
      for await (const _ of merged);
    };
    await assert.rejects(read(), { reason: 'engine_failed' });
    assert.deepEqual(ended, ['endless']);
  });
});

describe('a payload read back', () => {
  test('as a chunk of the chat route', () => {
    const payload =
      '{"choices":[{"index":1,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[]}]},"finish_reason":"stop","stop_reason":"#"}],"usage":{"prompt_tokens":2,"completion_tokens":1}}';
    assert.deepEqual(eventsOfPayload(payload), [
      {
        type: 'text',
        choice: 1,
        text: 'a',
        logprobs: [{ token: 'a', logprob: -1, bytes: [97], top: [] }],
      },
      { type: 'finish', choice: 1, reason: 'stop', stopReason: '#' },
      usageOf(2, 1),
    ]);
  });

  test('as a body with messages', () => {
    const payload = '{"choices":[{"message":{"content":"hi"},"finish_reason":"length"}]}';
    assert.deepEqual(eventsOfPayload(payload), [
      { type: 'text', choice: 0, text: 'hi' },
      { type: 'finish', choice: 0, reason: 'length', stopReason: null },
    ]);
  });

  test('that is no answer at all is the upstream’s failure', () => {
    assert.throws(() => eventsOfPayload('{"error":"x"}'), { reason: 'upstream_failed' });
  });
});
