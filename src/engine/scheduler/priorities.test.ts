import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeRequest } from '../request.test-support.ts';
import { alone, Bench } from './scheduler-bench.test-support.ts';

const drawn = { temperature: 1, seed: '3', maxTokens: 5 };

test('a long prompt of lower priority does not hold up an urgent one, whoever has a slot', () => {
  const bench = new Bench({ slots: 2, batchTokens: 8 });
  const long = bench.submit(makeRequest('y'.repeat(200), drawn, { priority: 1 }));
  bench.step();
  const urgent = bench.submit(makeRequest('urgent', drawn, { priority: 0 }));
  assert.deepEqual(
    bench.step().map(({ id }) => id),
    [urgent],
  );
  bench.finish();
  assert.equal(bench.of(long).tokens, 5);
});

test('nobody gives up a slot where that would not be enough', () => {
  const bench = new Bench({ slots: 3 });
  const patient = makeRequest('patient', { ...drawn, maxTokens: 9 }, { priority: 5 });
  const slow = bench.submit(patient);
  bench.submit(makeRequest('as urgent', { ...drawn, maxTokens: 3 }));
  bench.step();
  const beam = { lengthPenalty: 1, earlyStopping: true } as const;
  const beams = makeRequest('beams', { maxTokens: 4 }, { choices: 3, bestOf: 3, beam });
  const searched = bench.submit(beams);
  bench.step();
  assert.equal(bench.scheduler.stats.preemptions, 0);
  bench.finish();
  assert.equal(bench.scheduler.stats.preemptions, 1);
  assert.deepEqual(bench.choicesOf(searched, 3), alone(beams));
  assert.deepEqual(bench.choicesOf(slow, 1), alone(patient));
});

test('however many are preempted, what is parked is bounded', () => {
  const heldBytes = 500;
  const bench = new Bench({ slots: 2, cacheBytes: 1e6, heldBytes });
  const requests = Array.from({ length: 12 }, (_, index) =>
    makeRequest(`request ${index} `.repeat(4), { ...drawn, maxTokens: 9 }, { priority: -index }),
  );
  let most = 0;
  const ids = requests.map((request) => {
    const id = bench.submit(request);
    for (let step = 0; step < 3; step += 1) bench.step();
    most = Math.max(most, bench.scheduler.stats.parkedBytes);
    return id;
  });
  const { preemptions } = bench.scheduler.stats;
  assert.equal(preemptions, 10);
  // The last one that there is room for may go beyond.
  assert.ok(most >= heldBytes && most < 2 * heldBytes, `${most} bytes are parked`);
  bench.finish();
  ids.forEach((id, index) => {
    assert.deepEqual(bench.choicesOf(id, 1), alone(requests[index] ?? assert.fail()));
  });
});

test('prompt tokens are counted when they are computed, not while they wait', () => {
  const bench = new Bench({ slots: 1 });
  bench.submit(makeRequest('first', drawn));
  bench.step();
  const second = bench.submit(makeRequest('second', drawn));
  assert.equal(bench.scheduler.stats.promptTokens, 5);
  bench.scheduler.cancel(second);
  bench.finish();
  assert.equal(bench.scheduler.stats.promptTokens, 5);
});
