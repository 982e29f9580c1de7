/**
 * Turns the signals that ask a server to stop into "once" and "again". One Ctrl-C can arrive twice:
 * the terminal signals the whole group and npm passes it on as well (where its shell is bash), and a
 * service manager signals a starter and its child alike. `serve` and `chat` call it.
 */

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Signals closer together than this are one wish; people press no key twice that fast. */
export const sameWishMs = 250;

export interface StopState {
  /** Wishes so far. */
  readonly count: number;
  readonly lastMs: number;
}

export const noStop: StopState = { count: 0, lastMs: Number.NEGATIVE_INFINITY };

/** One signal at a time in milliseconds; the count grows only for a new wish. */
export function stepStop(state: StopState, ms: number): StopState {
  const isEcho = ms - state.lastMs < sameWishMs;
  return { count: isEcho ? state.count : state.count + 1, lastMs: isEcho ? state.lastMs : ms };
}

/**
 * Calls `onStop` with 1 for the first wish to stop (drain), 2 for the second (stop at once), and so on.
 * @returns a function that takes the listeners away.
 */
export function onStopSignals(onStop: (count: number, signal: StopSignal) => void): () => void {
  let state = noStop;
  const listen = (signal: StopSignal): void => {
    const next = stepStop(state, performance.now());
    const isNew = next.count > state.count;
    state = next;
    if (isNew) onStop(next.count, signal);
  };
  const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, listen);
  return () => {
    for (const signal of signals) process.removeListener(signal, listen);
  };
}
