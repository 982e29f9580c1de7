/** Which processes are there: telling one from a later one that got the same ID. */

export { isRunning, readProcessStart } from './process-start.ts';
export { hasEnded, ownerName } from './owner-name.ts';
