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

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Without the listeners of the test runner, which would take the signal for an end of the run. */
function alone(act: () => void): void {
  const others = signals.map((signal) => process.listeners(signal));
  for (const signal of signals) process.removeAllListeners(signal);
  try {
    act();
  } finally {
    for (const [index, signal] of signals.entries()) {
      process.removeAllListeners(signal);
      for (const listener of others[index] ?? []) process.on(signal, listener);
    }
  }
}

test('listeners hear a wish once, and can be taken away', () => {
  const heard: string[] = [];
  alone(() => {
    const remove = onStopSignals((count, signal) => heard.push(`${count} ${signal}`));
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGTERM', 'SIGTERM');
    remove();
    assert.equal(process.listenerCount('SIGINT'), 0);
    assert.equal(process.listenerCount('SIGTERM'), 0);
  });
  assert.deepEqual(heard, ['1 SIGINT']);
});
