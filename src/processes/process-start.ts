/**
 * Tells a process from a later one that got the same ID. Where /proc cannot say, an ID alone must
 * do.
 */

import { readFileSync } from 'node:fs';

/**
 * The boot and the clock tick at which a process started, or null when there is no such process or
 * no /proc.
 */
export function readProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The second field is the program's name in brackets, and may itself hold spaces and brackets;
    // after it, the start time is field 22 of proc(5), and the state is field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[19] === undefined) return null;
    return `${boot}/${fields[19]}`;
  } catch {
    return null;
  }
}

/** Whether the process that had this ID and this start is still there. */
export function isRunning(pid: number, start: string | null): boolean {
  if (start !== null) return readProcessStart(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
