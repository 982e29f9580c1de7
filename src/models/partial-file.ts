/**
 * The unfinished file beside its target. A process owns a partial by the name that it renamed it to
 * (rename is atomic, so two processes never write to one file); an unfinished one is given back under
 * a name that the next fetch finds and goes on with. The name carries the identity of the content, so
 * that nobody goes on with bytes of another file.
 */

import { createHash, randomBytes, type Hash } from 'node:crypto';
import { open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { hasEnded, ownerName } from '../processes/index.ts';
import { toHomeError, type Disk } from './home-folder.ts';

const suffix = '.partial';

/** The name of a folder that belongs to this process, for tools that write where they like. */
export function workFolderName(target: string): string {
  return `${target}.${ownerName()}-${randomBytes(3).toString('hex')}.work${suffix}`;
}

/** Removes work folders whose owners have ended. */
export async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(`.work${suffix}`)) continue;
    const owner = name.slice(prefix.length, -`.work${suffix}`.length);
    if (hasEnded(owner)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

export class PartialFile {
  readonly #target: string;
  readonly #path: string;
  readonly #freePath: string;
  readonly #disk: Disk;
  readonly #file: FileHandle;
  #hash: Hash = createHash('sha256');
  #bytes = 0;
  /** It has its final name: there is nothing to give back. */
  #renamed = false;

  private constructor(
    paths: { target: string; path: string; freePath: string },
    file: FileHandle,
    disk: Disk,
  ) {
    this.#target = paths.target;
    this.#path = paths.path;
    this.#freePath = paths.freePath;
    this.#disk = disk;
    this.#file = file;
  }

  /**
   * Takes over what an earlier fetch of the same content left, or begins anew. The file may hold
   * bytes already: call `rehash` before anything is appended.
   * @param identity word for the content, such as its SHA-256; null: never goes on with anything.
   */
  static async claim(target: string, identity: string | null, disk: Disk): Promise<PartialFile> {
    const word = createHash('sha256')
      .update(identity ?? randomBytes(16))
      .digest('hex')
      .slice(0, 12);
    const freePath = `${target}.${word}${suffix}`;
    const path = `${target}.${word}.${ownerName()}-${randomBytes(3).toString('hex')}${suffix}`;
    try {
      if (identity !== null) await takeOver(freePath, path);
      const file = await open(path, 'a+');
      return new PartialFile({ target, path, freePath }, file, disk);
    } catch (error) {
      throw toHomeError(error, dirname(target)) ?? error;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Hashes what is there already. Call once, first. */
  async rehash(onBytes: (bytes: number) => void): Promise<void> {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (;;) {
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#bytes);
      if (bytesRead === 0) return;
      this.#hash.update(buffer.subarray(0, bytesRead));
      this.#bytes += bytesRead;
      onBytes(this.#bytes);
    }
  }

  async append(chunk: Uint8Array): Promise<void> {
    try {
      await this.#disk.append(this.#file, chunk);
    } catch (error) {
      throw toHomeError(error, dirname(this.#target)) ?? error;
    }
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Throws away what is there and begins at byte 0. */
  async restart(): Promise<void> {
    await this.#file.truncate(0);
    this.#hash = createHash('sha256');
    this.#bytes = 0;
  }

  /** SHA-256 of all bytes so far, in hex. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Puts the finished file at its target, safely on the disk. */
  async finish(): Promise<void> {
    try {
      await this.#file.sync();
      const [ours, there] = [await this.#file.stat(), await stat(this.#path)];
      if (ours.ino !== there.ino)
        throw new Error('the partial file was replaced by another process');
      await this.#file.close();
      await rename(this.#path, this.#target);
      this.#renamed = true;
      await syncFolder(dirname(this.#target));
    } catch (error) {
      throw toHomeError(error, dirname(this.#target)) ?? error;
    }
  }

  /** Gives an unfinished file back, for the next fetch to go on with. */
  async release(): Promise<void> {
    await this.#file.close();
    if (this.#bytes === 0) await rm(this.#path, { force: true });
    else if (!this.#renamed) await rename(this.#path, this.#freePath);
  }

  /** Deletes a file that is of no use. */
  async discard(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}

/** Renames a given-back partial, or one whose owner has ended, to `path`; none of them: does nothing. */
async function takeOver(freePath: string, path: string): Promise<void> {
  const folder = dirname(freePath);
  const prefix = `${basename(freePath).slice(0, -suffix.length)}.`;
  const orphans = (await readdir(folder)).filter(
    (name) =>
      name.startsWith(prefix) &&
      name.endsWith(suffix) &&
      hasEnded(name.slice(prefix.length, -suffix.length)),
  );
  for (const candidate of [freePath, ...orphans.map((name) => join(folder, name))]) {
    try {
      await rename(candidate, path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
