/** The registry's text, read back line by line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

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
