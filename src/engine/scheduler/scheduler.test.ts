import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fakeTokens } from '../llama/fake-decoder.ts';
import { makeRequest } from '../request.test-support.ts';
import { alone, Bench } from './scheduler-bench.test-support.ts';

test('a request runs to its limit', () => {
  const [told] = alone(makeRequest('hello', { maxTokens: 12, topLogprobs: 0 }));
  assert.equal(told?.tokens, 12);
  assert.deepEqual(told.finish, { reason: 'length', stopReason: null });
  assert.equal(told.logprobs.length, 12);
});

test('the model’s own end ends silently, a named one shows only when asked', () => {
  const eos = { logitBias: [[fakeTokens.eos, 100] as const], minTokens: 3 };
  const [ended] = alone(makeRequest('hello', { ...eos, skipSpecialTokens: false }));
  assert.deepEqual(ended?.finish, { reason: 'stop', stopReason: null });
  assert.equal(ended.tokens, 4);
  assert.doesNotMatch(ended.text, /eos/);

  const named = { ...eos, stopTokenIds: [fakeTokens.eos], skipSpecialTokens: false };
  const [hidden] = alone(makeRequest('hello', named));
  assert.deepEqual(hidden?.finish, { reason: 'stop', stopReason: fakeTokens.eos });
  assert.doesNotMatch(hidden.text, /eos/);
  const [shown] = alone(makeRequest('hello', { ...named, includeStop: true }));
  assert.match(shown?.text ?? '', /<eos>$/);

  const [ignored] = alone(makeRequest('hello', { ...eos, ignoreEos: true, maxTokens: 9 }));
  assert.deepEqual(ignored?.finish, { reason: 'length', stopReason: null });
});

test('a stop string ends the text before it', () => {
  const [whole] = alone(makeRequest('hello', { maxTokens: 20 }));
  const stop = whole?.text.slice(5, 8) ?? '';
  const [cut] = alone(makeRequest('hello', { maxTokens: 20, stop: [stop] }));
  assert.deepEqual(cut?.finish, { reason: 'stop', stopReason: stop });
  assert.equal(cut.text, whole?.text.slice(0, whole.text.indexOf(stop)));
});

test('company and chunks change nothing', () => {
  const request = (i: number) =>
    makeRequest(`prompt number ${i} `.repeat(1 + (i % 5)), {
      temperature: 1,
      seed: String(i),
      maxTokens: 5 + i,
      topLogprobs: 0,
    });
  const bench = new Bench({ batchTokens: 9 });
  const ids = Array.from({ length: 12 }, (_, i) => bench.submit(request(i)));
  bench.finish();
  ids.forEach((id, i) => {
    assert.deepEqual([bench.of(id)], alone(request(i), { batchTokens: 200 }));
  });
});

test('decoding goes on while a long prompt is computed in chunks', () => {
  const bench = new Bench({ batchTokens: 16 });
  const short = bench.submit(makeRequest('ab', { maxTokens: 50 }));
  bench.step();
  bench.submit(makeRequest('x'.repeat(100), { maxTokens: 5 }));
  for (let i = 0; i < 7; i += 1) {
    assert.deepEqual(
      bench.step().map(({ id }) => id),
      i < 6 ? [short] : [short, short + 1],
    );
  }
  bench.finish();
});

test('a short prompt need not wait for a long one of the same rank', () => {
  const bench = new Bench({ slots: 2, context: 2048, batchTokens: 64 });
  const long = bench.submit(makeRequest('x'.repeat(1500), { maxTokens: 1 }));
  bench.step();
  const short = bench.submit(makeRequest('hi', { maxTokens: 1 }));
  const begun: number[] = [];
  while (bench.scheduler.hasWork) for (const { id } of bench.step()) begun.push(id);
  assert.deepEqual(begun, [short, long]);
});

test('all that runs shares one pass, also after holes', () => {
  const bench = new Bench();
  [3, 9, 5, 12].forEach((maxTokens) => bench.submit(makeRequest('abc', { maxTokens })));
  bench.finish();
  assert.equal(bench.decoder.passes, bench.decoder.decodes);
});

test('a prompt is computed once for all its choices, and each choice draws its own', () => {
  const request = makeRequest(
    'a prompt of some length',
    { temperature: 1, seed: '7', maxTokens: 8 },
    { choices: 3 },
  );
  const bench = new Bench();
  const id = bench.submit(request);
  bench.finish();
  // Two siblings compute the last prompt token again; the last sampled token is never computed.
  assert.equal(bench.decoder.computed, 23 + 2 + 3 * 7);
  const texts = [0, 1, 2].map((choice) => bench.of(id, choice).text);
  assert.equal(new Set(texts).size, 3);
  assert.equal(alone({ ...request, choices: 1, bestOf: 1 })[0]?.text, texts[0]);
});

test('more choices than slots take over the prompts that others leave', () => {
  const request = makeRequest(
    'a prompt of some length',
    { temperature: 1, seed: '7', maxTokens: 8 },
    { choices: 9 },
  );
  const bench = new Bench({ slots: 2 });
  const id = bench.submit(request);
  bench.finish();
  assert.equal(bench.decoder.computed, 23 + 8 + 9 * 7);
  const wide = new Bench({ slots: 16 });
  const same = wide.submit(request);
  wide.finish();
  for (let choice = 0; choice < 9; choice += 1) {
    assert.deepEqual(bench.of(id, choice), wide.of(same, choice));
  }
});

test('every choice goes on from the whole prompt, wherever it got it from', () => {
  const [greedy] = alone(makeRequest('a prompt of some length', { maxTokens: 8 }));
  // So cold that each choice draws the best token, though it is run for itself.
  const cold = { temperature: 1e-4, seed: '1', maxTokens: 8 };
  for (const options of [{ slots: 2 }, { slots: 16 }, { slots: 2, forgetsParts: false }]) {
    const request = makeRequest('a prompt of some length', cold, { choices: 7 });
    for (const told of alone(request, options)) assert.equal(told.text, greedy?.text);
  }
});

test('a model that cannot forget a part computes the prompt again', () => {
  const request = makeRequest(
    'a prompt',
    { temperature: 1, seed: '7', maxTokens: 4 },
    { choices: 3 },
  );
  assert.deepEqual(alone(request, { forgetsParts: false }), alone(request));
});

test('greedy choices are copies of one run', () => {
  const bench = new Bench();
  const id = bench.submit(makeRequest('hello', { maxTokens: 6 }, { choices: 5 }));
  bench.finish();
  assert.equal(bench.decoder.computed, 5 + 5);
  for (let choice = 1; choice < 5; choice += 1) {
    assert.deepEqual(bench.of(id, choice), bench.of(id));
  }
});

test('a failed pass fails its requests and nothing else', () => {
  for (const status of [2, -1, -3]) {
    const bench = new Bench({ slots: 2 });
    const hit = [
      bench.submit(makeRequest('a')),
      bench.submit(makeRequest('b', {}, { choices: 2 })),
    ];
    const spared = bench.submit(makeRequest('c'));
    bench.step();
    bench.decoder.failures.push(status);
    bench.step();
    bench.finish();
    assert.deepEqual([...bench.rejected.keys()], hit);
    assert.ok([...bench.rejected.values()].every((reason) => reason === 'engine_failed'));
    assert.equal(bench.of(spared).tokens, 16);
  }
});

test('where there is no room for all, each tries alone', () => {
  const bench = new Bench({ slots: 2 });
  const [first, second] = [bench.submit(makeRequest('a')), bench.submit(makeRequest('b'))];
  bench.step();
  bench.decoder.failures.push(1);
  bench.step();
  bench.decoder.failures.push(1, 1, 0);
  bench.step();
  bench.finish();
  assert.deepEqual([...bench.rejected.keys()], [first]);
  assert.equal(bench.of(second).tokens, 16);
});

test('a request that bans every token fails alone', () => {
  const bench = new Bench();
  const banned = Array.from({ length: fakeTokens.size }, (_, token) => token);
  const bad = bench.submit(makeRequest('a', { badTokenIds: banned }));
  const good = bench.submit(makeRequest('b'));
  bench.finish();
  assert.deepEqual([...bench.rejected], [[bad, 'invalid_value']]);
  assert.equal(bench.of(good).tokens, 16);
});

test('the queue is bounded, and a dry run never waits', () => {
  const bench = new Bench({ slots: 1, maxWaiting: 2 });
  const ids = ['a', 'b', 'c', 'd'].map((text) => bench.submit(makeRequest(text)));
  assert.deepEqual([...bench.rejected], [[ids[3], 'queue_full']]);
  assert.deepEqual(bench.scheduler.load, { running: 0, waiting: 3 });
  bench.step();
  assert.deepEqual(bench.scheduler.load, { running: 1, waiting: 2 });
  bench.submit(makeRequest('dry', {}, { dryRun: true }));
  assert.equal(bench.rejected.size, 1);
  bench.finish();
});

test('requests are served in the order they came', () => {
  const bench = new Bench({ slots: 2 });
  const ids = [4, 4, 2, 2, 2].map((maxTokens) => bench.submit(makeRequest('abc', { maxTokens })));
  const begun: number[] = [];
  while (bench.scheduler.hasWork) {
    for (const { id } of bench.step()) if (!begun.includes(id)) begun.push(id);
  }
  assert.deepEqual(begun, ids);
});

test('cancelling frees everything at once, whatever the request was doing', () => {
  const bench = new Bench({ slots: 2, batchTokens: 8 });
  const decoding = bench.submit(makeRequest('ab', { temperature: 1 }, { choices: 3 }));
  bench.step();
  const prefilling = bench.submit(makeRequest('x'.repeat(60)));
  bench.step();
  const queued = bench.submit(makeRequest('y'));
  for (const id of [decoding, prefilling, queued, decoding, 99]) {
    assert.equal(bench.scheduler.cancel(id).type, 'released');
    bench.scheduler.checkIntegrity();
  }
  assert.equal(bench.scheduler.hasWork, false);
  bench.finish();
});
