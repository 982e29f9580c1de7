/** Steps the counter with invented times, and delivers events as Node does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noStop, onStopSignals, sameWishMs, stepStop } from './stop-signals.ts';

function countsAt(times: readonly number[]): number[] {
  let state = noStop;
  return times.map((ms) => {
    state = stepStop(state, ms);
    return state.count;
  });
}

test('a signal and its echo are one wish', () => {
  assert.deepEqual(countsAt([1000, 1001, 1000 + sameWishMs - 1]), [1, 1, 1]);
});

test('a later signal is a second wish, its echo is not a third', () => {
  assert.deepEqual(countsAt([0, 2, sameWishMs, sameWishMs + 2]), [1, 1, 2, 2]);
});

test('listeners hear a wish once, and can be taken away', () => {
  const heard: string[] = [];
  const before = process.listenerCount('SIGINT');
  const remove = onStopSignals((count, signal) => heard.push(`${count} ${signal}`));
  process.emit('SIGINT', 'SIGINT');
  process.emit('SIGTERM', 'SIGTERM');
  remove();
  assert.deepEqual(heard, ['1 SIGINT']);
  assert.equal(process.listenerCount('SIGINT'), before);
});
