/**
 * Names for files that are being written, which say whose they are: what a process left unfinished when
 * it died is removed by the next one. `prefix-disk.ts` calls it.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { isRunning, readProcessStart } from '../../processes/index.ts';
import { digestOf } from './run-file.ts';

const pattern = /\.run\.([0-9a-f]{8})-(\d{1,10})-([0-9a-f]{12}|0)-[0-9a-f]{8}\.temporary$/;

const hostWord = (): string => digestOf(hostname()).slice(0, 8);

/** The process's start as a word; `0` where it is unknown. */
function startWord(pid: number): string {
  const start = readProcessStart(pid);
  return start === null ? '0' : digestOf(start).slice(0, 12);
}

/** @param name the run's name, which the file gets when it is whole */
export function temporaryName(name: string): string {
  const random = randomBytes(4).toString('hex');
  return `${name}.${hostWord()}-${process.pid}-${startWord(process.pid)}-${random}.temporary`;
}

/** Whether it is such a file, and its process, one of this machine, has ended. */
export function isLeftover(name: string): boolean {
  const [, host, pidText, start] = pattern.exec(name) ?? [];
  if (host !== hostWord()) return false;
  const pid = Number(pidText);
  return start === '0' ? !isRunning(pid, null) : startWord(pid) !== start;
}
