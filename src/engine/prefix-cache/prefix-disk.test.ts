/** Runs on disk: restarts, damage, bounds, other engines in the same folder, and disks that say no. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createDice } from '../sampler/random-rows.test-support.ts';
import type { Dice } from '../sampler/random-rows.test-support.ts';
import {
  cellsOf,
  createPrompts,
  stateBytes,
  tokenState,
  tokenStates,
} from './naive-cache.test-support.ts';
import { PrefixCache } from './prefix-cache.ts';
import { createPrefixDisk } from './prefix-disk.ts';
import type { RunFile } from './run-file.ts';
import { temporaryName } from './temporary-name.ts';

const plenty = 1e9;
const identity = { model: 'a', library: '1', keys: 'q8_0' };

interface OpenOptions {
  readonly maxBytes?: number;
  readonly diskBytes?: number;
  readonly cuttable?: boolean;
  readonly identity?: Record<string, string>;
  readonly faults?: string[];
  readonly now?: () => number;
}

/** Caches of the running test, which may still be at work in its folder. */
const opened: PrefixCache[] = [];

/** A cache over a folder, as an engine opens it. */
async function openCache(dir: string, options: OpenOptions = {}): Promise<PrefixCache> {
  const disk = await createPrefixDisk({
    dir,
    maxBytes: options.diskBytes ?? plenty,
    identity: options.identity ?? identity,
    onFault: (message) => (options.faults ?? assert.fail(message)).push(message),
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const states = tokenStates(options.cuttable ?? true);
  const maxBytes = options.maxBytes ?? plenty;
  const cache = new PrefixCache({ states, maxBytes, minTokens: 1, disk });
  opened.push(cache);
  return cache;
}

function tempDir(context: TestContext): string {
  const dir = fs.mkdtempSync(join(tmpdir(), 'parlance-prefix-'));
  context.after(async () => {
    await Promise.all(opened.splice(0).map((cache) => cache.flush()));
    fs.rmSync(dir, { recursive: true, force: true });
  });
  return join(dir, 'prefixes');
}

const store = (cache: PrefixCache, tokens: readonly number[], space = ''): number =>
  cache.insert(space, tokens, tokens.length, (from) => tokenState(tokens.slice(from)));

const counting = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const found = (cache: PrefixCache, tokens: readonly number[], space = ''): number =>
  cache.match(space, tokens, tokens.length);

/** Reads as much as there is, and checks every cell of it. */
function readAll(cache: PrefixCache, tokens: readonly number[], space = ''): number {
  const matched = found(cache, tokens, space);
  const state = cache.read(space, tokens, matched);
  cache.checkIntegrity();
  if (state === null) return 0;
  assert.deepEqual([...cellsOf(state)], tokens.slice(0, matched));
  return matched;
}

const filesIn = (dir: string): string[] => fs.readdirSync(dir).toSorted();

const bytesIn = (dir: string): number =>
  filesIn(dir).reduce((sum, name) => sum + fs.statSync(join(dir, name)).size, 0);

/** A clock ahead of the files' own times, a second later with every look. */
function createClock(): () => number {
  let now = Date.now() + 1e6;
  return () => (now += 1000);
}

for (const cuttable of [true, false]) {
  test(`what was flushed is there after restarts, cuttable ${cuttable}`, async (context) => {
    const dir = tempDir(context);
    const dice = createDice(cuttable ? 3 : 4);
    const nextPrompt = createPrompts(dice);
    const stored: { space: string; tokens: number[] }[] = [];
    for (let start = 0; start < 8; start += 1) {
      const cache = await openCache(dir, { cuttable });
      for (const { space, tokens } of stored) {
        assert.equal(found(cache, tokens, space), tokens.length);
        if (dice.uniform() < 0.3) assert.equal(readAll(cache, tokens, space), tokens.length);
      }
      for (let call = 0; call < 40; call += 1) {
        const space = dice.pick(['', 'one']);
        const tokens = nextPrompt();
        store(cache, tokens, space);
        cache.checkIntegrity();
        stored.push({ space, tokens });
        if (dice.uniform() < 0.2) await cache.flush();
      }
      await cache.flush();
      assert.equal(cache.stats.damaged, 0);
      assert.equal(cache.stats.diskBytes, bytesIn(dir));
    }
  });
}

test('what leaves memory is read from its file and goes on from there', async (context) => {
  const dir = tempDir(context);
  const maxBytes = stateBytes(20) * 2;
  const cache = await openCache(dir, { maxBytes });
  const runs = [0, 100, 200, 300, 400].map((from) => counting(from, from + 20));
  for (const run of runs) {
    store(cache, run);
    await cache.flush();
  }
  assert.equal(cache.stats.nodes, 2);
  for (const run of runs) {
    assert.equal(readAll(cache, run), 20);
    assert.equal(readAll(cache, run.slice(0, 7)), 7);
    assert.ok(cache.stats.bytes <= maxBytes);
  }
  // A path that is larger than the memory is read, and not kept.
  const long = counting(0, 60);
  const roomy = await openCache(dir);
  store(roomy, long);
  await roomy.flush();
  const tight = await openCache(dir, { maxBytes });
  assert.equal(readAll(tight, long), 60);
  assert.equal(tight.stats.nodes, 0);
});

test('a run that is forked while it is written is whole on the disk', async (context) => {
  const dir = tempDir(context);
  const states = tokenStates(true);
  const [run, fork] = [counting(0, 40), [...counting(0, 15), ...counting(500, 520)]];
  const disk = await createPrefixDisk({ dir, maxBytes: plenty, identity, onFault: assert.fail });
  const cache: PrefixCache = new PrefixCache({
    states: {
      ...states,
      encode: (state) => {
        if (state.length === 40) queueMicrotask(() => store(cache, fork));
        return states.encode(state);
      },
    },
    maxBytes: plenty,
    minTokens: 1,
    disk,
  });
  store(cache, run);
  await cache.flush();
  cache.checkIntegrity();
  assert.equal(filesIn(dir).length, 2);
  const again = await openCache(dir);
  assert.equal(readAll(again, run), 40);
  assert.equal(readAll(again, fork), 35);
  assert.equal(again.stats.nodes, 3);
});

/** Changes a random bit, or cuts or lengthens the file. */
function damage(path: string, dice: Dice): void {
  const bytes = fs.readFileSync(path);
  const how = dice.uniform();
  if (how < 0.1) fs.writeFileSync(path, bytes.subarray(0, dice.whole(0, bytes.length - 1)));
  else if (how < 0.2) fs.appendFileSync(path, Buffer.alloc(dice.whole(1, 200)));
  else {
    const at = dice.whole(0, bytes.length - 1);
    bytes[at]! ^= 1 << dice.whole(0, 7);
    fs.writeFileSync(path, bytes);
  }
}

test('a damaged file is a miss, wherever the damage is, and goes', async (context) => {
  const dice = createDice(5);
  const tokens = counting(0, 50);
  const dir = tempDir(context);
  let readLater = 0;
  for (let trial = 0; trial < 120; trial += 1) {
    const first = await openCache(dir);
    store(first, tokens.slice(0, 20));
    store(first, tokens);
    await first.flush();
    const names = filesIn(dir);
    assert.equal(names.length, 2);
    const name = dice.pick(names);
    const isOpen = dice.uniform() < 0.5;
    const before = isOpen ? await openCache(dir) : null;
    damage(join(dir, name), dice);
    const cache = before ?? (await openCache(dir));
    if (found(cache, tokens) === 50) readLater += 1;
    // The first read may find the damage; the next gives what is left.
    readAll(cache, tokens);
    const left = readAll(cache, tokens);
    assert.equal(left, name.includes('-20-') ? 20 : 0, name);
    assert.equal(cache.stats.damaged, 1);
    assert.ok(!filesIn(dir).includes(name));
    assert.equal(store(cache, tokens), 50 - left);
    assert.equal(readAll(cache, tokens), 50);
    await cache.flush();
    assert.equal(readAll(await openCache(dir), tokens), 50);
    await Promise.all(opened.splice(0).map((one) => one.flush()));
    fs.rmSync(dir, { recursive: true });
  }
  assert.ok(readLater > 20 && readLater < 120, `${readLater} found at the read`);
});

test('a file under the name of another run or namespace is damaged', async (context) => {
  const dir = tempDir(context);
  const cache = await openCache(dir);
  store(cache, counting(0, 30), 'secret');
  await cache.flush();
  const [secret = ''] = filesIn(dir);
  store(cache, counting(0, 30), 'mine');
  await cache.flush();
  const mine = filesIn(dir).find((name) => name !== secret) ?? '';
  const later = await openCache(dir);
  fs.copyFileSync(join(dir, secret), join(dir, mine));
  assert.equal(readAll(later, counting(0, 30), 'mine'), 0);
  fs.copyFileSync(join(dir, secret), join(dir, mine));
  const fresh = await openCache(dir);
  assert.equal(found(fresh, counting(0, 30), 'mine'), 0);
  assert.equal(readAll(fresh, counting(0, 30), 'secret'), 30);
  assert.deepEqual([later.stats.damaged, fresh.stats.damaged], [1, 1]);
  assert.deepEqual(filesIn(dir), [secret]);
});

test('namespaces stay apart, and are not named in the folder', async (context) => {
  const dir = tempDir(context);
  const cache = await openCache(dir);
  store(cache, counting(0, 30), 'salt-of-a-tenant');
  await cache.flush();
  const again = await openCache(dir);
  assert.equal(found(again, counting(0, 30)), 0);
  assert.equal(readAll(again, counting(0, 30), 'salt-of-a-tenant'), 30);
  const [name = ''] = filesIn(dir);
  assert.ok(!name.includes('salt'));
  assert.ok(!fs.readFileSync(join(dir, name)).includes('salt'));
});

test('the folder is bounded; the least recently used and the deepest go first', async (context) => {
  const dir = tempDir(context);
  const runs = counting(0, 12).map((run) => counting(run * 100, run * 100 + 50));
  const probe = await openCache(dir);
  store(probe, runs[1]!);
  await probe.flush();
  const one = bytesIn(dir);
  fs.rmSync(dir, { recursive: true });

  const diskBytes = one * 10;
  const cache = await openCache(dir, { diskBytes, now: createClock() });
  for (const run of runs) {
    store(cache, run);
    readAll(cache, runs[0]!);
    await cache.flush();
    assert.ok(bytesIn(dir) <= diskBytes);
    assert.equal(cache.stats.diskBytes, bytesIn(dir));
  }
  const again = await openCache(dir);
  const kept = runs.map((run) => readAll(again, run) === 50);
  assert.ok(kept[0], 'what was used stays');
  const oldest = kept.indexOf(true, 1);
  assert.ok(oldest > 1 && kept.slice(oldest).every(Boolean), `the oldest go: ${kept.join()}`);
});

test('the beginning of a prompt stays longer than what follows it', async (context) => {
  const dir = tempDir(context);
  const long = counting(0, 150);
  const cache = await openCache(dir);
  const sizes: number[] = [];
  for (const length of [50, 100, 150]) {
    store(cache, long.slice(0, length));
    await cache.flush();
    sizes.push(bytesIn(dir));
  }
  // As an engine leaves them that did not end in peace: the beginning was written first.
  for (const name of filesIn(dir)) {
    const second = 1000 + Number(/-(\d+)-/.exec(name.slice(33))?.[1]);
    fs.utimesSync(join(dir, name), second, second);
  }
  for (const [size, left] of [[sizes[1]!, 100] as const, [sizes[0]!, 50] as const]) {
    const smaller = await openCache(dir, { diskBytes: size / 0.89 });
    await smaller.flush();
    assert.equal(bytesIn(dir), size);
    assert.equal(readAll(smaller, long), left);
  }
});

test('what leads to a run never goes before it', async (context) => {
  const dir = tempDir(context);
  const probe = await openCache(dir);
  store(probe, counting(100, 150));
  await probe.flush();
  const diskBytes = bytesIn(dir) * 6;
  fs.rmSync(dir, { recursive: true });

  const cache = await openCache(dir, { diskBytes, now: createClock() });
  for (const length of [50, 100]) {
    store(cache, counting(0, length));
    await cache.flush();
  }
  const seen = new Set<number>();
  for (let from = 200; from < 900; from += 100) {
    store(cache, counting(from, from + 50));
    await cache.flush();
    seen.add(found(await openCache(dir), counting(0, 100)));
    const deeper = filesIn(dir).filter((name) => name.includes('-50-'));
    assert.equal(deeper.length, seen.size === 1 ? 1 : 0);
  }
  assert.deepEqual([...seen], [100, 50, 0]);
});

test('what is used is marked in the folder, for others, whenever the folder is counted', async (context) => {
  const dir = tempDir(context);
  let now = Date.now() + 1e6;
  const disk = await createPrefixDisk({
    dir,
    maxBytes: 100_000,
    identity,
    onFault: assert.fail,
    now: () => now,
  });
  const write = (token: number): Promise<RunFile> =>
    new Promise((done) => {
      const content = { namespace: '0'.repeat(64), start: 0, tokens: Int32Array.of(token) };
      disk.queue({ prepare: () => ({ ...content, payload: Buffer.alloc(8000) }), done }, false);
    });
  const file = await write(0);
  for (let round = 1; round < 30; round += 1) {
    now += 1001;
    disk.touch(file);
    await write(1);
    // More than a sixteenth was written since the last count: the folder is counted now.
    fs.rmSync(join(dir, (await write(1 + round)).name));
    await write(100 + round);
    const { mtimeMs } = fs.statSync(join(dir, file.name));
    assert.equal(Math.floor(mtimeMs), now);
  }
  await disk.flush();
});

test('files that others removed are no damage, and their nodes go', async (context) => {
  const dir = tempDir(context);
  const cache = await openCache(dir, { maxBytes: stateBytes(40) });
  for (const from of [0, 100, 200]) {
    store(cache, counting(from, from + 40));
    await cache.flush();
  }
  for (const name of filesIn(dir)) fs.rmSync(join(dir, name));
  assert.equal(found(cache, counting(0, 40)), 40);
  assert.equal(readAll(cache, counting(0, 40)), 0);
  assert.equal(found(cache, counting(0, 40)), 0);
  assert.equal(readAll(cache, counting(200, 240)), 40);
  assert.equal(cache.stats.damaged, 0);
});

test('two engines share a folder', async (context) => {
  const dir = tempDir(context);
  const dice = createDice(6);
  const nextPrompt = createPrompts(dice);
  const diskBytes = 12_000;
  const limits = { maxBytes: 2000, diskBytes };
  const caches = [await openCache(dir, limits), await openCache(dir, limits)];
  const third = { ...limits, identity: { model: 'b' } };
  caches.push(await openCache(dir, third));
  for (let call = 0; call < 400; call += 1) {
    const cache = dice.pick(caches);
    const tokens = nextPrompt();
    if (dice.uniform() < 0.5) readAll(cache, tokens);
    else store(cache, tokens);
    cache.checkIntegrity();
    if (dice.uniform() < 0.1) await Promise.all(caches.map((one) => one.flush()));
    if (dice.uniform() < 0.02) caches[0] = await openCache(dir, limits);
  }
  await Promise.all(caches.map((cache) => cache.flush()));
  // Each may write a sixteenth, and a run, before it counts what the others wrote.
  assert.ok(bytesIn(dir) < diskBytes * 1.3, `${bytesIn(dir)}`);
  for (const options of [limits, third]) {
    const cache = await openCache(dir, { ...options, diskBytes: plenty });
    for (let call = 0; call < 100; call += 1) readAll(cache, nextPrompt());
    assert.equal(cache.stats.damaged, 0);
  }
  for (const cache of caches) assert.equal(cache.stats.damaged, 0);
  assert.ok(filesIn(dir).every((name) => name.endsWith('.run')));
});

test('engines keep one bound together, and what one of them uses is not old', async (context) => {
  const dir = tempDir(context);
  const run = (index: number): number[] => counting(index * 50, index * 50 + 50);
  const probe = await openCache(dir);
  store(probe, run(99));
  await probe.flush();
  const one = bytesIn(dir);
  fs.rmSync(dir, { recursive: true });

  const now = createClock();
  const options = { diskBytes: one * 20, now };
  const first = await openCache(dir, options);
  const second = await openCache(dir, { ...options, identity: { model: 'b' } });
  store(first, run(0));
  await first.flush();
  // Old by the time that only the folder knows; young by the use that the first engine sees.
  for (const name of filesIn(dir)) fs.utimesSync(join(dir, name), 1, 1);
  for (let index = 1; index < 40; index += 1) {
    readAll(first, run(0));
    store(first, run(index));
    await first.flush();
    store(second, run(index));
    await second.flush();
    assert.ok(bytesIn(dir) <= one * 23, `${bytesIn(dir)} of ${one * 20}`);
  }
  assert.equal(readAll(await openCache(dir), run(0)), 50);
});

test('a state that is not of as many cells as its file says is damage', async (context) => {
  const dir = tempDir(context);
  const cache = await openCache(dir);
  store(cache, counting(0, 40));
  await cache.flush();
  const disk = await createPrefixDisk({ dir, maxBytes: plenty, identity, onFault: assert.fail });
  const states = { ...tokenStates(true), decode: () => tokenState(counting(0, 39)) };
  const again = new PrefixCache({ states, maxBytes: plenty, disk });
  opened.push(again);
  assert.equal(found(again, counting(0, 40)), 40);
  assert.equal(again.read('', counting(0, 40), 40), null);
  assert.equal(again.stats.damaged, 1);
  assert.deepEqual(filesIn(dir), []);
});

test('the files of another model are left alone until there is no room', async (context) => {
  const dir = tempDir(context);
  const other = { identity: { ...identity, library: '2' } };
  const cache = await openCache(dir, other);
  store(cache, counting(0, 40));
  await cache.flush();
  const [theirs = ''] = filesIn(dir);
  const own = await openCache(dir);
  assert.equal(found(own, counting(0, 40)), 0);
  store(own, counting(0, 40));
  await own.flush();
  assert.equal(filesIn(dir).length, 2);
  assert.equal(readAll(await openCache(dir, other), counting(0, 40)), 40);
  const past = new Date(0);
  fs.utimesSync(join(dir, theirs), past, past);
  const diskBytes = bytesIn(dir) - 1;
  const smaller = await openCache(dir, { diskBytes });
  await smaller.flush();
  assert.equal(readAll(smaller, counting(0, 40)), 40);
  assert.ok(!filesIn(dir).includes(theirs));
});

test('only the owner may look into the folder', async (context) => {
  const dir = tempDir(context);
  const cache = await openCache(dir);
  store(cache, counting(0, 40));
  await cache.flush();
  assert.equal(fs.statSync(dir).mode & 0o777, 0o700);
  for (const name of filesIn(dir)) assert.equal(fs.statSync(join(dir, name)).mode & 0o777, 0o600);
});

test('what a dead process left unfinished goes, nothing else does', async (context) => {
  const dir = tempDir(context);
  const cache = await openCache(dir);
  store(cache, counting(0, 40));
  await cache.flush();
  const [name = ''] = filesIn(dir);
  const living = temporaryName(name);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const dead = temporaryName(name).replace(`-${process.pid}-`, `-${pid}-`);
  const later = temporaryName(name).replace(/-[0-9a-f]{12}-/, '-0123456789ab-');
  const startless = (one: string): string => one.replace(/-[0-9a-f]{12}-/, '-0-');
  const foreign = temporaryName(name).replace(/\.[0-9a-f]{8}-/, '.00000000-');
  const kept = [name, living, startless(living), foreign, 'letter.txt', 'x.run'];
  for (const one of [...kept.slice(1), dead, startless(dead), later])
    fs.writeFileSync(join(dir, one), 'x');
  await openCache(dir);
  assert.deepEqual(filesIn(dir), kept.toSorted());
});

test('a folder that cannot be made is told once, and requests go on', async (context) => {
  const dir = tempDir(context);
  fs.writeFileSync(dir, 'a file');
  for (const place of [dir, join(dir, 'below'), '/proc/nowhere/prefixes']) {
    const faults: string[] = [];
    const cache = await openCache(place, { faults });
    store(cache, counting(0, 40));
    await cache.flush();
    assert.equal(readAll(cache, counting(0, 40)), 40);
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /cannot use .*: .*--prefix-cache-dir/);
  }
});

test('a folder that fails later is told once; what it holds is still read', async (context) => {
  const dir = tempDir(context);
  const faults: string[] = [];
  const cache = await openCache(dir, { faults, maxBytes: stateBytes(40) });
  store(cache, counting(0, 40));
  await cache.flush();
  fs.renameSync(dir, `${dir}-away`);
  for (const from of [100, 200]) {
    store(cache, counting(from, from + 40));
    await cache.flush();
    assert.equal(readAll(cache, counting(from, from + 40)), 40);
  }
  assert.equal(faults.length, 1);
  fs.renameSync(`${dir}-away`, dir);
  assert.equal(readAll(cache, counting(0, 40)), 40);
  assert.equal(filesIn(dir).length, 1);
});

test('a folder where others may put files is not used', async (context) => {
  const dir = tempDir(context);
  fs.mkdirSync(dir);
  fs.chmodSync(dir, 0o777);
  const faults: string[] = [];
  const open = await openCache(dir, { faults });
  store(open, counting(0, 40));
  await open.flush();
  assert.deepEqual(fs.readdirSync(dir), []);
  assert.equal(readAll(open, counting(0, 40)), 40);
  assert.match(faults.join(), /every user may write there/);
  assert.equal(faults.length, 1);
});
