/**
 * The folder `<home>/models`: made when something is to be written, checked for room, and every way
 * in which a disk says no turned into `home_unusable` with the folder and the way out.
 */

import { mkdir, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import { formatBytes } from './progress-line.ts';

const diskReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a part of the path is a file, not a folder',
  ELOOP: 'its symbolic links go in circles',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk reports an input/output error',
};

export function modelsFolder(home: string): string {
  return join(home, 'models');
}

/** The error for a folder that cannot be used, or undefined when `error` is no matter of the disk. */
export function toHomeError(error: unknown, folder: string): ParlanceError | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const why = code === undefined ? undefined : diskReasons[code];
  if (why === undefined) return undefined;
  return homeUnusable(folder, `${why} (${code})`, error);
}

export function homeUnusable(folder: string, why: string, cause?: unknown): ParlanceError {
  return new ParlanceError(
    'home_unusable',
    `Cannot write to ${folder}: ${why}. Free some room or choose another folder with --home PATH (or PARLANCE_HOME).`,
    { cause },
  );
}

/** Makes the folder, and throws `home_unusable` where that cannot be. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw toHomeError(error, folder) ?? error;
  }
}

/** What the fetch asks of the disk; tests put a full one in its place. */
export interface Disk {
  freeBytes(folder: string): Promise<number>;
  /** Writes the whole chunk at the file's end. */
  append(file: FileHandle, chunk: Uint8Array): Promise<void>;
}

export const realDisk: Disk = {
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
  async append(file, chunk) {
    await file.appendFile(chunk);
  },
};

/**
 * @throws ParlanceError `home_unusable` with both numbers when the disk has less than `neededBytes`.
 */
export async function checkRoom(disk: Disk, folder: string, neededBytes: number): Promise<void> {
  const free = await disk.freeBytes(folder);
  if (free >= neededBytes) return;
  throw homeUnusable(
    folder,
    `${formatBytes(neededBytes)} are needed and ${formatBytes(free)} are free on that disk`,
  );
}
