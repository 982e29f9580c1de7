/**
 * The history of the schema, numbered. A migration that was released is never changed; a new one is
 * added below it. The store runs what is missing when it opens, and goes no further with a database
 * that has been through migrations that this program does not know.
 */

import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';

import { ParlanceError } from '../contract/index.ts';
import type { Database } from './database.ts';

/** In the order in which they run, which is the order of their names. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001_keys_deployments_server': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('keys')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('prefix', 'text', (column) => column.notNull())
        .addColumn('rights', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('last_used', 'bigint')
        .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable('deployments')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('spec', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('updated', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('server')
        .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
        .addColumn('pid', 'integer', (column) => column.notNull())
        .addColumn('process_start', 'text')
        .addColumn('address', 'text', (column) => column.notNull())
        .addColumn('since', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
  '0002_inferences': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('inferences')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('request_id', 'text', (column) => column.notNull())
        .addColumn('episode_id', 'text')
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('key_id', 'text')
        .addColumn('endpoint', 'text', (column) => column.notNull())
        .addColumn('model', 'text', (column) => column.notNull())
        .addColumn('target', 'text', (column) => column.notNull())
        .addColumn('stream', 'integer', (column) => column.notNull())
        .addColumn('status', 'integer', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('finish_reasons', 'text', (column) => column.notNull())
        .addColumn('prompt_tokens', 'integer')
        .addColumn('completion_tokens', 'integer')
        .addColumn('cached_tokens', 'integer')
        .addColumn('reasoning_tokens', 'integer')
        .addColumn('drafts_verified', 'integer')
        .addColumn('drafts_accepted', 'integer')
        .addColumn('first_token_ms', 'integer')
        .addColumn('total_ms', 'integer', (column) => column.notNull())
        .addColumn('receipt', 'text', (column) => column.notNull())
        .execute();
      // Lists go back in time and old rows are removed: both by it.
      await db.schema
        .createIndex('inferences_by_time')
        .on('inferences')
        .columns(['created', 'id'])
        .execute();
    },
  },
};

/**
 * Brings the schema up to date.
 * @throws ParlanceError `home_unusable` when the database is of a newer program
 */
export async function migrate(db: Database, path: string): Promise<void> {
  const done = await executedMigrations(db);
  const foreign = done.filter((name) => !Object.hasOwn(migrations, name));
  if (foreign.length > 0) throw newerDatabase(path, foreign);
  if (done.length === Object.keys(migrations).length) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

async function executedMigrations(db: Database): Promise<string[]> {
  const table = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name = 'kysely_migration'`.execute(db);
  if (table.rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map((row) => row.name);
}

function newerDatabase(path: string, foreign: readonly string[]): ParlanceError {
  return new ParlanceError(
    'home_unusable',
    `${path} was last used by a newer Parlance (it has ${foreign.toSorted().join(', ')}, which this ` +
      'version does not know). Start that version, or choose another folder with --home PATH (or PARLANCE_HOME).',
  );
}
