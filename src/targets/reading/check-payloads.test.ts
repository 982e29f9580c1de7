import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ConstraintSpec, Verifier } from '../../constraint/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import type { AnswerCheck } from './check-answer.ts';
import { checkPayloads } from './check-payloads.ts';

const yes: ConstraintSpec = { kind: 'choice', options: ['yes'] };

/** Only `yes` is good. */
const verifier: Verifier = {
  verify: (_, text) =>
    Promise.resolve(
      text === 'yes' ? { ok: true } : { ok: false, reason: 'It is not yes.', keyword: 'choice' },
    ),
  findUnsupported: () => Promise.resolve(null),
  warm: () => {},
  close: () => Promise.resolve(),
};

const content: AnswerCheck = {
  verifier,
  content: yes,
  callable: new Set(),
  calls: new Map(),
  callNeeded: false,
  stops: false,
};
const called: AnswerCheck = {
  ...content,
  content: null,
  callable: new Set(['good']),
  calls: new Map([['good', yes]]),
  callNeeded: true,
};

/** What was passed on, and what was said to be incomplete. */
async function pass(check: AnswerCheck, payloads: readonly unknown[]) {
  const why: string[] = [];
  const passed: string[] = [];
  const source = (async function* source() {
    for (const one of payloads) yield await Promise.resolve(JSON.stringify(one));
  })();
  let error: unknown = null;
  try {
    for await (const one of checkPayloads(source, check, (words) => why.push(words)))
      passed.push(one);
  } catch (thrown) {
    error = thrown;
  }
  const reason = error instanceof ParlanceError ? error.reason : error;
  return { passed: passed.length, why, reason };
}

const delta = (text: string, finish: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta: { content: text }, finish_reason: finish, ...more }],
});
const call = (index: number | null, name: string, args: string) => ({
  choices: [
    {
      delta: { tool_calls: [{ index, function: { name, arguments: args } }] },
      finish_reason: 'tool_calls',
    },
  ],
});
const failed = 'constraint_not_met';

describe('answers that are passed on', () => {
  it('finish only where they are as asked for', async () => {
    const good = await pass(content, [delta('y'), delta('es'), delta('', 'stop')]);
    assert.deepEqual(good, { passed: 3, why: [], reason: null });
    const bad = await pass(content, [delta('n'), delta('o'), delta('', 'stop')]);
    assert.deepEqual(bad, { passed: 2, why: [], reason: failed });
    const cut = await pass(content, [delta('y'), delta('', 'length')]);
    assert.deepEqual(cut, { passed: 2, why: ['incomplete: cut off by max_tokens'], reason: null });
  });

  it('are checked each, whatever order they come in', async () => {
    const both = {
      choices: [delta('yes', 'stop').choices[0], { index: 1, delta: { content: 'no' } }],
    };
    const end = { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] };
    assert.deepEqual(await pass(content, [both, end]), { passed: 1, why: [], reason: failed });
  });

  it('do not slip through without a finish, or behind one', async () => {
    assert.equal((await pass(content, [delta('no')])).reason, failed);
    assert.equal((await pass(content, [delta('yes')])).reason, null);
    assert.equal((await pass(content, [delta('yes', 'stop'), delta(' and no')])).reason, failed);
    const whole = { choices: [{ message: { content: 'no' }, finish_reason: null }] };
    assert.deepEqual(await pass(content, [whole]), { passed: 0, why: [], reason: failed });
  });

  it('may call what they may, however the calls are counted', async () => {
    for (const index of [0, 1, 7, null]) {
      assert.equal((await pass(called, [call(index, 'good', 'yes')])).reason, null);
      assert.equal((await pass(called, [call(index, 'good', 'no')])).reason, failed);
    }
  });

  it('may call nothing else, in place of content neither', async () => {
    assert.equal((await pass(called, [call(0, 'other', 'yes')])).reason, failed);
    assert.equal((await pass(called, [call(0, 'constructor', 'yes')])).reason, failed);
    assert.equal((await pass(content, [call(0, 'good', 'yes')])).reason, failed);
  });
});
