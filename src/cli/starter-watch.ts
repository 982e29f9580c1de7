/**
 * Notices that whoever started the server is gone: npm that is sent SIGTERM ends at once and leaves
 * its children running. `serve` calls it and drains; it never ends anything itself.
 */

import { isRunning, readProcessStart } from '../processes/index.ts';

/** What the watch asks of the machine; tests put their own in its place. */
export interface ProcessTable {
  isAlive(pid: number): boolean;
  /** Something that a later process with the same id does not share; null where it is unknown. */
  startOf(pid: number): string | null;
}

export interface StarterWatchOptions {
  /** Comma-separated process ids. Default: `PARLANCE_STARTER`, which the start scripts set. */
  readonly pids?: string | undefined;
  readonly table?: ProcessTable | undefined;
}

export interface StarterWatch {
  /** One look; gives the id that is gone, else null. */
  check(): number | null;
  stop(): void;
}

const pollMs = 500;

/**
 * Calls `onGone` once, with the process id, when any of the starters has ended. The timer keeps no
 * process alive. Without starters it watches nobody.
 */
export function watchStarter(
  onGone: (pid: number) => void,
  options: StarterWatchOptions = {},
): StarterWatch {
  const table = options.table ?? realTable;
  const starts = new Map(
    parsePids(options.pids ?? process.env['PARLANCE_STARTER'] ?? '').map((pid) => [
      pid,
      table.isAlive(pid) ? table.startOf(pid) : null,
    ]),
  );
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    starts.clear();
  };
  const check = (): number | null => {
    for (const [pid, start] of starts) {
      if (table.isAlive(pid) && table.startOf(pid) === start) continue;
      stop();
      onGone(pid);
      return pid;
    }
    return null;
  };
  if (starts.size > 0) timer = setInterval(check, pollMs).unref();
  return { check, stop };
}

function parsePids(text: string): number[] {
  return text
    .split(',')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1);
}

const realTable: ProcessTable = {
  isAlive: (pid) => isRunning(pid, null),
  // None for one that has ended and was not yet collected by its parent: it is gone, too.
  startOf: readProcessStart,
};
