/**
 * How much memory this process may still take: what the machine has available, or what its control
 * group leaves, whichever is less. The engine's entry and `parlance doctor` ask; nothing is kept.
 */

import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';

/** Bytes, never negative. */
export function readFreeMemory(): number {
  const machine = parseAvailable(readText('/proc/meminfo')) ?? freemem();
  return Math.max(0, Math.min(machine, ...readGroupLimits()));
}

/** `MemAvailable` of /proc/meminfo in bytes. */
export function parseAvailable(meminfo: string | null): number | null {
  const kilobytes = meminfo?.match(/^MemAvailable:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** What a control group leaves: its limit less what cannot be reclaimed; null when unlimited. */
export function parseGroupFree(
  limit: string | null,
  usage: string | null,
  stat: string | null,
): number | null {
  const bytes = Number(limit?.trim());
  // The first version of control groups writes "no limit" as a number near 2^63.
  if (limit === null || !Number.isFinite(bytes) || bytes > 2 ** 60) return null;
  const reclaimable = Number(stat?.match(/^(?:total_)?inactive_file (\d+)$/m)?.[1] ?? 0);
  return bytes - Math.max(0, Number(usage?.trim() ?? 0) - reclaimable);
}

function readGroupLimits(): number[] {
  const path = readText('/proc/self/cgroup')?.match(/^0::(\/.*)$/m)?.[1] ?? '/';
  const found: (number | null)[] = [];
  const parts = path.split('/').filter((part) => part !== '');
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const folder = ['/sys/fs/cgroup', ...parts.slice(0, depth)].join('/');
    found.push(
      parseGroupFree(
        readText(`${folder}/memory.max`),
        readText(`${folder}/memory.current`),
        readText(`${folder}/memory.stat`),
      ),
    );
  }
  const first = '/sys/fs/cgroup/memory';
  found.push(
    parseGroupFree(
      readText(`${first}/memory.limit_in_bytes`),
      readText(`${first}/memory.usage_in_bytes`),
      readText(`${first}/memory.stat`),
    ),
  );
  return found.filter((bytes) => bytes !== null);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
