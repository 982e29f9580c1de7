/** `parlance logs` on the store of a temporary home folder. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../records/index.ts';
import type { Inference } from '../../telemetry/index.ts';
import { runHere, withFolder } from '../testing/run-cli.ts';

const inference = (number: number, more: Partial<Inference> = {}): Inference => ({
  id: `i${number}`,
  requestId: `r${number}`,
  episodeId: null,
  created: Date.UTC(2026, 10, 21, 12, 0, number),
  keyId: null,
  endpoint: '/v1/chat/completions',
  model: 'tiny',
  target: 'embedded:tiny',
  stream: false,
  status: 200,
  error: null,
  finishReasons: ['stop', 'stop'],
  promptTokens: 9,
  completionTokens: 3,
  cachedTokens: 4,
  reasoningTokens: 0,
  draftsVerified: 20,
  draftsAccepted: 15,
  firstTokenMs: 12,
  totalMs: 345,
  receipt: 'top_k=honoured',
  ...more,
});
const failed = inference(2, {
  model: 'other',
  status: 502,
  error: 'upstream_failed',
  finishReasons: [],
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  draftsVerified: null,
  draftsAccepted: null,
  firstTokenMs: null,
});

async function withRecords(work: (home: string) => Promise<void>): Promise<void> {
  await withFolder(async (home) => {
    const store = await openStore(home);
    await store.inferences.insert([inference(1), failed, inference(3)]);
    await store.close();
    await work(home);
  });
}

test('the table has a line an inference, the latest at the bottom', async () => {
  await withRecords(async (home) => {
    const { stdout, code } = await runHere(['logs', '--home', home]);
    assert.equal(code, 0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    assert.equal(lines.length, 4);
    assert.match(stdout, /^TIME .*DRAFTS.*ENDED\n/);
    const [, first, second] = stdout.split('\n');
    assert.match(
      first ?? '',
      /^2026-11-21 12:00:01 +tiny +200 +9 +4 +3 +15\/20 +12 ms +345 ms +stop$/,
    );
    assert.match(
      second ?? '',
      /^2026-11-21 12:00:02 +other +502 +(- +){5}345 ms +upstream_failed$/,
    );
  });
});

test('filters, and JSON with all there is', async () => {
  await withRecords(async (home) => {
    const list = async (...args: string[]) =>
      JSON.parse((await runHere(['logs', '--json', '--home', home, ...args])).stdout) as Record<
        string,
        unknown
      >[];
    const ids = async (...args: string[]) => (await list(...args)).map(({ id }) => id);
    assert.deepEqual(await ids(), ['i1', 'i2', 'i3']);
    assert.deepEqual(await ids('--limit', '1'), ['i3']);
    assert.deepEqual(await ids('--model', 'tiny', '--limit', '5'), ['i1', 'i3']);
    assert.deepEqual(await ids('--model', 'none'), []);
    assert.deepEqual((await list())[0], {
      id: 'i1',
      request_id: 'r1',
      episode_id: null,
      created: '2026-11-21T12:00:01.000Z',
      key_id: null,
      endpoint: '/v1/chat/completions',
      model: 'tiny',
      target: 'embedded:tiny',
      stream: false,
      status: 200,
      error: null,
      finish_reasons: ['stop', 'stop'],
      prompt_tokens: 9,
      completion_tokens: 3,
      cached_tokens: 4,
      reasoning_tokens: 0,
      drafts_verified: 20,
      drafts_accepted: 15,
      first_token_ms: 12,
      total_ms: 345,
      receipt: 'top_k=honoured',
    });
  });
});

test('nothing on record is said; a wrong limit is wrong usage', async () => {
  await withFolder(async (home) => {
    const none = await runHere(['logs', '--home', home]);
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.match(none.stderr, /Nothing is on record/);
    for (const limit of ['0', 'x', '1.5', '100001']) {
      const wrong = await runHere(['logs', '--home', home, '--limit', limit]);
      assert.equal(wrong.code, 2);
      assert.match(wrong.stderr, /--limit is a whole number/);
    }
  });
});
