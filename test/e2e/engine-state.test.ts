/** What an engine tells of itself, and prefixes that outlive the server, over HTTP with the real model. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { complete, get, jsonOf, metric, model, textOf, type Completion } from '../support/ask.ts';
import { deploymentUrl, type Deployment } from '../support/deployments.ts';
import { makeHome, startServer, type ServerProcess } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

interface EngineBlock {
  readonly deterministic: { readonly on: boolean };
  readonly prefix_reuse: { readonly on: boolean };
  readonly prefix_cache_bytes: number;
  readonly adapters: readonly string[];
  readonly stats: Readonly<Record<string, number | null>> | null;
}

const cacheBytes = 64 * 2 ** 20;
let home: string;
let folder: string;
let server: ServerProcess;

const start = (): Promise<ServerProcess> =>
  startServer({
    home,
    args: [
      '--context=1024',
      '--slots=2',
      '--deterministic=true',
      `--prefix-cache-dir=${folder}`,
      '--prefix-cache-bytes=64MiB',
    ],
  });

const ask = (): Promise<Completion> =>
  complete(server, {
    messages: [
      {
        role: 'system',
        content: 'You are a keeper of a lighthouse and speak of little but the sea.',
      },
      { role: 'user', content: 'How was your day?' },
    ],
    max_tokens: 12,
    logprobs: true,
  });

const cachedTokens = ({ usage }: Completion): number =>
  (usage as { prompt_tokens_details?: { cached_tokens?: number } }).prompt_tokens_details
    ?.cached_tokens ?? -1;

async function engineBlock(): Promise<EngineBlock> {
  const { engine } = jsonOf<Deployment>(await get(deploymentUrl(server, model)));
  return engine as EngineBlock;
}

describe('the state of an engine', () => {
  before(async () => {
    home = makeHome();
    folder = mkdtempSync(join(tmpdir(), 'parlance-prefixes-'));
    server = await start();
  });
  after(async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  it('is in the deployment and in the metrics', async () => {
    const [first, second] = [await ask(), await ask()];
    assert.ok(cachedTokens(second) > cachedTokens(first));
    await waitUntil('the engine to tell of its steps', async () => {
      const { stats } = await engineBlock();
      return (stats?.['generated_tokens'] ?? 0) >= 24;
    });
    const engine = await engineBlock();
    assert.deepEqual([engine.deterministic.on, engine.prefix_reuse.on], [true, true]);
    assert.equal(engine.prefix_cache_bytes, cacheBytes);
    assert.deepEqual(engine.adapters, []);
    const { stats } = engine;
    assert.ok(stats !== null);
    assert.equal(stats['slots_taken'], 0);
    assert.ok((stats['prefix_bytes'] ?? 0) > 0);
    assert.ok((stats['prefix_hit_rate'] ?? 0) > 0);
    for (const [name, value] of [
      ['generated_tokens_total', stats['generated_tokens']],
      ['cached_tokens_total', stats['cached_tokens']],
      ['prefix_bytes', stats['prefix_bytes']],
      ['slots', 2],
    ] as const) {
      const read = await metric(server, `parlance_engine_${name}{deployment="${model}"}`);
      assert.equal(read, value, name);
    }
  });

  it('outlives the server: what was computed is not computed again, and gives the same', async () => {
    const before = await ask();
    await server.stop();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const runs = files.filter((file) => file.isFile());
    assert.ok(runs.length > 0);
    for (const { parentPath, name } of runs) {
      assert.equal(statSync(join(parentPath, name)).mode & 0o077, 0);
    }
    server = await start();
    const again = await ask();
    assert.ok(cachedTokens(again) > 32, String(cachedTokens(again)));
    assert.equal(textOf(again), textOf(before));
    assert.deepEqual(again.choices[0]?.logprobs, before.choices[0]?.logprobs);
  });
});
