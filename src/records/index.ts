/** The store: keys, deployments and the lock of a home folder. */

export type { DeploymentRecord, DeploymentRecords } from './deployment-records.ts';
export type { KeyRecord, KeyRecords } from './key-records.ts';
export { openStore, type Store } from './open-store.ts';
export type { ServerLock, ServerRecord } from './server-lock.ts';
