/** The lock of a home folder, between real processes. */

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import { openStore, type Store } from './open-store.ts';
import { isRunning, readProcessStart } from '../processes/index.ts';

let home = '';
let store: Store;
const children: ChildProcess[] = [];
describe('the lock of a home folder', () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parlance-lock-'));
    store = await openStore(home);
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(endChild));
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function endChild(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  const script = join(import.meta.dirname, 'claim-lock.test-support.ts');

  /** Starts a process that claims, and waits for its one line. */
  async function claimElsewhere(folder: string): Promise<{ child: ChildProcess; line: string }> {
    const child = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, line };
  }

  function writeRow(pid: number, start: string | null): void {
    const raw = new DatabaseSync(store.path);
    raw
      .prepare('insert or replace into server values (1, ?, ?, ?, 0)')
      .run(pid, start, 'http://127.0.0.1:1');
    raw.close();
  }

  const here = { address: 'http://127.0.0.1:8000' };

  describe('the lock of a home folder', () => {
    it('refuses a second server by name, and takes over from one that was killed', async () => {
      const { child, line } = await claimElsewhere(home);
      assert.equal(line, 'claimed');
      await assert.rejects(store.lock.claim(here), (error: ParlanceError) => {
        assert.equal(error.reason, 'home_unusable');
        assert.match(
          error.message,
          new RegExp(
            `pid ${child.pid}, http://127\\.0\\.0\\.1:8111, since .* UTC\\) uses ${home}; .*--home`,
          ),
        );
        return true;
      });
      assert.equal((await store.lock.holder())?.pid, child.pid);
      await endChild(child);
      assert.equal(await store.lock.holder(), null);
      await store.lock.claim(here);
      assert.equal((await store.lock.holder())?.pid, process.pid);
    });

    it('goes to exactly one of several that open a new home folder at once', async () => {
      const fresh = join(home, 'fresh');
      const lines = await Promise.all(
        [1, 2, 3].map(async () => (await claimElsewhere(fresh)).line),
      );
      assert.equal(lines.filter((line) => line === 'claimed').length, 1, lines.join('\n'));
      assert.equal(lines.filter((line) => line.startsWith('Another Parlance server')).length, 2);
    });

    it('is given back, and then belongs to the next one', async () => {
      await store.lock.claim(here);
      await store.lock.claim({ address: 'http://127.0.0.1:8001' });
      assert.equal((await store.lock.holder())?.address, 'http://127.0.0.1:8001');
      await store.lock.release();
      assert.equal(await store.lock.holder(), null);
      assert.equal((await claimElsewhere(home)).line, 'claimed');
      await store.lock.release();
      assert.notEqual(await store.lock.holder(), null, 'released a lock that is not ours');
    });

    it('takes over from a process whose ID belongs to another one now', async () => {
      writeRow(process.ppid, 'another boot/1');
      await store.lock.claim(here);
      writeRow(process.ppid, readProcessStart(process.ppid));
      await assert.rejects(store.lock.claim(here), /Another Parlance server/);
    });
  });

  describe('isRunning', () => {
    it('goes by the ID alone where the start is not known', () => {
      assert.equal(isRunning(process.pid, null), true);
      // Beyond the largest process ID that Linux gives.
      assert.equal(isRunning(2 ** 22 + 1, null), false);
    });
  });
});
