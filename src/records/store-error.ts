/**
 * What the disk and SQLite say when a home folder cannot be used, as `home_unusable` with the file
 * and the way out. Errors that are none of these (a broken rule of the schema, a bug) are left alone.
 */

import { ParlanceError } from '../contract/index.ts';

const otherHome = 'Choose another folder with --home PATH (or PARLANCE_HOME).';

interface Trouble {
  readonly why: string;
  readonly way: string;
}

const writable = `Make it writable for this user. ${otherHome}`;
const notThere: Trouble = {
  why: 'a part of this path is a file, not a folder',
  way: `Move that file away. ${otherHome}`,
};
const readOnly: Trouble = { why: 'it is on a read-only file system', way: otherHome };
const forbidden: Trouble = { why: 'this user may not write there', way: writable };
const full: Trouble = { why: 'the disk is full', way: `Free some room. ${otherHome}` };

/** By the `code` of a failed system call. */
const systemTroubles: Readonly<Record<string, Trouble>> = {
  EEXIST: notThere,
  ENOTDIR: notThere,
  EISDIR: {
    why: 'a folder is where the file should be',
    way: `Move that folder away. ${otherHome}`,
  },
  EROFS: readOnly,
  EACCES: forbidden,
  EPERM: forbidden,
  ENOSPC: full,
  EDQUOT: full,
};

const damaged: Trouble = {
  why: 'the file is damaged or is no database',
  way:
    'Restore it from a backup, or move it away: then a new one is made at the next start, ' +
    'without the keys and deployments of the old one.',
};

/** By SQLite's primary result code. */
const sqliteTroubles: Readonly<Record<number, Trouble>> = {
  3: forbidden,
  5: { why: 'another program has been writing to it for over 5 seconds', way: 'Try again.' },
  8: { why: 'it is read-only', way: writable },
  10: { why: 'the disk reports an input/output error', way: otherHome },
  11: damaged,
  13: full,
  14: { why: 'it cannot be opened', way: writable },
  26: damaged,
};

function troubleOf(error: unknown): Trouble | undefined {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  // Extended result codes keep the primary one in their low byte.
  if (typeof errcode === 'number') return sqliteTroubles[errcode % 256];
  return typeof code === 'string' ? systemTroubles[code] : undefined;
}

/** The thrown value that should go on: `home_unusable` for a trouble of the disk, else itself. */
export function toStoreError(error: unknown, path: string): unknown {
  const trouble = troubleOf(error);
  if (trouble === undefined) return error;
  return new ParlanceError('home_unusable', `Cannot use ${path}: ${trouble.why}. ${trouble.way}`, {
    cause: error,
  });
}
