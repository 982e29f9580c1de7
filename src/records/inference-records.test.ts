/** The table of inferences on a real disk, with other processes in its way. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { inference } from './inference.test-support.ts';
import { openStore, type Store } from './open-store.ts';

// In a describe: the hooks of a file's root hold for all files of the same process.
describe('the table of inferences', () => {
  let home = '';
  let store: Store;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parlance-inferences-'));
    store = await openStore(home);
  });
  afterEach(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  const full = inference(7, {
    episodeId: 'e',
    keyId: 'k',
    stream: true,
    status: 499,
    error: 'cancelled',
    finishReasons: ['stop', 'length'],
    draftsVerified: 20,
    draftsAccepted: 15,
  });
  const bare = inference(8, {
    finishReasons: [],
    promptTokens: null,
    completionTokens: null,
    cachedTokens: null,
    reasoningTokens: null,
    firstTokenMs: null,
    receipt: '',
  });

  test('what was written comes back as it was, also from a store that is opened again', async () => {
    await store.inferences.insert([full, bare]);
    await store.close();
    store = await openStore(home);
    assert.deepEqual(await store.inferences.list({ limit: 10 }), [full, bare]);
  });

  test('lists are the latest, in the order of arrival, of one model where asked for', async () => {
    const numbers = [3, 1, 5, 2, 4];
    const models = { model: 'other' };
    await store.inferences.insert(numbers.map((n) => inference(n, n % 2 === 0 ? models : {})));
    const listed = async (filter: { limit: number; model?: string }): Promise<string[]> =>
      (await store.inferences.list(filter)).map(({ id }) => id);
    assert.deepEqual(await listed({ limit: 3 }), ['i3', 'i4', 'i5']);
    assert.deepEqual(await listed({ limit: 2, model: 'tiny' }), ['i3', 'i5']);
    assert.deepEqual(await listed({ limit: 9, model: 'other' }), ['i2', 'i4']);
    assert.deepEqual(await listed({ limit: 9, model: 'none' }), []);
  });

  test('what is written twice is there once', async () => {
    await store.inferences.insert([inference(1)]);
    await store.inferences.insert([inference(1, { model: 'changed' }), inference(2)]);
    const found = await store.inferences.list({ limit: 10 });
    assert.deepEqual(found, [inference(1), inference(2)]);
  });

  test('the old ones are removed, the oldest first, so many at a time', async () => {
    await store.inferences.insert([1, 2, 3, 4, 5].map((n) => inference(n)));
    assert.equal(await store.inferences.removeBefore(1004, 2), 2);
    assert.deepEqual((await store.inferences.list({ limit: 9 })).length, 3);
    assert.equal(await store.inferences.removeBefore(1004, 2), 1);
    assert.equal(await store.inferences.removeBefore(1004, 2), 0);
    const left = await store.inferences.list({ limit: 9 });
    assert.deepEqual(
      left.map(({ id }) => id),
      ['i4', 'i5'],
    );
  });

  test('a writer in another process is not waited for, and nothing is half written', async () => {
    const other = new DatabaseSync(store.path);
    other.exec('begin immediate');
    await assert.rejects(store.inferences.insert([inference(1)]), /has been writing to it/);
    other.exec('rollback');
    other.close();
    assert.deepEqual(await store.inferences.list({ limit: 9 }), []);
    await store.inferences.insert([inference(1)]);
    assert.equal((await store.inferences.list({ limit: 9 })).length, 1);
  });
});
