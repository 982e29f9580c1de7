/** The scheduler's contract: what the engine's process may use of this folder. */

export { DraftModel } from './draft-model.ts';
export type { HeldLimits } from './held-contexts.ts';
export { Scheduler, type SchedulerOptions } from './scheduler.ts';
export type { DraftSource } from './speculator.ts';
