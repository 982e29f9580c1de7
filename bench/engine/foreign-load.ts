/** How much of the machine others use before a row begins: figures of a busy machine mean little. */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

interface Ticks {
  readonly total: number;
  readonly idle: number;
}

/** Cores that are busy while we do nothing for a second; NaN where there is no `/proc/stat`. */
export async function foreignLoad(milliseconds = 1000): Promise<number> {
  const before = readTicks();
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const after = readTicks();
  if (before === null || after === null) return Number.NaN;
  const busy = 1 - (after.idle - before.idle) / (after.total - before.total);
  return busy * availableParallelism();
}

function readTicks(): Ticks | null {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const ticks = first.trim().split(/\s+/).slice(1, 9).map(Number);
    const total = ticks.reduce((sum, one) => sum + one, 0);
    return { total, idle: (ticks[3] ?? 0) + (ticks[4] ?? 0) };
  } catch {
    return null;
  }
}
