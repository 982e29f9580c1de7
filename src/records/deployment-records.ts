/** Deployments in the store: what was asked for, so that a restart can make it again. */

import type { Database } from './database.ts';

export interface DeploymentRecord {
  readonly name: string;
  /** The body that made it, in normal form; the deployments room knows its shape. */
  readonly spec: unknown;
  /** Milliseconds since 1970. */
  readonly created: number;
}

export interface DeploymentRecords {
  /** Oldest first. */
  list(): Promise<DeploymentRecord[]>;
  /** Writes a new one, or replaces the spec of one that is there. */
  put(record: DeploymentRecord): Promise<void>;
  /** @returns false when there is none of this name */
  remove(name: string): Promise<boolean>;
}

export function createDeploymentRecords(db: Database): DeploymentRecords {
  return {
    async list() {
      const rows = await db
        .selectFrom('deployments')
        .selectAll()
        .orderBy('created')
        .orderBy('name')
        .execute();
      return rows.map((row) => ({
        name: row.name,
        spec: JSON.parse(row.spec) as unknown,
        created: row.created,
      }));
    },
    async put({ name, spec, created }) {
      const text = JSON.stringify(spec);
      await db
        .insertInto('deployments')
        .values({ name, spec: text, created, updated: created })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({ spec: text, updated: Date.now() }),
        )
        .execute();
    },
    async remove(name) {
      const done = await db.deleteFrom('deployments').where('name', '=', name).executeTakeFirst();
      return done.numDeletedRows === 1n;
    },
  };
}
