/** The store: keys, deployments, inferences and the lock of a home folder. */

export type { DeploymentRecord, DeploymentRecords } from './deployment-records.ts';
export { InferenceLog, type InferenceLogCounts } from './inference-log.ts';
export type { InferenceFilter, InferenceRecords } from './inference-records.ts';
export type { KeyRecord, KeyRecords } from './key-records.ts';
export { openStore, type Store } from './open-store.ts';
export type { ServerLock, ServerRecord } from './server-lock.ts';
