/**
 * How much of the machine others use while something is measured: figures of a busy machine mean
 * little, and a server whose threads wait for each other loses far more than what was taken from it.
 */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { treeOf } from '../../test/support/process-tree.ts';

/** Clock ticks of the whole machine, and those that are ours. */
interface Ticks {
  readonly total: number;
  readonly busy: number;
  readonly own: number;
}

/**
 * Begins to watch; the function that it returns gives the cores that others used since. NaN where
 * there is no `/proc`.
 * @param pids of the processes that are ours, with all that they started; this one is too
 */
export function watchOthers(pids: readonly number[] = []): () => number {
  const before = readTicks(pids);
  return () => {
    const after = readTicks(pids);
    if (before === null || after === null) return Number.NaN;
    const others = after.busy - before.busy - (after.own - before.own);
    return (Math.max(0, others) / (after.total - before.total)) * availableParallelism();
  };
}

function readTicks(pids: readonly number[]): Ticks | null {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const ticks = first.trim().split(/\s+/).slice(1, 9).map(Number);
    const total = ticks.reduce((sum, one) => sum + one, 0);
    const own = [process.pid, ...pids.flatMap(treeOf)].map(ticksOf);
    return {
      total,
      busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0),
      own: own.reduce((sum, one) => sum + one, 0),
    };
  } catch {
    return null;
  }
}

/** User and system time of a process and of its children that have ended, in ticks. */
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
