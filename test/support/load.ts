/** What a server says of its load, and waiting for it to be something. */

import { metric } from './ask.ts';
import { waitUntil } from './wait-until.ts';

interface At {
  readonly url: string;
}

export const running = (server: At): Promise<number> => metric(server, 'parlance_requests_running');
export const waiting = (server: At): Promise<number> => metric(server, 'parlance_requests_waiting');

export async function untilLoad(server: At, run: number, wait: number): Promise<void> {
  await waitUntil(
    `${run} running and ${wait} waiting requests`,
    async () => (await running(server)) === run && (await waiting(server)) === wait,
  );
}
