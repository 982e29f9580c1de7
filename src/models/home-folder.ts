/**
 * The folder `<home>/models`: made when something is to be written, checked for room, and every way
 * in which a disk says no turned into `home_unusable` with the folder and the way out.
 */

import { statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import { diskFull, diskTrouble, makeFolder, type DiskTrouble } from '../home/index.ts';
import { formatBytes } from './progress-line.ts';

export function modelsFolder(home: string): string {
  return join(home, 'models');
}

/** The error for a folder that cannot be used, or undefined when `error` is no matter of the disk. */
export function toHomeError(error: unknown, folder: string): ParlanceError | undefined {
  const trouble = diskTrouble(error);
  if (trouble === undefined) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return homeUnusable(folder, { ...trouble, why: `${trouble.why} (${code})` }, error);
}

export function homeUnusable(
  folder: string,
  { why, way }: DiskTrouble,
  cause?: unknown,
): ParlanceError {
  return new ParlanceError('home_unusable', `Cannot write to ${folder}: ${why}. ${way}`, { cause });
}

/** Makes the folder, and throws `home_unusable` where that cannot be. */
export async function makeModelsFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
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
  const why = `${formatBytes(neededBytes)} are needed and ${formatBytes(free)} are free on that disk`;
  throw homeUnusable(folder, { ...diskFull, why });
}
