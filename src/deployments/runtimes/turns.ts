/** Taking turns: engines load one after the other, because each looks at how much memory is free. */

/**
 * Runs pieces of work one after the other, whether or not the one before succeeded. A piece whose
 * signal is aborted waits for its turn no longer.
 */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const before = last;
    const over = Promise.withResolvers<void>();
    last = Promise.all([before, over.promise]);
    try {
      await untilAborted(before, signal);
      return await work();
    } finally {
      over.resolve();
    }
  };
}

/** Settles as the promise does, or rejects with the signal's reason where that comes first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
