/** The address that the server would listen on: free, ours already, or somebody else's. */

import { createServer } from 'node:net';

import { checkAddress } from '../../config/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import type { ServerRecord } from '../../records/index.ts';
import { readHealth } from '../client/find-server.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** The server of the home folder that was looked at. */
  readonly holder: ServerRecord | null;
  readonly keys: number;
  readonly home: string;
}

/** Listens for a moment to find out whether it would work. */
export async function checkPort(asked: Listening): Promise<Finding[]> {
  return [await checkFree(asked), ...checkHost(asked)];
}

async function checkFree({ host, port, holder }: Listening): Promise<Finding> {
  const place = `${host}:${port}`;
  const code = await tryListening(host, port);
  switch (code) {
    case null:
      return ok('port', `${place} is free`);
    case 'EADDRINUSE': {
      const url = `http://${toDialled(host)}:${port}`;
      const health = await readHealth(url);
      const next = `Stop it, or take another port: --port ${port + 1}`;
      if (health === null) return fail('port', `${place} is used by another program`, next);
      if (holder !== null && holder.address.endsWith(`:${port}`)) {
        return ok('port', `${place}: the server of this home folder answers (${health})`);
      }
      return warn(
        'port',
        `${place}: a Parlance with another home folder answers (${health})`,
        next,
      );
    }
    case 'EACCES':
      return fail('port', `${place}: this user may not listen there`, 'Take a port from 1024 on.');
    default:
      return fail('port', `${place}: cannot listen there (${code})`, 'Check --host and --port.');
  }
}

/** null when it worked, else the code of the error. */
async function tryListening(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** An address to call where one was given to listen on. */
function toDialled(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function checkHost({ host, keys, home }: Listening): Finding[] {
  try {
    checkAddress(host, keys > 0, home);
    return [];
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    return [fail('host', error.message, `parlance keys create NAME --home ${home}`)];
  }
}
