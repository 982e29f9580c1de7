/**
 * Making, listing and deleting API keys. A key is shown once, when it is made; the store gets its
 * SHA-256, which is enough for 32 random bytes. Called by the CLI.
 */

import { hash, randomBytes, randomUUID } from 'node:crypto';

import { ParlanceError } from '../contract/index.ts';
import type { KeyRecord, Store } from '../records/index.ts';
import { parseRights, type Right } from './rights.ts';

type KeyStore = Pick<Store, 'keys'>;

/** A key as lists show it. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly rights: readonly string[];
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly lastUsed: number | null;
  readonly disabled: boolean;
}

export interface CreatedKey extends KeyView {
  /** The key itself; it cannot be had again. */
  readonly key: string;
}

const keyStart = 'sk-parlance-';
const keyBytes = 32;
const shownCharacters = 6;

export const hashKey = (key: string): string => hash('sha256', key);

/**
 * @param what.rights `chat` alone unless others are named
 * @throws ParlanceError `invalid_option`: a bad name, a name that is taken, an unknown right
 */
export async function createKey(
  store: KeyStore,
  what: { readonly name: string; readonly rights?: readonly string[] },
): Promise<CreatedKey> {
  const rights: Right[] = parseRights(what.rights ?? ['chat']);
  const key = keyStart + randomBytes(keyBytes).toString('base64url');
  const record: KeyRecord = {
    id: randomUUID(),
    name: checkName(what.name),
    hash: hashKey(key),
    prefix: key.slice(0, keyStart.length + shownCharacters),
    rights,
    created: Date.now(),
    lastUsed: null,
    disabled: false,
  };
  if (!(await store.keys.insert(record))) {
    throw new ParlanceError(
      'invalid_option',
      `There is a key named "${record.name}" already; choose another name, or delete it first: ` +
        `parlance keys delete ${record.name}`,
      { param: 'name' },
    );
  }
  return { ...toView(record), key };
}

function checkName(name: string): string {
  if (/^[\w.:@-]{1,64}$/.test(name)) return name;
  throw new ParlanceError(
    'invalid_option',
    'The name of a key is 1 to 64 letters, digits or characters of . _ : @ -',
    { param: 'name' },
  );
}

/** Oldest first. */
export async function listKeys(store: KeyStore): Promise<KeyView[]> {
  return (await store.keys.list()).map(toView);
}

/** @throws ParlanceError `invalid_option` when there is none of this name */
export async function deleteKey(store: KeyStore, name: string): Promise<void> {
  if (await store.keys.remove(name)) return;
  const names = (await store.keys.list()).map((key) => key.name);
  throw new ParlanceError(
    'invalid_option',
    `There is no key named "${name}". ` +
      (names.length === 0 ? 'There are no keys.' : `The keys are: ${names.join(', ')}.`),
    { param: 'name' },
  );
}

function toView({ hash: _hash, ...view }: KeyRecord): KeyView {
  return view;
}
