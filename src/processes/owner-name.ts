/**
 * Names of processes for the files that they are writing: what a process left unfinished when it died can
 * be told from what another one is still at. Whoever writes to a shared folder puts them into its names.
 */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

import { isRunning, readProcessStart } from './process-start.ts';

const hashOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** Host, process and its start, so that a reused process id is not taken for the owner. */
export function ownerName(): string {
  return `${hashOf(hostname(), 8)}-${process.pid}-${startOf(process.pid)}`;
}

/** A word for the process's start that can stand in a file name; `0` where it is unknown. */
function startOf(pid: number): string {
  const start = readProcessStart(pid);
  return start === null ? '0' : hashOf(start, 12);
}

/** Whether the owner in a file's name is a process of this machine that has ended. */
export function hasEnded(owner: string): boolean {
  const [host, pidText, start] = owner.split('-');
  const pid = Number(pidText);
  if (host !== hashOf(hostname(), 8) || !Number.isInteger(pid) || pid <= 0) return false;
  if (!isRunning(pid, null)) return true;
  return start !== '0' && startOf(pid) !== start;
}
