/**
 * SQLite below kysely: opens the file through node:sqlite and makes a dialect of it. Knows pragmas,
 * transactions and error words, and no table. Several processes may have the file open.
 */

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type SqliteDatabase,
} from 'kysely';

import { toStoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

const busyTimeoutMs = 5000;

/**
 * `careful`: waits for other writers, and what it has written outlives a power cut. `light`: neither, so
 * that a write takes next to no time; what it has written outlives the process, however that ends.
 */
export type Writing = 'careful' | 'light';

/**
 * @param path of the file, made where there is none (readable by its owner only)
 * @throws ParlanceError `home_unusable` that names the file
 */
export function openDatabase(path: string, writing: Writing = 'careful'): Database {
  const sqlite = guarded(path, () => {
    closeSync(openSync(path, 'a', 0o600));
    const opened = new DatabaseSync(path, { timeout: busyTimeoutMs });
    opened.exec('PRAGMA journal_mode = WAL');
    if (writing === 'light') opened.exec('PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0');
    return opened;
  });
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new TransactionalAdapter(),
      createDriver: () => new ImmediateDriver({ database: adapt(sqlite, path) }),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** The few methods of better-sqlite3 that kysely calls, over node:sqlite. */
function adapt(sqlite: DatabaseSync, path: string): SqliteDatabase {
  return {
    close: () => sqlite.close(),
    prepare: (sql) => {
      const statement = guarded(path, () => sqlite.prepare(sql));
      const values = (parameters: readonly unknown[]): SQLInputValue[] => [
        ...(parameters as readonly SQLInputValue[]),
      ];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => guarded(path, () => statement.all(...values(parameters))),
        run: (parameters) => guarded(path, () => statement.run(...values(parameters))),
        iterate: (parameters) => guarded(path, () => statement.iterate(...values(parameters))),
      };
    },
  };
}

/**
 * A transaction takes the write lock at its beginning: one that reads first and writes later would
 * fail at once, without waiting, when another process wrote in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** SQLite's DDL is transactional, so migrations are all or nothing, also with two at a time. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
