/** Looks at processes through /proc: who the children of a server are, and who is still alive. */

import { readdirSync, readFileSync } from 'node:fs';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** State and parent of a process; null when it is gone. A process that only waits to be collected is gone. */
function statOf(pid: number): { readonly state: string; readonly parent: number } | null {
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || state === '' || state === 'Z') return null;
  return { state, parent: Number(parent) };
}

export const isAlive = (pid: number): boolean => statOf(pid) !== null;

/** The children of a process, without theirs. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((child) => statOf(child)?.parent === pid);
}

/** A process with all that it started, itself first. */
export function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/** The engines of a server. */
export function enginesOf(pid: number): number[] {
  return treeOf(pid).filter((one) => read(`/proc/${one}/cmdline`).startsWith('parlance-engine'));
}
