import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './turns.ts';

const { signal: never } = new AbortController();

test('work begins when the work before it has ended, also when that failed', async () => {
  const inTurn = createTurns();
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = inTurn(never, async () => {
    told.push('first');
    await gate.promise;
    throw new Error('broken');
  });
  const second = inTurn(never, async () => told.push('second'));
  await Promise.resolve();
  gate.resolve();
  await assert.rejects(first, /broken/);
  await second;
  assert.deepEqual(told, ['first', 'second']);
});

test('whoever gives up while waiting waits no longer, and keeps nobody waiting', async () => {
  const inTurn = createTurns();
  const gate = Promise.withResolvers<void>();
  const first = inTurn(never, () => gate.promise);
  const controller = new AbortController();
  const second = inTurn(controller.signal, () => assert.fail('it had given up'));
  const told: string[] = [];
  const third = inTurn(never, async () => told.push('third'));
  controller.abort(new Error('given up'));
  await assert.rejects(second, /given up/);
  assert.deepEqual(told, []);
  gate.resolve();
  await Promise.all([first, third]);
  assert.deepEqual(told, ['third']);
});
