/** The prefix cache with a real model's states: what comes out of it computes on to the same bits. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { append, openDecoder, someTokens, testModel } from '../llama/open-decoder.test-support.ts';
import { PrefixCache } from './prefix-cache.ts';
import { createPrefixDisk } from './prefix-disk.ts';

test('forks of one prompt, from memory and from disk, go on as if computed', async (context) => {
  const dir = mkdtempSync(join(tmpdir(), 'parlance-prefix-'));
  context.after(() => rmSync(dir, { recursive: true, force: true }));
  const decoder = openDecoder(testModel());
  context.after(() => decoder.close());
  const openCache = async (): Promise<PrefixCache> => {
    const identity = { model: 'test' };
    const disk = await createPrefixDisk({ dir, maxBytes: 1e9, identity, onFault: assert.fail });
    return new PrefixCache({ states: decoder.states, maxBytes: 1e9, disk });
  };
  const cache = await openCache();
  const system = someTokens(decoder, 60, 1);
  const prompts = [2, 3, 4].map((seed) => [...system, ...someTokens(decoder, 30, seed)]);
  const expected = prompts.map((prompt) => {
    decoder.seqRemove(0, 0);
    append(decoder, 0, prompt.slice(0, -1));
    const stored = cache.insert('', prompt, prompt.length - 1, (from) =>
      decoder.saveState(0, from),
    );
    assert.ok(stored >= 28, `${stored} tokens stored`);
    return append(decoder, 0, prompt.slice(-1));
  });
  cache.checkIntegrity();
  assert.equal(cache.stats.tokens, 60 + 3 * 29);
  await cache.flush();
  for (const opened of [cache, await openCache()]) {
    for (const length of [50, 89]) {
      prompts.forEach((prompt, index) => {
        assert.equal(opened.match('', prompt, length), length);
        const state = opened.read('', prompt, length);
        decoder.seqRemove(1, 0);
        assert.ok(state !== null && decoder.restoreState(1, state));
        assert.equal(decoder.seqLength(1), length);
        assert.deepEqual(append(decoder, 1, prompt.slice(length)), expected[index]);
      });
    }
    opened.checkIntegrity();
    assert.equal(opened.stats.damaged, 0);
    await opened.flush();
  }
});
