/** `parlance keys` on the store of a temporary home folder. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createAccess } from '../../access/index.ts';
import { openStore } from '../../records/index.ts';
import { runHere, startChild, withFolder } from '../testing/run-cli.ts';

interface KeyLine {
  readonly name: string;
  readonly prefix: string;
  readonly rights: readonly string[];
  readonly created: string;
  readonly last_used: string | null;
}

test('the key alone is on stdout, and it works; lists never show it', async () => {
  await withFolder(async (home) => {
    const made = await startChild(['keys', 'create', '--name', 'laptop', '--home', home]).ended;
    assert.equal(made.code, 0);
    assert.match(made.stdout, /^sk-parlance-[\w-]{43}\n$/);
    assert.match(made.stderr, /Authorization: Bearer KEY/);
    const key = made.stdout.trim();
    assert.ok(!made.stderr.includes(key));

    const store = await openStore(home);
    try {
      const access = createAccess(store, { loopbackOnly: true });
      const principal = await access.authenticate(`Bearer ${key}`);
      assert.deepEqual([principal.name, [...principal.rights]], ['laptop', ['chat']]);
    } finally {
      await store.close();
    }

    const table = await runHere(['keys', 'list', '--home', home]);
    assert.match(table.stdout, /^NAME {4}KEY .*\nlaptop {2}sk-parlance-[\w-]{2}/);
    const json = await runHere(['keys', 'list', '--home', home, '--json']);
    assert.ok(!(table.stdout + json.stdout).includes(key));
    const [line] = JSON.parse(json.stdout) as KeyLine[];
    assert.equal(line?.name, 'laptop');
    assert.ok(key.startsWith(line?.prefix ?? 'none'));
    assert.ok(Number.isFinite(Date.parse(line?.created ?? '')));
  });
});

test('rights: a list, or --admin, and not both', async () => {
  await withFolder(async (home) => {
    const create = async (...args: string[]) =>
      await runHere(['keys', 'create', ...args, '--home', home, '--json']);
    const rightsOf = async (...args: string[]) =>
      (JSON.parse((await create(...args)).stdout) as KeyLine & { key: string }).rights;
    assert.deepEqual(await rightsOf('a', '--rights', 'chat, deploy'), ['chat', 'deploy']);
    assert.deepEqual(await rightsOf('b', '--admin'), ['admin']);
    assert.deepEqual(await rightsOf('c'), ['chat']);
    const both = await create('d', '--admin', '--rights', 'chat');
    assert.equal(both.code, 2);
    assert.match(both.stderr, /--admin and --rights exclude each other/);
    const wrong = await create('d', '--rights', 'chta');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /did you mean "chat"/);
    assert.equal(wrong.stdout, '');
  });
});

test('a name is needed, once, and given one way', async () => {
  await withFolder(async (home) => {
    const create = async (...args: string[]) =>
      await runHere(['keys', 'create', ...args, '--home', home]);
    assert.equal((await create()).code, 2);
    assert.match((await create()).stderr, /Give the key a name/);
    assert.equal((await create('a', '--name', 'b')).code, 2);
    assert.equal((await create('a', '--name', 'a')).code, 0);
    const taken = await create('a');
    assert.notEqual(taken.code, 0);
    assert.match(taken.stderr, /a key named "a"/);
  });
});

test('works while a server holds the home folder, and deletes', async () => {
  await withFolder(async (home) => {
    const store = await openStore(home);
    try {
      await store.lock.claim({ address: 'http://127.0.0.1:1' });
      assert.equal((await startChild(['keys', 'create', 'a', '--home', home]).ended).code, 0);
      assert.equal(await store.keys.any(), true);
      const gone = await runHere(['keys', 'delete', 'a', '--home', home]);
      assert.equal(gone.code, 0);
      assert.match(gone.stderr, /the last one/);
      assert.equal(await store.keys.any(), false);
    } finally {
      await store.close();
    }
    const again = await runHere(['keys', 'delete', 'a', '--home', home]);
    assert.notEqual(again.code, 0);
    assert.match(again.stderr, /no key named "a"/);
    const empty = await runHere(['keys', 'list', '--home', home, '--json']);
    assert.equal(empty.stdout, '[]\n');
  });
});
