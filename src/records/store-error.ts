/**
 * What the disk and SQLite say when a home folder cannot be used, as `home_unusable` with the file
 * and the way out. Errors that are none of these (a broken rule of the schema, a bug) are left alone.
 */

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import { diskFull, diskTrouble, notPermitted, otherHome, type DiskTrouble } from '../home/index.ts';

const damaged: DiskTrouble = {
  why: 'the file is damaged or is no database',
  way:
    'Restore it from a backup, or move it away: then a new one is made at the next start, ' +
    'without the keys and deployments of the old one.',
};

const brokenDisk: DiskTrouble = {
  why: 'the disk reports an input/output error',
  way: otherHome,
};

/** By SQLite's primary result code. */
const sqliteTroubles: Readonly<Record<number, DiskTrouble>> = {
  3: notPermitted,
  5: { why: 'another program has been writing to it for over 5 seconds', way: 'Try again.' },
  8: { why: 'it is read-only', way: notPermitted.way },
  10: brokenDisk,
  11: damaged,
  13: diskFull,
  14: { why: 'it cannot be opened', way: notPermitted.way },
  26: damaged,
};

function troubleOf(error: unknown): DiskTrouble | undefined {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  // Extended result codes keep the primary one in their low byte.
  if (typeof errcode === 'number') return sqliteTroubles[errcode % 256];
  return diskTrouble(error);
}

/** SQLite calls it an input/output error when its shared memory finds no room. */
function isFull(path: string): boolean {
  try {
    return statfsSync(dirname(path)).bavail === 0;
  } catch {
    return false;
  }
}

/** The thrown value that should go on: `home_unusable` for a trouble of the disk, else itself. */
export function toStoreError(error: unknown, path: string): unknown {
  const known = troubleOf(error);
  if (known === undefined) return error;
  const trouble = known === brokenDisk && isFull(path) ? diskFull : known;
  return new ParlanceError('home_unusable', `Cannot use ${path}: ${trouble.why}. ${trouble.way}`, {
    cause: error,
  });
}
