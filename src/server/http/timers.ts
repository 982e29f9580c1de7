/** The clock that waiting code is given, so that tests can turn it by hand. */

export interface Timer {
  /** Starts the wait again. */
  refresh(): void;
  cancel(): void;
}

export interface Timers {
  start(callback: () => void, milliseconds: number): Timer;
}

/** The machine's clock. Its timers do not keep the process alive. */
export const systemTimers: Timers = {
  start(callback, milliseconds) {
    const timeout = setTimeout(callback, milliseconds).unref();
    return {
      refresh: () => void timeout.refresh(),
      cancel: () => clearTimeout(timeout),
    };
  },
};
