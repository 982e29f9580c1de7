import assert from 'node:assert/strict';
import { test } from 'node:test';

import { initialThreads, stepThreads, type ThreadState } from './thread-policy.ts';

/** Passes of 10 ms on a machine that gives at most `cores` to this process. */
function run(state: ThreadState, cores: number, milliseconds: number, most = 4): ThreadState {
  let now = state;
  for (let time = 0; time < milliseconds; time += 10) {
    now = stepThreads(now, { wallMs: 10, cpuMs: 10 * Math.min(now.threads, cores) }, most);
  }
  return now;
}

test('a machine of our own keeps all threads, also beside a server', () => {
  assert.equal(run(initialThreads(4), 4, 5_000).threads, 4);
  assert.equal(run(initialThreads(4), 3.8, 5_000).threads, 4);
});

test('a core that is missing is given up within a window', () => {
  assert.equal(run(initialThreads(4), 2.6, 100).threads, 2);
  assert.equal(run(initialThreads(2), 1.5, 100, 2).threads, 1);
  assert.equal(run(initialThreads(1), 0.3, 1_000, 1).threads, 1);
});

test('more threads are tried again, ever more rarely while that fails', () => {
  const tries: number[] = [];
  let state = run(initialThreads(2), 1.5, 100, 2);
  for (let time = 0; time < 60_000; time += 10) {
    const before = state.threads;
    state = run(state, 1.5, 10, 2);
    if (state.threads > before) tries.push(time);
  }
  const pauses = tries
    .slice(1)
    .map((time, index) => Math.round((time - (tries[index] ?? 0)) / 1000));
  assert.deepEqual(pauses, [1, 2, 4, 8, 16]);
});

test('when the machine is ours again all threads come back', () => {
  const crowded = run(initialThreads(4), 1, 300);
  assert.equal(crowded.threads, 1);
  assert.deepEqual(run(crowded, 4, 30_000), initialThreads(4));
});
