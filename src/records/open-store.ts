/**
 * The embedded store: `<home>/parlance.db`. The server and the commands of the CLI open it, at the
 * same time if need be. It alone knows where the file lies and how to close it.
 */

import { join, resolve } from 'node:path';

import { makeFolder } from '../home/index.ts';
import { openDatabase, type Database } from './database.ts';
import { createDeploymentRecords, type DeploymentRecords } from './deployment-records.ts';
import { createInferenceRecords, type InferenceRecords } from './inference-records.ts';
import { createKeyRecords, type KeyRecords } from './key-records.ts';
import { migrate } from './migrations.ts';
import { createServerLock, type ServerLock } from './server-lock.ts';
import { toStoreError } from './store-error.ts';

export interface Store {
  readonly path: string;
  readonly keys: KeyRecords;
  readonly deployments: DeploymentRecords;
  readonly inferences: InferenceRecords;
  readonly lock: ServerLock;
  close(): Promise<void>;
}

/**
 * Opens the store of a home folder, makes both where they are missing, and updates the schema.
 * @throws ParlanceError `home_unusable`: the folder or the file cannot be used, and why
 */
export async function openStore(home: string): Promise<Store> {
  const folder = resolve(home);
  const path = join(folder, 'parlance.db');
  try {
    await makeFolder(folder);
  } catch (error) {
    throw toStoreError(error, folder);
  }
  const db = openDatabase(path);
  let light: Database;
  try {
    await migrate(db, path);
    light = openDatabase(path, 'light');
  } catch (error) {
    await db.destroy();
    throw toStoreError(error, path);
  }
  return {
    path,
    keys: createKeyRecords(db),
    deployments: createDeploymentRecords(db),
    inferences: createInferenceRecords(light),
    lock: createServerLock(db, folder),
    close: async () => {
      await light.destroy();
      await db.destroy();
    },
  };
}
