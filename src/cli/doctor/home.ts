/** The home folder and its database, which are looked at and left as they are. */

import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import { formatBytes } from '../../models/index.ts';
import { openStore, type ServerRecord } from '../../records/index.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

export interface HomeState {
  readonly findings: readonly Finding[];
  /** The server that uses the folder. */
  readonly holder: ServerRecord | null;
  readonly keys: number;
  /** null where the disk could not be asked. */
  readonly freeBytes: number | null;
}

const otherHome = 'choose another folder with --home PATH (or PARLANCE_HOME)';

/** Looks at the folder, the room on its disk, and what the database says. */
export async function checkHome(home: string): Promise<HomeState> {
  const folder = await checkFolder(home);
  const freeBytes = await readFreeBytes(home);
  const database = folder.status === 'fail' ? null : await checkDatabase(home);
  return {
    findings: [folder, ...(database?.findings ?? [])],
    holder: database?.holder ?? null,
    keys: database?.keys ?? 0,
    freeBytes,
  };
}

async function checkFolder(home: string): Promise<Finding> {
  const nearest = await nearestThere(home);
  if (nearest === home && !(await stat(home)).isDirectory()) {
    return fail('home', `${home} is a file, not a folder`, `Move it away, or ${otherHome}.`);
  }
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EROFS' ? 'is on a read-only file system' : 'is not writable for this user';
    return fail('home', `${nearest} ${why}`, `Make it writable, or ${otherHome}.`);
  }
  if (nearest === home) return ok('home', home);
  if (!(await stat(nearest)).isDirectory()) {
    return fail('home', `${nearest} is a file, and ${home} lies below it`, `Please ${otherHome}.`);
  }
  return ok('home', `${home} (will be made at the first start)`);
}

/** The path itself, or the nearest part of it that exists. */
async function nearestThere(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    const parent = dirname(path);
    return parent === path ? path : await nearestThere(parent);
  }
}

async function readFreeBytes(home: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(await nearestThere(home));
    return bavail * bsize;
  } catch {
    return null;
  }
}

async function checkDatabase(home: string): Promise<Omit<HomeState, 'freeBytes'>> {
  const path = join(home, 'parlance.db');
  if ((await nearestThere(path)) !== path) {
    const message = 'none yet (will be made at the first start)';
    return { findings: [ok('database', message)], holder: null, keys: 0 };
  }
  try {
    const store = await openStore(home);
    try {
      const keys = (await store.keys.list()).length;
      const holder = await store.lock.holder();
      const message = `opens; ${keys} ${keys === 1 ? 'key' : 'keys'}, ${(await store.deployments.list()).length} stored deployments`;
      return { findings: [ok('database', message), ...describeHolder(holder)], holder, keys };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    return { findings: [fail('database', error.message, null)], holder: null, keys: 0 };
  }
}

function describeHolder(holder: ServerRecord | null): Finding[] {
  if (holder === null) return [];
  const since = new Date(holder.since).toISOString().slice(0, 16).replace('T', ' ');
  return [
    ok(
      'server',
      `one runs on this home folder: ${holder.address} (pid ${holder.pid}, since ${since} UTC)`,
    ),
  ];
}

/** Below this even the database has no room to grow. */
const leastBytes = 50e6;

/** @param wanted bytes that a model still needs on the disk */
export function checkDisk(freeBytes: number | null, wanted: number): Finding {
  if (freeBytes === null) return warn('disk', 'the free room could not be read', null);
  const text = `${formatBytes(freeBytes)} free`;
  if (freeBytes >= wanted + leastBytes) return ok('disk', text);
  const needed = wanted === 0 ? '' : `; the model needs ${formatBytes(wanted)}`;
  return fail('disk', `${text}${needed}`, `Free some room, or ${otherHome}.`);
}
