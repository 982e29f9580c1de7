import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Handover } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { alone, Bench } from './scheduler-bench.test-support.ts';

const prompt = 'the context that is computed first';
const drawn = { temperature: 1, seed: '9', maxTokens: 8, topLogprobs: 1, frequencyPenalty: 1 };
const hold: Handover = { type: 'hold', milliseconds: 1000 };
const ask = (handover: Handover | null, text = prompt) => makeRequest(text, drawn, { handover });

test('a held context is gone on from as if nothing had been between', () => {
  const bench = new Bench();
  const first = bench.run(ask(hold));
  const context = bench.contexts.get(first);
  assert.ok(context);
  assert.deepEqual([bench.of(first).tokens, context.firstTokens.length], [1, 1]);
  bench.run(makeRequest('x'.repeat(200)));
  const before = bench.decoder.computed;
  const { id, firstTokens } = context;
  const second = bench.run(ask({ type: 'resume', context: id, firstTokens }));
  assert.equal(bench.decoder.computed - before, 7);
  const [whole] = alone(ask(null));
  assert.equal(bench.of(second).text, whole?.text);
  assert.deepEqual(bench.of(second).logprobs, whole?.logprobs.slice(1));
  assert.equal(bench.cached.get(second), prompt.length);
  assert.equal(bench.scheduler.stats.heldBytes, 0);
});

test('another engine goes on from it too', () => {
  const [one, other] = [new Bench(), new Bench()];
  const context = one.contexts.get(one.run(ask(hold)));
  assert.ok(context);
  const id = other.scheduler.importContext(one.scheduler.exportContext(context.id));
  const { firstTokens } = context;
  const second = other.run(ask({ type: 'resume', context: id, firstTokens }));
  assert.equal(other.of(second).text, alone(ask(null))[0]?.text);
  assert.throws(() => one.scheduler.exportContext(context.id), { reason: 'invalid_handle' });
  const damaged = Buffer.from('no context');
  assert.throws(() => other.scheduler.importContext(damaged), { reason: 'invalid_handle' });
});

test('a context can be used once, in time, and for its own prompt', () => {
  const bench = new Bench();
  const held = () => {
    const context = bench.contexts.get(bench.run(ask(hold)));
    assert.ok(context);
    return { type: 'resume', context: context.id, firstTokens: context.firstTokens } as const;
  };
  const refused = (handover: Handover, text = prompt) =>
    bench.rejected.get(bench.run(ask(handover, text)));
  const used = held();
  assert.equal(refused(used, 'another prompt'), 'invalid_handle');
  assert.equal(refused(used), undefined);
  assert.equal(refused(used), 'invalid_handle');
  const late = held();
  bench.now += 1000;
  assert.equal(refused(late), 'invalid_handle');
  assert.equal(bench.scheduler.stats.heldContexts, 0);
  const salted = makeRequest(prompt, drawn, { handover: held(), cacheSalt: 'x' });
  assert.equal(bench.rejected.get(bench.run(salted)), 'invalid_handle');
  const outside = { ...held(), firstTokens: [1_000_000] };
  assert.equal(refused(outside), 'invalid_token_id');
  const several = makeRequest(prompt, drawn, { handover: hold, choices: 2 });
  assert.equal(bench.rejected.get(bench.run(several)), 'conflicting_fields');
});

test('the number of held contexts is bounded', () => {
  const bench = new Bench();
  for (let count = 0; count < 64; count += 1) bench.run(ask({ ...hold, milliseconds: 1e9 }));
  assert.equal(bench.scheduler.stats.heldContexts, 64);
  assert.equal(bench.rejected.get(bench.run(ask(hold))), 'queue_full');
});

test('contexts that are still to come count too', () => {
  const bench = new Bench();
  const ids = Array.from({ length: 70 }, () => bench.submit(ask({ ...hold, milliseconds: 1e9 })));
  bench.finish();
  assert.equal(bench.scheduler.stats.heldContexts, 64);
  assert.deepEqual(
    ids.slice(62).map((id) => bench.rejected.get(id)),
    [undefined, undefined, ...Array.from({ length: 6 }, () => 'queue_full')],
  );
});

test('the bytes of held contexts are bounded', () => {
  const bench = new Bench({ heldBytes: 400 });
  const ids = Array.from({ length: 3 }, () => bench.submit(ask({ ...hold, milliseconds: 1e9 })));
  bench.finish();
  const { heldBytes, heldContexts } = bench.scheduler.stats;
  assert.ok(heldBytes <= 400 && heldContexts > 0, `${heldBytes} bytes of ${heldContexts}`);
  assert.deepEqual(
    ids.filter((id) => !bench.rejected.has(id)).length,
    heldContexts,
    'who is not told of a context is told why',
  );
  assert.equal(bench.rejected.get(ids[2] ?? -1), 'queue_full');
});

test('first tokens that end the answer end it at once', () => {
  const bench = new Bench();
  const context = bench.contexts.get(bench.run(ask(hold)));
  assert.ok(context);
  const handover: Handover = { type: 'resume', context: context.id, firstTokens: [104, 105] };
  const id = bench.submit(makeRequest(prompt, { ...drawn, maxTokens: 2 }, { handover }));
  assert.deepEqual(bench.of(id).text, 'hi');
  assert.equal(bench.scheduler.hasWork, false);
});
