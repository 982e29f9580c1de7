/**
 * The random workload on the real library with a tiny model: shorter than the one on the fake, with the
 * same rules. The books are checked after every event, against what the library says that slots hold.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { writeTinyModel } from '../../../test/support/tiny-models/index.ts';
import type { Decoder } from '../llama/decoder.ts';
import { openDecoder } from '../llama/open-decoder.test-support.ts';
import { PrefixCache } from '../prefix-cache/index.ts';
import type { FromEngine, GenerateRequest } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { createDice, type Dice } from '../sampler/random-rows.test-support.ts';
import { Scheduler } from './scheduler.ts';

const slots = 3;
const cacheBytes = 30_000;
const beginnings = ['', 'the cat and the dog are in it. ', 'she can see the low '];

function randomRequest(dice: Dice, turn: number): GenerateRequest {
  const text = dice.pick(beginnings) + 'for she is '.repeat(dice.whole(1, 12));
  const sampling = {
    temperature: dice.whole(0, 1),
    seed: String(turn),
    maxTokens: dice.whole(1, 12),
  };
  const rest = {
    priority: dice.whole(-1, 1),
    cacheSalt: dice.pick([null, null, 'salt']),
    prediction: dice.pick([null, 'the cat and the dog']),
  };
  switch (dice.whole(0, 7)) {
    case 0:
      return makeRequest(text, sampling, {
        ...rest,
        bestOf: dice.whole(2, slots),
        beam: { lengthPenalty: 1, earlyStopping: dice.pick([true, false, 'never'] as const) },
      });
    case 1:
      return makeRequest(text, sampling, { ...rest, handover: { type: 'hold', milliseconds: 50 } });
    default: {
      const choices = dice.whole(1, 5);
      return makeRequest(text, sampling, { ...rest, choices, bestOf: choices + dice.whole(0, 1) });
    }
  }
}

/** Makes the next passes fail, before the library sees them. */
function withFailures(decoder: Decoder): number[] {
  const failures: number[] = [];
  const decode = decoder.decode.bind(decoder);
  decoder.decode = (runs, adapter) => failures.shift() ?? decode(runs, adapter);
  return failures;
}

function runWorkload(decoder: Decoder, events: number, dice: Dice): Record<string, number> {
  const failures = withFailures(decoder);
  const cache = decoder.forgetsParts
    ? new PrefixCache({ states: decoder.states, maxBytes: cacheBytes, disk: null })
    : null;
  let clock = 0;
  const scheduler = new Scheduler({
    decoder,
    cache,
    maxWaiting: 10,
    speculation: decoder.forgetsParts,
    now: () => (clock += 1),
  });
  const open = new Map<number, number>();
  const sums = { finished: 0, failed: 0, cancelled: 0 };
  const hear = (messages: readonly FromEngine[]): void => {
    scheduler.checkIntegrity();
    for (const message of messages) {
      if (message.type === 'rejected' && open.delete(message.id)) sums.failed += 1;
      if (message.type !== 'step') continue;
      for (const { id, finish } of message.choices) {
        const left = open.get(id);
        assert.ok(left !== undefined, 'nothing follows the end of a request');
        if (finish === undefined) continue;
        open.set(id, left - 1);
        if (left > 1) continue;
        open.delete(id);
        sums.finished += 1;
      }
    }
  };
  for (let turn = 0; turn < events; turn += 1) {
    const event = dice.whole(0, 29);
    if (event < 9) {
      const request = randomRequest(dice, turn);
      open.set(turn, request.choices);
      hear(scheduler.submit(turn, request));
    } else if (event < 12 && open.size > 0) {
      const id = dice.pick([...open.keys()]);
      open.delete(id);
      sums.cancelled += 1;
      hear([scheduler.cancel(id)]);
    } else {
      if (event === 12) failures.push(dice.pick([1, 2, -1, -3]));
      hear(scheduler.step());
    }
  }
  failures.length = 0;
  for (let steps = 0; scheduler.hasWork; steps += 1) {
    assert.ok(steps < 2000, 'the scheduler makes no progress');
    hear(scheduler.step());
  }
  clock += 1000;
  hear(scheduler.step());
  assert.equal(open.size, 0, 'every request has ended');
  const { slotsTaken, parkedBytes, heldContexts, heldBytes, prefixBytes } = scheduler.stats;
  assert.deepEqual(
    { slotsTaken, parkedBytes, heldContexts, heldBytes },
    { slotsTaken: 0, parkedBytes: 0, heldContexts: 0, heldBytes: 0 },
  );
  assert.ok(prefixBytes <= cacheBytes);
  const { preemptions, evictions } = scheduler.stats;
  return { ...sums, preemptions, ...(cache === null ? {} : { evictions }) };
}

for (const architecture of ['llama', 'gemma3', 'mamba'] as const) {
  test(`random events on the library, ${architecture}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-workload-'));
    try {
      const path = writeTinyModel(join(folder, 'tiny.gguf'), { architecture });
      const decoder = openDecoder(path, { slots, context: 256, threads: 1, batchTokens: 32 });
      const sums = runWorkload(decoder, 400, createDice(5));
      decoder.close();
      assert.ok(
        Object.values(sums).every((count) => count > 0),
        JSON.stringify(sums),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
