/**
 * Ctrl-C for commands that have something to tidy up: the first one aborts a signal and lets the
 * work end in order, the second one ends the process at once. `serve` and `chat` have their own.
 */

import { exitCodes } from './exit-code.ts';
import { onStopSignals } from './stop-signals.ts';

/** The reason of the aborted signal; becomes the exit code. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.name = 'Interrupted';
    this.exitCode = exitCode;
  }
}

const codes = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;

/** Runs `work` with a signal that Ctrl-C, a hang-up or a termination aborts. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const forget = onStopSignals((count, signal) => {
    if (count > 1) process.exit(codes[signal]);
    controller.abort(new Interrupted(codes[signal]));
  });
  try {
    return await work(controller.signal);
  } finally {
    forget();
  }
}
