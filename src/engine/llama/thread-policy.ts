/**
 * How many threads a pass uses, on a machine that also does other things. Pure: the decoder feeds it
 * the time of every pass and obeys. The threads of a pass wait for each other by spinning after every
 * operation, so one thread that another process keeps from its core holds up all: two threads beside
 * one busy process decode twenty times slower than one thread does. The number of threads does not
 * change a single bit of the results.
 */

export interface ThreadState {
  readonly threads: number;
  /** Sums since the last decision. */
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Time of passes before one more thread is tried, and how long it will be after the next failure. */
  readonly holdMs: number;
  readonly backoffMs: number;
}

export interface PassTime {
  readonly wallMs: number;
  /** Processor time of the whole process, all threads together. */
  readonly cpuMs: number;
}

/** Time of passes after which there is something to decide. */
export const threadWindowMs = 100;
/**
 * Cores that we did not get although threads spun for them: 0.05 to 0.1 on a quiet machine, up to
 * 0.2 beside a busy server, 0.5 and more beside a process that wants a whole core.
 */
const toleratedMissingCores = 0.35;
const firstBackoffMs = 500;
const longestBackoffMs = 30_000;

export function initialThreads(threads: number): ThreadState {
  return { threads, wallMs: 0, cpuMs: 0, holdMs: 0, backoffMs: firstBackoffMs };
}

/** `most` is the number of threads on a machine of our own. */
export function stepThreads(state: ThreadState, pass: PassTime, most: number): ThreadState {
  const wallMs = state.wallMs + pass.wallMs;
  const cpuMs = state.cpuMs + pass.cpuMs;
  if (wallMs < threadWindowMs) return { ...state, wallMs, cpuMs };
  const { threads, backoffMs } = state;
  const cores = cpuMs / wallMs;
  if (threads > 1 && threads - cores > toleratedMissingCores) {
    return {
      threads: Math.max(1, Math.min(threads - 1, Math.floor(cores))),
      wallMs: 0,
      cpuMs: 0,
      holdMs: backoffMs,
      backoffMs: Math.min(2 * backoffMs, longestBackoffMs),
    };
  }
  if (threads >= most) return initialThreads(threads);
  const holdMs = state.holdMs - wallMs;
  if (holdMs > 0) return { ...state, wallMs: 0, cpuMs: 0, holdMs };
  return { threads: threads + 1, wallMs: 0, cpuMs: 0, holdMs: backoffMs, backoffMs };
}
