/**
 * Names for files that are being written, which say whose they are: what a process left unfinished when
 * it died is removed by the next one. `prefix-disk.ts` calls it.
 */

import { randomBytes } from 'node:crypto';

import { hasEnded, ownerName } from '../../processes/index.ts';

const pattern = /\.run\.([0-9a-f]{8}-\d{1,10}-(?:[0-9a-f]{12}|0))-[0-9a-f]{8}\.temporary$/;

/** @param name the run's name, which the file gets when it is whole */
export function temporaryName(name: string): string {
  return `${name}.${ownerName()}-${randomBytes(4).toString('hex')}.temporary`;
}

/** Whether it is such a file, and its process, one of this machine, has ended. */
export function isLeftover(name: string): boolean {
  const [, owner] = pattern.exec(name) ?? [];
  return owner !== undefined && hasEnded(owner);
}
