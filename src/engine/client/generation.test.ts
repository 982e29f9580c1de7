import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { ChoiceStep } from '../protocol.ts';
import { StepStream } from './generation.ts';

const step = (tokens: number): ChoiceStep => ({ id: 1, choice: 0, text: 'x', tokens });
const noAbandon = (): void => assert.fail('the reader did not leave');

test('steps that came since the last read come together, and a late one wakes the reader', async () => {
  const stream = new StepStream(noAbandon);
  stream.push([step(1)]);
  stream.push([step(2)]);
  assert.deepEqual(await stream.next(), { done: false, value: [step(1), step(2)] });
  const late = stream.next();
  stream.push([step(3)]);
  assert.deepEqual(await late, { done: false, value: [step(3)] });
});

test('what came before the end is read, then the stream is over', async () => {
  const stream = new StepStream(noAbandon);
  stream.push([step(1)]);
  stream.end();
  stream.push([step(2)]);
  const read: (readonly ChoiceStep[])[] = [];
  for await (const steps of stream) read.push(steps);
  assert.deepEqual(read, [[step(1)]]);
});

test('a failure reaches a reader that waits and every reader after', async () => {
  const stream = new StepStream(noAbandon);
  const waiting = stream.next();
  stream.fail(new ParlanceError('engine_failed', 'gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(stream.next(), /gone/);
});

test('a failure after the end changes nothing', async () => {
  const stream = new StepStream(noAbandon);
  stream.push([step(1)]);
  stream.end();
  stream.fail(new ParlanceError('engine_failed', 'gone'));
  assert.equal((await stream.next()).done, false);
  assert.equal((await stream.next()).done, true);
});

test('leaving the loop early abandons the generation once', async () => {
  let abandoned = 0;
  const stream = new StepStream(() => {
    abandoned += 1;
  });
  stream.push([step(1)]);
  for await (const steps of stream) {
    assert.equal(steps.length, 1);
    break;
  }
  await stream.return();
  assert.equal(abandoned, 1);
  assert.equal((await stream.next()).done, true);
});
