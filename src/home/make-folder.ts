/**
 * Makes a folder and those above it, one at a time: Node's own recursive way never returns where the
 * file system answers "no such file" to every try, as /proc does.
 */

import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** @throws the error of the system call that failed; `diskTrouble` has its words */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  let path = resolve(folder);
  while (!(await isThere(path)) && dirname(path) !== path) {
    missing.unshift(path);
    path = dirname(path);
  }
  for (const one of missing) await makeOne(one);
  // Where nothing was missing the path may still be a file.
  await makeOne(resolve(folder));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Another process may make the same folder at the same time. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}
