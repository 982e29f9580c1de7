/**
 * One server for one home folder: a row that says which process serves, where, and since when. The
 * row of a process that is gone counts for nothing. Commands of the CLI need no lock.
 */

import { ParlanceError } from '../contract/index.ts';
import type { Database } from './database.ts';
import { isRunning, readProcessStart } from '../processes/index.ts';

export interface ServerRecord {
  readonly pid: number;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface ServerLock {
  /**
   * Takes the home folder for this process; once it is taken, a further call changes the address.
   * @throws ParlanceError `home_unusable` that names the server which has it
   */
  claim(server: { readonly address: string }): Promise<void>;
  /** The running server of this home folder, this process included. */
  holder(): Promise<ServerRecord | null>;
  release(): Promise<void>;
}

export function createServerLock(db: Database, home: string): ServerLock {
  const start = readProcessStart(process.pid);
  const isOurs = (row: { pid: number; process_start: string | null }): boolean =>
    row.pid === process.pid && row.process_start === start;
  return {
    async claim({ address }) {
      const values = { pid: process.pid, process_start: start, address };
      await db.transaction().execute(async (transaction) => {
        const row = await transaction.selectFrom('server').selectAll().executeTakeFirst();
        if (row !== undefined && !isOurs(row) && isRunning(row.pid, row.process_start)) {
          throw homeTaken(row, home);
        }
        const since = row !== undefined && isOurs(row) ? row.since : Date.now();
        await transaction
          .insertInto('server')
          .values({ id: 1, ...values, since })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...values, since }))
          .execute();
      });
    },
    async holder() {
      const row = await db.selectFrom('server').selectAll().executeTakeFirst();
      if (row === undefined || !isRunning(row.pid, row.process_start)) return null;
      return { pid: row.pid, address: row.address, since: row.since };
    },
    async release() {
      await db
        .deleteFrom('server')
        .where('pid', '=', process.pid)
        .where('process_start', start === null ? 'is' : '=', start)
        .execute();
    },
  };
}

function homeTaken(server: ServerRecord, home: string): ParlanceError {
  const since = new Date(server.since).toISOString().replace('T', ' ').slice(0, 19);
  return new ParlanceError(
    'home_unusable',
    `Another Parlance server (pid ${server.pid}, ${server.address}, since ${since} UTC) uses ${home}; ` +
      'stop it, or start this one with another folder: --home PATH.',
  );
}
