/**
 * Servers for all tests that leave them as they found them. Each is started when the first test asks
 * for it and stopped at the very end; contexts are small, so that no answer can go on for long.
 */

import { after } from 'node:test';
import { startServer, type ServerProcess } from './server-process.ts';

export const sharedContext = 1024;
export const sharedSlots = 8;
/** Of the narrow server, beside its one slot. */
export const narrowQueue = 2;
export const narrowBody = 65_536;

const running = new Map<string, Promise<ServerProcess>>();

function shared(...args: string[]): Promise<ServerProcess> {
  const key = args.join(' ');
  const server =
    running.get(key) ?? startServer({ args: ['--context', String(sharedContext), ...args] });
  running.set(key, server);
  return server;
}

/** Import it at the top of a test file, call it in a `before` of a suite. */
export const sharedServer = (): Promise<ServerProcess> => shared('--slots', String(sharedSlots));

/** One slot, a short queue, small bodies: for what happens at the limits. */
export const narrowServer = (): Promise<ServerProcess> =>
  shared('--slots', '1', '--queue', String(narrowQueue), '--max-body', String(narrowBody));

after(async () => {
  for (const server of running.values()) {
    // A server that did not start has failed the tests already.
    const started = await server.catch(() => null);
    await started?.stop();
  }
});
