/**
 * Which server a command should talk to: the one it was told, the usual address, or the one that
 * uses the home folder. `chat` starts its own when there is none; that is not done here.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { defaultUrl, type ServerAddress } from './server-client.ts';

const probeMs = 2000;

/** What a Parlance says of itself, or null when what answers is something else, or nothing. */
export async function readHealth(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/health`, {
      signal: AbortSignal.timeout(probeMs),
      redirect: 'error',
    });
    const body = (await answer.json()) as { status?: unknown } | null;
    return typeof body?.status === 'string' ? body.status : null;
  } catch {
    return null;
  }
}

/** Looks at the usual address, then at the one that the home folder's server has written down. */
export async function findServer(home: string, key: string | null): Promise<ServerAddress | null> {
  if ((await readHealth(defaultUrl)) !== null) return { url: defaultUrl, key };
  const url = await addressOfHome(home);
  if (url === null || (await readHealth(url)) === null) return null;
  return { url, key };
}

async function addressOfHome(home: string): Promise<string | null> {
  // Opening a store makes one; looking for a server must leave nothing behind.
  if (!existsSync(join(home, 'parlance.db'))) return null;
  const { openStore } = await import('../../records/index.ts');
  const store = await openStore(home);
  try {
    return (await store.lock.holder())?.address ?? null;
  } finally {
    await store.close();
  }
}
