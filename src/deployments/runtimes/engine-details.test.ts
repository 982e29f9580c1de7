import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Engine, EngineStats } from '../../engine/index.ts';
import type { ModelFile } from '../../models/index.ts';
import { toDetails } from './engine-details.ts';

const zero: EngineStats = {
  running: 0,
  waiting: 0,
  slots: 8,
  slotsTaken: 0,
  prefixBytes: 0,
  parkedBytes: 0,
  heldContexts: 0,
  heldBytes: 0,
  steps: 0,
  stepSeconds: 0,
  promptTokens: 0,
  cachedTokens: 0,
  generatedTokens: 0,
  evictions: 0,
  preemptions: 0,
  draftTokens: 0,
  acceptedDraftTokens: 0,
  tokensPerSecond: 0,
  stepMilliseconds: 0,
};

function detailsOf(stats: EngineStats | null): Record<string, unknown> {
  const info = { slots: 8, deterministic: { on: false, why: 'F32 weights' }, notes: ['no GPU'] };
  const load = { running: 2, waiting: 1 };
  const engine = { info, stats, load, pid: 7, state: { state: 'ready' } } as unknown as Engine;
  const file = { path: '/m.gguf', bytes: 5, metadata: { name: 'M' } } as unknown as ModelFile;
  return toDetails(engine, file, ['a']);
}

test('what an engine is, and why it does not do what it does not do', () => {
  const details = detailsOf(null);
  assert.deepEqual(details['deterministic'], { on: false, why: 'F32 weights' });
  assert.deepEqual(details['notes'], ['no GPU']);
  assert.deepEqual(details['adapters'], ['a']);
  assert.deepEqual(details['load'], { running: 2, waiting: 1 });
  assert.equal(details['stats'], null);
});

test('shares of nothing are null, others have four digits', () => {
  const stats = (values: Partial<EngineStats>) =>
    detailsOf({ ...zero, ...values })['stats'] as Record<string, unknown>;
  assert.equal(stats({})['prefix_hit_rate'], null);
  assert.equal(stats({})['draft_acceptance'], null);
  const some = stats({
    promptTokens: 3,
    cachedTokens: 2,
    draftTokens: 8,
    acceptedDraftTokens: 6,
    tokensPerSecond: 12.345,
  });
  assert.equal(some['prefix_hit_rate'], 0.6667);
  assert.equal(some['draft_acceptance'], 0.75);
  assert.equal(some['tokens_per_second'], 12.3);
});
