/**
 * One server for all tests that leave it as they found it. It is started when the first of them asks
 * for it and stopped at the very end; its context is small, so that no answer can go on for long.
 */

import { after } from 'node:test';
import { startServer, type ServerProcess } from './server-process.ts';

export const sharedContext = 1024;
export const sharedSlots = 8;

let server: Promise<ServerProcess> | undefined;

/** Import it at the top of a test file, call it in a `before` of a suite. */
export function sharedServer(): Promise<ServerProcess> {
  server ??= startServer({
    args: ['--context', String(sharedContext), '--slots', String(sharedSlots)],
  });
  return server;
}

after(async () => {
  // A server that did not start has failed the tests already.
  const running = await server?.catch(() => null);
  await running?.stop();
});
