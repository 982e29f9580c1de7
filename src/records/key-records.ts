/** API keys in the store. Holds hashes, never keys; what a right means is the access room's matter. */

import type { Database } from './database.ts';
import type { KeysTable } from './tables.ts';

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole key, in hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly rights: readonly string[];
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly lastUsed: number | null;
  readonly disabled: boolean;
}

export interface KeyRecords {
  /** @returns false when another key has this name */
  insert(key: KeyRecord): Promise<boolean>;
  /** Oldest first. */
  list(): Promise<KeyRecord[]>;
  findByHash(hash: string): Promise<KeyRecord | null>;
  /** Whether there is any key, disabled ones included. */
  any(): Promise<boolean>;
  /** @returns false when there is none of this name */
  remove(name: string): Promise<boolean>;
  touch(id: string, time: number): Promise<void>;
}

export function createKeyRecords(db: Database): KeyRecords {
  return {
    async insert(key) {
      const done = await db
        .insertInto('keys')
        .values({
          id: key.id,
          name: key.name,
          hash: key.hash,
          prefix: key.prefix,
          rights: JSON.stringify(key.rights),
          created: key.created,
          last_used: key.lastUsed,
          disabled: key.disabled ? 1 : 0,
        })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst();
      return done.numInsertedOrUpdatedRows === 1n;
    },
    async list() {
      const rows = await db.selectFrom('keys').selectAll().orderBy('created').execute();
      return rows.map(toRecord);
    },
    async findByHash(hash) {
      const row = await db
        .selectFrom('keys')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row === undefined ? null : toRecord(row);
    },
    async any() {
      const row = await db.selectFrom('keys').select('id').limit(1).executeTakeFirst();
      return row !== undefined;
    },
    async remove(name) {
      const done = await db.deleteFrom('keys').where('name', '=', name).executeTakeFirst();
      return done.numDeletedRows === 1n;
    },
    async touch(id, time) {
      await db.updateTable('keys').set({ last_used: time }).where('id', '=', id).execute();
    },
  };
}

function toRecord(row: KeysTable): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    prefix: row.prefix,
    rights: JSON.parse(row.rights) as string[],
    created: row.created,
    lastUsed: row.last_used,
    disabled: row.disabled !== 0,
  };
}
