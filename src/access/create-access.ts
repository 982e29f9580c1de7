/**
 * Who is calling: from an `authorization` header to a principal. The server asks once a request. It
 * reads the store each time (some microseconds), so a key counts, or no longer, from the moment when
 * another process made or deleted it.
 */

import { timingSafeEqual } from 'node:crypto';

import { ParlanceError } from '../contract/index.ts';
import type { KeyRecord, Store } from '../records/index.ts';
import { hashKey } from './keys.ts';
import { allRights, toRights, type Principal } from './rights.ts';

export interface Access {
  /**
   * @param authorization the value of the header
   * @throws ParlanceError `unauthenticated` that says what to send
   */
  authenticate(authorization: string | undefined): Promise<Principal>;
}

export interface AccessOptions {
  /** Whether only this machine can reach the server; then no key is asked for while there is none. */
  readonly loopbackOnly: boolean;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

const everybody: Principal = { id: null, name: 'anonymous', rights: new Set(allRights) };

/** How often the last use of a key is written down. */
const touchEveryMs = 60_000;

export function createAccess(store: Pick<Store, 'keys'>, options: AccessOptions): Access {
  const now = options.now ?? Date.now;
  const touch = createToucher(store, now);
  return {
    async authenticate(authorization) {
      const key = parseAuthorization(authorization);
      const found = key === null ? null : await findKey(store, key);
      if (found !== null && !found.disabled) {
        await touch(found);
        return { id: found.id, name: found.name, rights: toRights(found.rights) };
      }
      if (options.loopbackOnly && !(await store.keys.any())) return everybody;
      throw refusal(authorization, key, found);
    },
  };
}

/** The key of `Bearer KEY` or `Api-Key KEY`, null when the header is another. */
function parseAuthorization(header: string | undefined): string | null {
  const match = /^(?:bearer|api-key) +(\S+) *$/i.exec(header ?? '');
  return match?.[1] ?? null;
}

async function findKey(store: Pick<Store, 'keys'>, key: string): Promise<KeyRecord | null> {
  const hash = hashKey(key);
  const found = await store.keys.findByHash(hash);
  if (found === null || !timingSafeEqual(Buffer.from(found.hash), Buffer.from(hash))) return null;
  return found;
}

/** Writes the last use of a key at most once a minute; a full disk must not lock people out. */
function createToucher(store: Pick<Store, 'keys'>, now: () => number) {
  const touched = new Map<string, number>();
  return async ({ id, lastUsed }: KeyRecord): Promise<void> => {
    const time = now();
    if (time - (touched.get(id) ?? lastUsed ?? 0) < touchEveryMs) return;
    touched.set(id, time);
    try {
      await store.keys.touch(id, time);
    } catch (error) {
      if (!(error instanceof ParlanceError)) throw error;
    }
  };
}

const howTo = 'Send the header `Authorization: Bearer KEY` (or `Authorization: Api-Key KEY`)';
const howToMake = 'On the server a key is made with: parlance keys create NAME';

function refusal(
  header: string | undefined,
  key: string | null,
  found: KeyRecord | null,
): ParlanceError {
  let message = `No API key was sent. ${howTo}. ${howToMake}`;
  if (found !== null) message = `The API key "${found.name}" is disabled. Use another one.`;
  else if (key !== null) message = `This API key is not known here. ${howToMake}`;
  else if (header !== undefined) message = `The header Authorization has another form. ${howTo}.`;
  return new ParlanceError('unauthenticated', message);
}
