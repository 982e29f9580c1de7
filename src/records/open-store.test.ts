/** The store on a real disk: kept rows, the schema's age, and folders that cannot be used. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import { openStore } from './open-store.ts';
import { toStoreError } from './store-error.ts';

let home = '';
describe('the store', () => {
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'parlance-store-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const refusal = async (path: string): Promise<ParlanceError> => {
    const error: unknown = await openStore(path).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ParlanceError);
    assert.equal(error.reason, 'home_unusable');
    return error;
  };

  const key = {
    id: '1',
    name: 'ann',
    hash: 'h',
    prefix: 'p',
    rights: ['chat'],
    created: 5,
    lastUsed: null,
    disabled: false,
  };

  describe('openStore', () => {
    it('makes a home folder that is not there, and keeps what was written', async () => {
      const deep = join(home, 'a', 'b');
      const first = await openStore(deep);
      assert.equal(await first.keys.any(), false);
      assert.equal(await first.keys.insert(key), true);
      await first.deployments.put({ name: 'd', spec: { name: 'd' }, created: 7 });
      await first.close();
      const second = await openStore(deep);
      assert.deepEqual(await second.keys.list(), [key]);
      assert.deepEqual(await second.deployments.list(), [
        { name: 'd', spec: { name: 'd' }, created: 7 },
      ]);
      await second.close();
    });

    it('keeps the file to its owner', async () => {
      const store = await openStore(home);
      assert.equal(statSync(store.path).mode & 0o777, 0o600);
      await store.close();
    });

    it('is open to several at once', async () => {
      const one = await openStore(home);
      const other = await openStore(home);
      await one.keys.insert(key);
      assert.equal((await other.keys.findByHash('h'))?.name, 'ann');
      await one.close();
      await other.close();
    });

    it('refuses a database of a newer version, and leaves it as it is', async () => {
      const store = await openStore(home);
      await store.close();
      const raw = new DatabaseSync(store.path);
      raw.exec(`insert into kysely_migration values ('9999_from_tomorrow', 'x')`);
      raw.close();
      const error = await refusal(home);
      assert.match(error.message, /newer Parlance.*9999_from_tomorrow/);
    });

    it('names a file that is where the folder should be', async () => {
      const path = join(home, 'file');
      writeFileSync(path, '');
      assert.match((await refusal(path)).message, /file: a part of this path is a file/);
      assert.match((await refusal(join(path, 'below'))).message, /a part of this path is a file/);
    });

    it('names a database that is none', async () => {
      writeFileSync(join(home, 'parlance.db'), 'no database, but long enough to be read as one');
      assert.match((await refusal(home)).message, /parlance\.db: the file is damaged/);
    });
  });

  describe('toStoreError', () => {
    const sqliteError = (readOnly: boolean, statements: string): unknown => {
      const path = join(home, 'some.db');
      new DatabaseSync(path).close();
      const database = new DatabaseSync(path, { readOnly });
      try {
        database.exec(statements);
        return null;
      } catch (error) {
        return error;
      } finally {
        database.close();
      }
    };

    it('knows a full disk', () => {
      const error = sqliteError(
        false,
        `pragma max_page_count = 2; create table t (x); insert into t values (zeroblob(100000))`,
      );
      const seen = toStoreError(error, '/h/parlance.db') as ParlanceError;
      assert.equal(seen.reason, 'home_unusable');
      assert.match(seen.message, /\/h\/parlance\.db: the disk is full/);
    });

    it('knows a file that may only be read', () => {
      const seen = toStoreError(sqliteError(true, 'create table t (x)'), '/h') as ParlanceError;
      assert.match(seen.message, /\/h: it is read-only/);
    });

    it('knows the system calls of a folder, and leaves other errors alone', () => {
      const denied = toStoreError(Object.assign(new Error('x'), { code: 'EROFS' }), '/h');
      assert.match((denied as ParlanceError).message, /read-only file system/);
      const bug = new TypeError('a bug');
      assert.equal(toStoreError(bug, '/h'), bug);
      const broken = sqliteError(false, 'create table t (x unique); insert into t values (1), (1)');
      assert.ok(broken instanceof Error);
      assert.equal(toStoreError(broken, '/h'), broken);
    });
  });
});
