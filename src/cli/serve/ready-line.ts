/**
 * Tells whoever started the server as a child where it answers: one JSON line on the file descriptor
 * that `PARLANCE_READY_FD` names. `parlance chat` and the tests listen to it.
 */

import { closeSync, writeSync } from 'node:fs';

export function announceReady(fd: string | undefined, url: string): void {
  if (fd === undefined || !/^\d+$/.test(fd)) return;
  try {
    writeSync(Number(fd), `${JSON.stringify({ url })}\n`);
    closeSync(Number(fd));
  } catch {
    // Nobody listens there any more; the server is of use all the same.
  }
}
