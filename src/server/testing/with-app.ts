/** Runs the server on a free port for one test, and ends it whatever the test does. */

import { connect, type Socket } from 'node:net';

import { createApp, type App, type AppOptions } from '../app.ts';
import type { Services } from '../services.ts';

export interface Running {
  readonly app: App;
  readonly port: number;
  readonly url: string;
}

export async function withApp<T>(
  services: Services,
  use: (running: Running) => Promise<T>,
  options: AppOptions = {},
): Promise<T> {
  const app = createApp(services, options);
  const { port } = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    return await use({ app, port, url: `http://127.0.0.1:${port}` });
  } finally {
    await app.drain(0);
  }
}

/** The payloads of an event stream's text, in order. */
export function payloadsOf(stream: string): string[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

export const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A socket that sends these bytes; `text` settles with all that came until the other side closed. */
export function rawClient(port: number, bytes: string): { socket: Socket; text: Promise<string> } {
  const socket = connect(port, '127.0.0.1', () => void socket.write(bytes));
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {}).on('close', () => resolve(text));
  return { socket, text: promise };
}

/** A timer that tests turn by hand: `fire()` lets everything that waits run out once. */
export function handTimers() {
  const waiting = new Set<{ readonly callback: () => void; readonly milliseconds: number }>();
  return {
    start(callback: () => void, milliseconds: number) {
      const entry = { callback, milliseconds };
      waiting.add(entry);
      return {
        refresh: () => void waiting.add(entry),
        cancel: () => void waiting.delete(entry),
      };
    },
    /** @param milliseconds only the timers of this length */
    fire(milliseconds: number): void {
      const due = [...waiting].filter((entry) => entry.milliseconds === milliseconds);
      for (const entry of due) {
        waiting.delete(entry);
        entry.callback();
      }
    },
    count: (milliseconds: number): number =>
      [...waiting].filter((entry) => entry.milliseconds === milliseconds).length,
  };
}
