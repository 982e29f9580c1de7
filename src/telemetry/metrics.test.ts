/** The registry's text, read back line by line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { EngineStats } from '../engine/index.ts';
import { createMetrics, type Metrics } from './metrics.ts';

async function valueOf(metrics: Metrics, line: string): Promise<string | undefined> {
  const text = await metrics.render();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return found?.slice(line.length + 1);
}

test('the load is read when the metrics are', async () => {
  const metrics = createMetrics();
  assert.equal(await valueOf(metrics, 'parlance_requests_running'), '0');
  let running = 3;
  metrics.observeLoad(() => ({ running, waiting: 2 }));
  assert.equal(await valueOf(metrics, 'parlance_requests_running'), '3');
  assert.equal(await valueOf(metrics, 'parlance_requests_waiting'), '2');
  running = 1;
  assert.equal(await valueOf(metrics, 'parlance_requests_running'), '1');
});

const stats: EngineStats = {
  running: 2,
  waiting: 1,
  slots: 8,
  slotsTaken: 3,
  prefixBytes: 100,
  parkedBytes: 0,
  heldContexts: 1,
  heldBytes: 50,
  steps: 10,
  stepSeconds: 0.5,
  promptTokens: 40,
  cachedTokens: 30,
  generatedTokens: 9,
  evictions: 4,
  preemptions: 0,
  draftTokens: 8,
  acceptedDraftTokens: 6,
  tokensPerSecond: 120,
  stepMilliseconds: 25,
};

test('engines are told apart by their deployment, and read when the metrics are', async () => {
  const metrics = createMetrics();
  let engines = [
    { deployment: 'a', stats },
    { deployment: 'b', stats: { ...stats, running: 5, steps: 0 } },
  ];
  metrics.observeEngines(() => engines);
  const read = (name: string, deployment: string) =>
    valueOf(metrics, `parlance_engine_${name}{deployment="${deployment}"}`);
  assert.equal(await read('requests_running', 'a'), '2');
  assert.equal(await read('requests_running', 'b'), '5');
  assert.equal(await read('recent_step_seconds', 'a'), '0.025');
  assert.equal(await read('steps_total', 'a'), '10');
  assert.equal(await read('steps_total', 'b'), '0');
  assert.equal(await read('accepted_draft_tokens_total', 'a'), '6');
  engines = [{ deployment: 'a', stats: { ...stats, steps: 12 } }];
  assert.equal(await read('steps_total', 'a'), '12');
  assert.equal(await read('steps_total', 'b'), undefined);
  assert.equal(await read('slots', 'b'), undefined);
});

test('everything that an engine counts is in the metrics', async () => {
  const metrics = createMetrics();
  // No two alike, so that each is found by its value.
  const names = Object.keys(stats) as (keyof EngineStats)[];
  const distinct = Object.fromEntries(names.map((name, index) => [name, 7001 + 1000 * index]));
  metrics.observeEngines(() => [{ deployment: 'a', stats: distinct as unknown as EngineStats }]);
  const text = await metrics.render();
  const values = [...text.matchAll(/^parlance_engine_\w+\{deployment="a"\} (\S+)$/gm)].map(
    (found) => Number(found[1]),
  );
  const expected = names.map((name) =>
    name === 'stepMilliseconds' ? Number(distinct[name]) / 1000 : distinct[name],
  );
  assert.deepEqual(new Set(values), new Set(expected));
});

test('ended requests count by route and status, cancelled ones also on their own', async () => {
  const metrics = createMetrics();
  metrics.requestEnded({ route: '/health', status: 200, seconds: 0.001 });
  metrics.requestEnded({ route: '/deploy', status: 'cancelled', seconds: 1 });
  assert.equal(
    await valueOf(metrics, 'parlance_requests_total{route="/health",status="200"}'),
    '1',
  );
  assert.equal(
    await valueOf(metrics, 'parlance_requests_total{route="/deploy",status="cancelled"}'),
    '1',
  );
  assert.equal(await valueOf(metrics, 'parlance_requests_cancelled_total'), '1');
});

test('tokens and latencies add up', async () => {
  const metrics = createMetrics();
  const tokens = { promptTokens: 7, completionTokens: 5, cachedTokens: 2 };
  metrics.answered('embedded:tiny', tokens);
  metrics.answered('embedded:tiny', tokens);
  metrics.firstToken(0.2);
  metrics.released(0.01);
  const label = '{target="embedded:tiny"}';
  assert.equal(await valueOf(metrics, `parlance_prompt_tokens_total${label}`), '14');
  assert.equal(await valueOf(metrics, `parlance_completion_tokens_total${label}`), '10');
  assert.equal(await valueOf(metrics, `parlance_cached_tokens_total${label}`), '4');
  assert.equal(await valueOf(metrics, 'parlance_time_to_first_token_seconds_count'), '1');
  assert.equal(await valueOf(metrics, 'parlance_cancel_release_seconds_count'), '1');
});

test('two registries do not share anything', async () => {
  const one = createMetrics();
  const other = createMetrics();
  one.requestEnded({ route: '/health', status: 200, seconds: 0.001 });
  assert.equal(await valueOf(other, 'parlance_requests_cancelled_total'), '0');
  assert.equal(
    await valueOf(other, 'parlance_requests_total{route="/health",status="200"}'),
    undefined,
  );
});
