/**
 * What the library says while it loads something, for our messages; otherwise it says nothing, and
 * stdout and stderr stay clean. Made once by `library.ts`. JavaScript may only listen while everything
 * that logs runs on this thread: a worker thread that called it would wait for ever.
 */

import koffi from 'koffi';

import { logCallback } from './structs.ts';

const logLevelError = 4;
const logLevelContinued = 5;
const keptLogLines = 20;

export interface ErrorLog {
  /** Runs `work` and keeps the errors that the library logs meanwhile; calls may be nested. */
  during<T>(work: () => T): T;
  /** The errors of the last `during` in one line, or `no reason given`. */
  text(): string;
}

/** `silent` is a C function that does nothing and looks at no argument. */
export function createErrorLog(
  set: (callback: bigint, data: null) => void,
  silent: bigint,
): ErrorLog {
  let lines: string[] = [];
  let level = 0;
  let depth = 0;
  const onLog = (newLevel: number, text: bigint): void => {
    level = newLevel === logLevelContinued ? level : newLevel;
    // Thousands of debug lines come while a context is made: only what is kept is decoded.
    if (level < logLevelError) return;
    lines = [...lines, koffi.decode.string(text).trim()].slice(-keptLogLines);
  };
  return {
    during(work) {
      if (depth > 0) return work();
      lines = [];
      depth += 1;
      const callback = koffi.register(onLog, koffi.pointer(logCallback));
      set(callback, null);
      try {
        return work();
      } finally {
        set(silent, null);
        koffi.unregister(callback);
        depth -= 1;
      }
    },
    // Without the names of C functions and the common first and last words.
    text() {
      const words = lines.map((line) => line.replace(/^(?:\w+: )+(?:error loading model: )?/, ''));
      const telling = words.filter((line) => line !== '' && line !== 'failed to load model');
      return telling.join('; ') || 'no reason given';
    },
  };
}
