/**
 * Keeps two processes from the same work on one file: a lock file that says who holds it, made in one
 * step. The lock of a process that has ended is taken over. `requantise-model.ts` uses it.
 */

import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';

import { hasEnded, ownerName } from '../../processes/index.ts';
import { workFolderName } from '../partial-file.ts';

/**
 * Runs `work` while no other process works on `path`, and gives `busy` where one does.
 * @throws the error of the system call, and whatever `work` throws
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T | 'busy'> {
  const lock = `${path}.lock`;
  const own = workFolderName(path);
  await writeFile(own, ownerName());
  try {
    if (
      !(await claim(own, lock)) &&
      !((await clearAbandoned(lock, path)) && (await claim(own, lock)))
    ) {
      return 'busy';
    }
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function claim(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a dead owner's lock away; false where its owner lives, or another process was quicker. */
async function clearAbandoned(lock: string, path: string): Promise<boolean> {
  const owner = await readOwner(lock);
  if (owner === null) return true;
  if (!hasEnded(owner)) return false;
  const aside = workFolderName(path);
  try {
    await rename(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  // Another process may have cleared the old lock and put its own there in between.
  const moved = await readOwner(aside);
  if (moved !== owner) await claim(aside, lock);
  await rm(aside, { force: true });
  return moved === owner;
}

async function readOwner(lock: string): Promise<string | null> {
  try {
    return await readFile(lock, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
