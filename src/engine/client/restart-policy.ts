/**
 * When an engine that ended is started again. Pure; the supervisor asks after every end of a process
 * that was not asked to end.
 */

export interface EngineHistory {
  /** Starts in a row that did not come to `ready`. */
  readonly failedLoads: number;
  /** Ends of a ready engine in the last `crashWindowMs`, this one included. */
  readonly recentCrashes: number;
}

/** How long a crash counts. */
export const crashWindowMs = 60_000;

const loadAttempts = 3;
const longestDelayMs = 10_000;

/**
 * Milliseconds to wait before the next start, or null to give up. The first crash is answered at
 * once; crashes in a row wait longer; a model that does not load is tried three times.
 */
export function planRestart({ failedLoads, recentCrashes }: EngineHistory): number | null {
  if (failedLoads >= loadAttempts) return null;
  if (failedLoads > 0) return 500 * 2 ** (failedLoads - 1);
  if (recentCrashes <= 1) return 0;
  return Math.min(longestDelayMs, 250 * 2 ** Math.min(recentCrashes - 2, 20));
}
