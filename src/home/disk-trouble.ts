/**
 * The ways in which a disk says no, in words, each with a way out. The rooms that write below the home
 * folder make their errors of it.
 */

export interface DiskTrouble {
  /** Completes "Cannot use PATH: …". */
  readonly why: string;
  /** What the user can do; a whole sentence. */
  readonly way: string;
}

export const otherHome = 'Choose another folder with --home PATH (or PARLANCE_HOME).';

const writable = `Make it writable for this user. ${otherHome}`;
const freeRoom = `Free some room. ${otherHome}`;
const fileInTheWay: DiskTrouble = {
  why: 'a part of this path is a file, not a folder',
  way: `Move that file away. ${otherHome}`,
};

export const notPermitted: DiskTrouble = { why: 'this user may not write there', way: writable };
export const diskFull: DiskTrouble = { why: 'the disk is full', way: freeRoom };

/** By the `code` of a failed system call. */
const troubles: Readonly<Record<string, DiskTrouble>> = {
  EEXIST: fileInTheWay,
  ENOTDIR: fileInTheWay,
  EISDIR: {
    why: 'a folder is where the file should be',
    way: `Move that folder away. ${otherHome}`,
  },
  ENOENT: { why: 'nothing can be made at this path', way: otherHome },
  EROFS: { why: 'it is on a read-only file system', way: otherHome },
  EACCES: notPermitted,
  EPERM: notPermitted,
  ENOSPC: diskFull,
  EDQUOT: { why: 'the disk quota is used up', way: freeRoom },
  ELOOP: { why: 'its symbolic links go in circles', way: otherHome },
  ENAMETOOLONG: { why: 'the path is too long', way: otherHome },
  EIO: { why: 'the disk reports an input/output error', way: otherHome },
};

/** What a thrown value says of the disk, or undefined when it is no matter of the disk. */
export function diskTrouble(error: unknown): DiskTrouble | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? troubles[code] : undefined;
}
