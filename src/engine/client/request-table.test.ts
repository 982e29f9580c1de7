import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { Accepted, ChoiceStep, FromEngine } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { RequestTable } from './request-table.ts';

const load = { running: 1, waiting: 0 };
const accepted: Accepted = {
  promptTokens: 1,
  truncatedTokens: 0,
  maxTokens: 2,
  maxTokensReduced: false,
};
const accept = (id: number) => ({ type: 'accepted', id, accepted, load }) as const;
const part = (id: number, choice: number, finish = false): ChoiceStep => ({
  id,
  choice,
  text: `${id}/${choice}`,
  tokens: 1,
  ...(finish ? { finish: { reason: 'stop', stopReason: null } } : {}),
});
const steps = (...choices: ChoiceStep[]) => ({ type: 'step', choices, load }) as const;
const withReason = (reason: string) => (error: unknown) =>
  error instanceof ParlanceError && error.reason === reason;

function setUp() {
  const cancelled: number[] = [];
  const released: number[] = [];
  const table = new RequestTable({
    cancel: (id) => cancelled.push(id),
    onReleased: (milliseconds) => released.push(milliseconds),
  });
  const open = (id: number, signal = new AbortController().signal, choices = 1, dryRun = false) =>
    table.open(id, makeRequest('a', {}, { choices, dryRun }), signal, () => {});
  const collect = async (stream: AsyncIterable<readonly ChoiceStep[]>) => {
    const texts: string[] = [];
    for await (const batch of stream) texts.push(...batch.map(({ text }) => text));
    return texts;
  };
  return { table, open, collect, cancelled, released };
}

test('each request gets its own steps and ends with its last choice', async () => {
  const { table, open, collect } = setUp();
  const first = open(1, undefined, 2);
  const second = open(2);
  table.receive(accept(1));
  table.receive(accept(2));
  table.receive(steps(part(1, 0), part(2, 0, true), part(1, 1, true)));
  table.receive(steps(part(1, 0, true)));
  assert.deepEqual(await collect((await first).steps), ['1/0', '1/1', '1/0']);
  assert.deepEqual(await collect((await second).steps), ['2/0']);
});

test('a rejection carries the engine’s reason, also in mid-generation', async () => {
  const { table, open, collect } = setUp();
  const early = open(1);
  const late = open(2);
  const reject = (
    id: number,
    reason: 'queue_full' | 'engine_failed',
  ): FromEngine & { type: 'rejected' } => ({
    type: 'rejected',
    id,
    reason,
    message: 'no',
    param: null,
    load,
  });
  table.receive(reject(1, 'queue_full'));
  await assert.rejects(early, (error: ParlanceError) => error.retryAfter === 1);
  table.receive(accept(2));
  const { steps: stream } = await late;
  table.receive(reject(2, 'engine_failed'));
  await assert.rejects(collect(stream), withReason('engine_failed'));
});

test('a dry run is over when it is accepted', async () => {
  const { table, open, collect } = setUp();
  const plan = open(1, undefined, 1, true);
  table.receive(accept(1));
  const generation = await plan;
  assert.deepEqual(generation.accepted, accepted);
  assert.deepEqual(await collect(generation.steps), []);
});

test('an abort settles at once, tells the engine, and is measured when it lets go', async () => {
  const { table, open, collect, cancelled, released } = setUp();
  const waiting = new AbortController();
  const running = new AbortController();
  const first = open(1, waiting.signal);
  const second = open(2, running.signal);
  table.receive(accept(2));
  const { steps: stream } = await second;
  waiting.abort();
  running.abort();
  await assert.rejects(first, withReason('cancelled'));
  await assert.rejects(collect(stream), withReason('cancelled'));
  assert.deepEqual(cancelled, [1, 2]);
  assert.deepEqual(released, []);
  table.receive(steps(part(2, 0)));
  table.receive({ type: 'released', id: 2, load });
  table.receive({ type: 'released', id: 2, load });
  assert.equal(released.length, 1);
});

test('leaving the loop cancels, and an abort after the end does not', async () => {
  const { table, open, cancelled } = setUp();
  const controller = new AbortController();
  const first = open(1);
  const second = open(2, controller.signal);
  table.receive(accept(1));
  table.receive(accept(2));
  table.receive(steps(part(1, 0), part(2, 0, true)));
  await second;
  assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
  for await (const batch of (await first).steps) {
    assert.equal(batch.length, 1);
    break;
  }
  controller.abort();
  assert.deepEqual(cancelled, [1]);
});

test('when the process is gone everything it had fails, and what it held is free', async () => {
  const { table, open, collect, released } = setUp();
  const controller = new AbortController();
  const early = open(1);
  const late = open(2);
  const left = open(3, controller.signal);
  table.receive(accept(2));
  const { steps: stream } = await late;
  controller.abort();
  await assert.rejects(left, withReason('cancelled'));
  table.failAll(new ParlanceError('engine_failed', 'gone'));
  await assert.rejects(early, withReason('engine_failed'));
  await assert.rejects(collect(stream), withReason('engine_failed'));
  assert.equal(released.length, 1);
});
