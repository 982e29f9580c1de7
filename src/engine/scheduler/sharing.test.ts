import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeRequest } from '../request.test-support.ts';
import { alone, Bench } from './scheduler-bench.test-support.ts';

const shared = 'You are a helpful assistant that answers in one short sentence. ';
const drawn = { temperature: 1, seed: '5', maxTokens: 6 };

test('a conversation goes on from what is still in its slot, and copies nothing', () => {
  const bench = new Bench({ cacheBytes: 1e6 });
  let prompt = shared;
  for (let turn = 0; turn < 6; turn += 1) {
    const request = makeRequest(prompt, { maxTokens: 6, topLogprobs: 0 });
    const before = bench.decoder.computed;
    const id = bench.run(request);
    assert.deepEqual(bench.choicesOf(id, 1), alone(request));
    // The last token of an answer was chosen and never computed.
    const fresh = turn === 0 ? prompt.length : 1 + ' and then? '.length;
    assert.equal(bench.decoder.computed - before, fresh + 5);
    assert.equal(bench.cached.get(id), prompt.length - fresh);
    prompt += `${bench.of(id).text} and then? `;
  }
  assert.equal(bench.decoder.saves + bench.decoder.restores, 0);
});

test('twins wait for what the first of them computes', () => {
  const bench = new Bench({ slots: 4 });
  const ids = ['a', 'b', 'c'].map((tail) => bench.submit(makeRequest(shared + tail, drawn)));
  bench.finish();
  assert.equal(bench.decoder.computed, shared.length + 3 * (1 + 5));
  assert.deepEqual(
    ids.map((id) => bench.cached.get(id)),
    [0, shared.length, shared.length],
  );
});

test('whoever shares nothing does not wait for twins', () => {
  const bench = new Bench({ slots: 3, batchTokens: 40 });
  const first = bench.submit(makeRequest(`${shared}a`, drawn));
  const twin = bench.submit(makeRequest(`${shared}b`, drawn));
  const other = bench.submit(makeRequest('?', drawn));
  const begun = new Set<number>();
  while (bench.scheduler.hasWork) for (const { id } of bench.step()) begun.add(id);
  assert.deepEqual([...begun], [first, other, twin]);
});

test('a prefix that lost its slot comes back from the cache', () => {
  const bench = new Bench({ slots: 1, cacheBytes: 1e6 });
  bench.run(makeRequest(shared + 'first', drawn));
  bench.run(makeRequest('x'.repeat(60), drawn));
  const before = bench.decoder.computed;
  const id = bench.run(makeRequest(shared + 'second', drawn));
  assert.equal(bench.decoder.computed - before, 6 + 5);
  assert.equal(bench.cached.get(id), shared.length);
  assert.equal(bench.decoder.restores, 1);
  assert.deepEqual(bench.choicesOf(id, 1), alone(makeRequest(shared + 'second', drawn)));
});

test('without a cache, and where a state cannot be had, it is computed again', () => {
  const request = makeRequest(shared + 'second', drawn);
  for (const trouble of ['none', 'save', 'restore'] as const) {
    const bench = new Bench({ slots: 1, cacheBytes: trouble === 'none' ? 0 : 1e6 });
    bench.run(makeRequest(shared + 'first', drawn));
    if (trouble === 'save') bench.decoder.failingSaves = 1;
    bench.run(makeRequest('x'.repeat(60), drawn));
    if (trouble === 'restore') bench.decoder.failingRestores = 1;
    const id = bench.run(request);
    assert.equal(bench.cached.get(id), 0, trouble);
    assert.deepEqual(bench.choicesOf(id, 1), alone(request));
  }
});

test('salts keep prefixes apart, in slots, in the cache and among twins', () => {
  const bench = new Bench({ slots: 2, cacheBytes: 1e6 });
  const ask = (cacheSalt: string | null) => bench.submit(makeRequest(shared, drawn, { cacheSalt }));
  const together = [ask('a'), ask('b')];
  bench.finish();
  const later = [ask('c'), ask(null), ask('a')];
  bench.finish();
  assert.deepEqual(
    [...together, ...later].map((id) => bench.cached.get(id)),
    [0, 0, 0, 0, shared.length - 1],
  );
});

test('adapters keep prefixes apart, and each computes its own', () => {
  const bench = new Bench({ slots: 2, cacheBytes: 1e6 });
  bench.scheduler.loadAdapter('one', 'one.gguf', 'digest 1');
  bench.scheduler.loadAdapter('two', 'two.gguf', 'digest 2');
  const ask = (adapter: string | null) => bench.submit(makeRequest(shared, drawn, { adapter }));
  const ids = [ask('one'), ask('two'), ask(null), ask('one')];
  bench.finish();
  assert.deepEqual(
    ids.map((id) => bench.cached.get(id)),
    [0, 0, 0, shared.length - 1],
  );
  const [one, two, base, again] = ids.map((id) => bench.of(id).text);
  assert.equal(new Set([one, two, base]).size, 3);
  assert.equal(one, again);
  const running = ask('two');
  bench.step();
  const ended = bench.scheduler.unloadAdapter('two');
  for (const message of ended) bench.receive(message);
  assert.equal(bench.rejected.get(running), 'deployment_failed');
  assert.equal(bench.rejected.get(ask('two')), 'unknown_model');
  bench.finish();
});

test('a request of higher priority takes a slot, and nobody computes anything twice', () => {
  const bench = new Bench({ slots: 1 });
  const patient = makeRequest('patient request', { ...drawn, maxTokens: 20 }, { priority: 5 });
  const urgent = makeRequest('urgent', drawn, { priority: -1 });
  const slow = bench.submit(patient);
  for (let step = 0; step < 5; step += 1) bench.step();
  const fast = bench.submit(urgent);
  const late = bench.submit(makeRequest('late', drawn, { priority: 5 }));
  const order: number[] = [];
  while (bench.scheduler.hasWork) {
    for (const { id, finish } of bench.step()) if (finish !== undefined) order.push(id);
  }
  assert.deepEqual(order, [fast, slow, late]);
  assert.equal(bench.decoder.computed, 15 + 19 + 6 + 5 + 4 + 5);
  assert.equal(bench.scheduler.stats.preemptions, 1);
  assert.deepEqual(bench.choicesOf(slow, 1), alone(patient));
});

test('where the state of a preempted request is lost, it is computed again', () => {
  for (const trouble of ['failingSaves', 'failingRestores'] as const) {
    const bench = new Bench({ slots: 1 });
    const patient = makeRequest('patient request', { ...drawn, maxTokens: 20 }, { priority: 5 });
    const slow = bench.submit(patient);
    for (let step = 0; step < 5; step += 1) bench.step();
    bench.decoder[trouble] = 1;
    bench.run(makeRequest('urgent', drawn));
    assert.deepEqual(bench.choicesOf(slow, 1), alone(patient));
  }
});
