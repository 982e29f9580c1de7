/**
 * Writes run files: whole or not at all, and in slices, so that the engine's steps go on between them.
 * `prefix-disk.ts` calls it.
 */

import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { encodeHead, headBytes, nameOf } from './run-file.ts';
import type { RunHead } from './run-file.ts';
import { temporaryName } from './temporary-name.ts';

/** Most bytes that are hashed and written without a turn for others; hashing them takes 0.5 ms. */
const sliceBytes = 512 * 1024;

/**
 * It is not forced to the medium: what a power failure leaves of it fails its checksum. Throws what the
 * system says; then nothing is left of it.
 */
export async function writeRun(
  folder: string,
  head: Omit<RunHead, 'payloadDigest'>,
  payload: Uint8Array,
): Promise<void> {
  const name = nameOf(head);
  const path = join(folder, temporaryName(name));
  const file = await open(path, 'wx', 0o600);
  try {
    const begin = headBytes(head.tokens.length);
    const digest = createHash('sha256');
    for (let at = 0; at < payload.length; at += sliceBytes) {
      const slice = payload.subarray(at, at + sliceBytes);
      digest.update(slice);
      await writeAt(file, slice, begin + at);
    }
    await writeAt(file, encodeHead({ ...head, payloadDigest: digest.digest() }), 0);
    await file.close();
    await rename(path, join(folder, name));
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** The system may write less than it was given. */
async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
  }
}
