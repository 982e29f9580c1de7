/**
 * Reads run files, and checks all that can be checked of them. `prefix-disk.ts` calls it, before the
 * engine serves and where a request waits for a state; it therefore does not wait itself.
 */

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

import { fixedHeadBytes, headBytes, nameOf, parseHead, readTokenCount } from './run-file.ts';
import type { RunHead } from './run-file.ts';

/** null: it is damaged. Throws what the system says where it cannot be opened. */
export function readHeadSync(path: string): RunHead | null {
  return withFile(path, (file, size) => readHead(file, size, basename(path)));
}

/** The payload, in memory of its own; null: the file is damaged. Throws as `readHeadSync` does. */
export function readRunSync(path: string): Uint8Array | null {
  return withFile(path, (file, size) => {
    const head = readHead(file, size, basename(path));
    if (head === null) return null;
    const payload = readExactly(file, headBytes(head.tokens.length), head.payloadBytes);
    if (payload === null) return null;
    const digest = createHash('sha256').update(payload).digest();
    return digest.equals(head.payloadDigest) ? payload : null;
  });
}

/** What cannot be removed is a damaged file again the next time. */
export function removeSync(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder has become read-only, which the next write tells.
  }
}

function withFile<T>(path: string, use: (file: number, size: number) => T): T {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return use(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function readHead(file: number, size: number, name: string): RunHead | null {
  const fixed = readExactly(file, 0, Math.min(size, fixedHeadBytes));
  const count = fixed === null ? null : readTokenCount(fixed);
  // Checked before memory is taken for it: the number may be damaged too.
  if (count === null || headBytes(count) > size) return null;
  const bytes = readExactly(file, 0, headBytes(count));
  const head = bytes === null ? null : parseHead(bytes);
  // A file that was renamed to another prompt's or another namespace's is not that.
  if (head === null || nameOf(head) !== name) return null;
  return headBytes(count) + head.payloadBytes === size ? head : null;
}

function readExactly(file: number, position: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const count = readSync(file, bytes, at, length - at, position + at);
    if (count === 0) return null;
    at += count;
  }
  return bytes;
}
