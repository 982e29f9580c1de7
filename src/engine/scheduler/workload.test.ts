/**
 * Ten thousand random events on the fake decoder: arrivals of every kind, cancellations, failures of
 * passes and of states, evictions. The books are checked after each, and at the end nothing is held.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { GenerateRequest } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { FakeConstraint, type Language } from './fake-constraint.test-support.ts';
import { alone, Bench, type BenchOptions } from './scheduler-bench.test-support.ts';

const beginnings = [
  '',
  'one long beginning that several share. ',
  'another beginning, also shared: ',
];

function createRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof createRandom>;

const options = (random: Random): BenchOptions => ({
  slots: 1 + random(6),
  context: 256,
  batchTokens: 8 + random(40),
  endEvery: random(2) * 9,
  forgetsParts: random(5) > 0,
  maxWaiting: 12,
  // From nothing over a few prompts to plenty.
  cacheBytes: [0, 2000, 1_000_000][random(3)] ?? 0,
  speculation: random(2) === 0,
  draftModel: random(3) === 0,
  heldBytes: [300, 1e9][random(2)] ?? 0,
});

function randomRequest(random: Random, slots: number, turn: number): GenerateRequest {
  const text = (beginnings[random(3)] ?? '') + 'z'.repeat(1 + random(60));
  const sampling = {
    temperature: random(2),
    seed: String(turn),
    maxTokens: 1 + random(20),
    stop: random(4) === 0 ? ['e'] : [],
    topLogprobs: random(4) === 0 ? 2 : null,
  };
  const rest = {
    priority: random(4) === 0 ? random(3) - 1 : 0,
    cacheSalt: random(5) === 0 ? 'salt' : null,
    adapter: random(5) === 0 ? 'adapter' : null,
  };
  const kind = random(8);
  if (kind === 0 && slots > 1) {
    const beam = { lengthPenalty: 1, earlyStopping: random(2) === 0 };
    return makeRequest(text, sampling, { ...rest, bestOf: 2 + random(slots - 1), beam });
  }
  if (kind === 1) {
    return makeRequest(text, sampling, { ...rest, handover: { type: 'hold', milliseconds: 50 } });
  }
  const choices = 1 + random(3) * random(3);
  return makeRequest(text, sampling, { ...rest, choices, bestOf: choices + random(2) });
}

/** Pairs of letters, some of which turn out to be dead ends; the second letter is at times forced. */
const pairs: Language = (text) => {
  const risky = true;
  if (text.endsWith('qq')) return { bytes: '', risky };
  if (text.length % 2 === 0) return { bytes: 'abq', complete: text.length >= 4 };
  return text.endsWith('b') ? { bytes: 'z' } : { bytes: 'qxy', risky };
};

const constraintOf = (turn: number, random: Random) =>
  random(4) === 0 ? () => new FakeConstraint(pairs, turn % 4) : null;

/** One engine under random load; how its requests ended. */
function runRound(random: Random, turns: number) {
  const set = options(random);
  const bench = new Bench(set);
  bench.scheduler.loadAdapter('adapter', 'adapter.gguf', 'digest');
  const live = new Map<number, GenerateRequest>();
  const constraints = new Map<number, ReturnType<typeof constraintOf>>();
  const ended = { finished: 0, compared: 0, constrained: 0, failed: 0, cancelled: 0 };
  for (let turn = 0; turn < turns; turn += 1) {
    const event = random(60);
    if (event < 20) {
      const request = randomRequest(random, set.slots, turn);
      const free = request.beam !== null || request.handover !== null;
      const constraint = free ? null : constraintOf(turn, random);
      const id = bench.submit(request, constraint?.() ?? null);
      constraints.set(id, constraint);
      if (!bench.rejected.has(id)) live.set(id, request);
    } else if (event < 26) {
      const id = [...live.keys()][random(live.size)];
      if (id !== undefined) {
        bench.scheduler.cancel(id);
        bench.scheduler.checkIntegrity();
        live.delete(id);
        ended.cancelled += 1;
      }
    } else if (event < 28) bench.decoder.failures.push([1, 2, -1, -3][random(4)] ?? 1);
    else if (event === 28) bench.decoder.failingSaves = 1;
    else if (event === 29) bench.decoder.failingRestores = 1;
    else if (event === 30) bench.decoder.failingCopies = 1;
    else bench.step();
  }
  bench.decoder.failures.length = 0;
  bench.finish();
  bench.now += 1000;
  bench.step();
  const { heldContexts, heldBytes, parkedBytes, prefixBytes, slotsTaken } = bench.scheduler.stats;
  assert.deepEqual(
    { heldContexts, heldBytes, parkedBytes, slotsTaken },
    { heldContexts: 0, heldBytes: 0, parkedBytes: 0, slotsTaken: 0 },
  );
  assert.ok(prefixBytes <= set.cacheBytes);
  for (const [id, request] of live) {
    const told = Array.from({ length: request.choices }, (_, choice) =>
      bench.told.get(`${id}/${choice}`),
    );
    const finished = told.every((one) => one !== undefined && one.finish !== null);
    assert.notEqual(finished, bench.rejected.has(id), 'ends exactly once');
    ended[finished ? 'finished' : 'failed'] += 1;
    // Whatever was shared, parked, moved or drafted: the answer is the one of an idle engine.
    if (!finished || id % 5 > 0) continue;
    const idle = { slots: 8, endEvery: set.endEvery ?? 0 };
    const constraint = constraints.get(id)?.() ?? null;
    assert.deepEqual(told, alone(request, idle, constraint));
    ended.compared += 1;
    ended.constrained += constraint === null ? 0 : 1;
  }
  const { preemptions, evictions } = bench.scheduler.stats;
  return { ...ended, preemptions, evictions };
}

test('ten thousand random events leave nothing behind', () => {
  const random = createRandom(1);
  const sums = {
    finished: 0,
    compared: 0,
    constrained: 0,
    failed: 0,
    cancelled: 0,
    preemptions: 0,
    evictions: 0,
  };
  for (let round = 0; round < 40; round += 1) {
    for (const [name, count] of Object.entries(runRound(random, 250))) {
      sums[name as keyof typeof sums] += count;
    }
  }
  assert.ok(
    Object.values(sums).every((count) => count > 20),
    JSON.stringify(sums),
  );
});
