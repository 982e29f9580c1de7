/** Keys from making to deleting, and who a request's header names, over a real store. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { ParlanceError, Reason } from '../contract/index.ts';
import { openStore, type Store } from '../records/index.ts';
import { createAccess } from './create-access.ts';
import { createKey, deleteKey, listKeys } from './keys.ts';

let home = '';
let store: Store;
describe('access', () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parlance-access-'));
    store = await openStore(home);
  });
  afterEach(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  const fails = (reason: Reason, words: RegExp) => (error: ParlanceError) => {
    assert.equal(error.reason, reason);
    assert.match(error.message, words);
    return true;
  };

  describe('keys', () => {
    it('are shown once; the store has the hash only', async () => {
      const { key } = await createKey(store, { name: 'ann' });
      assert.match(key, /^sk-parlance-[\w-]{43}$/);
      const [listed] = await listKeys(store);
      assert.equal(listed?.prefix, key.slice(0, 18));
      assert.deepEqual(listed.rights, ['chat']);
      assert.equal('hash' in listed, false);
      const rows = new DatabaseSync(store.path).prepare('select * from keys').all();
      assert.equal(JSON.stringify(rows).includes(key), false);
    });

    it('have one name each', async () => {
      await createKey(store, { name: 'ann' });
      await assert.rejects(createKey(store, { name: 'ann' }), fails('invalid_option', /already/));
      await assert.rejects(createKey(store, { name: 'a b' }), fails('invalid_option', /letters/));
      assert.equal((await listKeys(store)).length, 1);
    });

    it('are told off for rights that do not exist', async () => {
      const make = (rights: string[]) => createKey(store, { name: 'x', rights });
      await assert.rejects(make(['depoly']), fails('invalid_option', /did you mean "deploy"/));
      await assert.rejects(make([]), fails('invalid_option', /got none/));
    });

    it('are deleted by name', async () => {
      await createKey(store, { name: 'ann' });
      await assert.rejects(deleteKey(store, 'bob'), fails('invalid_option', /The keys are: ann/));
      await deleteKey(store, 'ann');
      assert.deepEqual(await listKeys(store), []);
    });
  });

  describe('authenticate', () => {
    it('lets everybody in while there is no key and only this machine can call', async () => {
      const access = createAccess(store, { loopbackOnly: true });
      for (const header of [undefined, 'Bearer anything', 'Api-Key x', 'Basic abc']) {
        const principal = await access.authenticate(header);
        assert.equal(principal.id, null);
        assert.deepEqual([...principal.rights], ['chat', 'deploy', 'admin']);
      }
    });

    it('lets nobody in without a key when others can call', async () => {
      const access = createAccess(store, { loopbackOnly: false });
      await assert.rejects(access.authenticate('Bearer x'), fails('unauthenticated', /not known/));
      await assert.rejects(access.authenticate(undefined), fails('unauthenticated', /keys create/));
    });

    it('asks for a key from the moment when another process made one', async () => {
      const access = createAccess(store, { loopbackOnly: true });
      await access.authenticate(undefined);
      const elsewhere = await openStore(home);
      const { key, id } = await createKey(elsewhere, { name: 'ann' });
      await assert.rejects(access.authenticate(undefined), fails('unauthenticated', /No API key/));
      for (const header of [
        `Bearer ${key}`,
        `bearer  ${key}`,
        `Api-Key ${key}`,
        `API-KEY ${key} `,
      ]) {
        assert.equal((await access.authenticate(header)).id, id);
      }
      for (const header of ['Bearer', `Basic ${key}`, key]) {
        await assert.rejects(access.authenticate(header), fails('unauthenticated', /another form/));
      }
      const wrong = `Bearer ${key.slice(0, -1)}`;
      await assert.rejects(access.authenticate(wrong), (error: ParlanceError) => {
        assert.equal(error.status, 401);
        assert.equal(error.message.includes(key.slice(12, 30)), false, 'the key is in the message');
        return true;
      });
      await deleteKey(elsewhere, 'ann');
      await elsewhere.close();
      assert.equal((await access.authenticate(`Bearer ${key}`)).id, null);
    });

    it('refuses a disabled key, and goes on asking for one', async () => {
      const { key } = await createKey(store, { name: 'ann' });
      new DatabaseSync(store.path).exec('update keys set disabled = 1');
      const access = createAccess(store, { loopbackOnly: true });
      await assert.rejects(
        access.authenticate(`Bearer ${key}`),
        fails('unauthenticated', /disabled/),
      );
      await assert.rejects(access.authenticate(undefined), fails('unauthenticated', /No API key/));
    });

    it('writes the last use down once a minute', async () => {
      const { key } = await createKey(store, { name: 'ann' });
      let time = 1_000_000;
      const access = createAccess(store, { loopbackOnly: true, now: () => time });
      const used = async (): Promise<number | null | undefined> => {
        await access.authenticate(`Bearer ${key}`);
        return (await listKeys(store))[0]?.lastUsed;
      };
      assert.equal(await used(), 1_000_000);
      time += 59_000;
      assert.equal(await used(), 1_000_000);
      time += 1_000;
      assert.equal(await used(), 1_060_000);
    });
  });

  describe('the rights of a principal', () => {
    const rightsOf = async (rights: string[]) => {
      const { key } = await createKey(store, { name: 'ann', rights });
      const access = createAccess(store, { loopbackOnly: true });
      return [...(await access.authenticate(`Bearer ${key}`)).rights];
    };

    it('are those of the key; deploy does not bring chat', async () => {
      assert.deepEqual(await rightsOf(['deploy']), ['deploy']);
    });

    it('are all of them for admin', async () => {
      assert.deepEqual(await rightsOf(['admin']), ['chat', 'deploy', 'admin']);
    });
  });
});
