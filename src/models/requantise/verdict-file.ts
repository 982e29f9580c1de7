/**
 * What was found out about a weights file, kept beside it: whether its Q8_0 form is faster, on which
 * machine, and which file that form is. `ensure-model.ts` reads it at each start, `requantise-model.ts`
 * writes it. Anything that is not exactly as expected counts as never measured.
 */

import { open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { syncFolder } from '../partial-file.ts';
import type { Speed } from './requantise-policy.ts';

export interface Verdict {
  readonly version: 1;
  /** The file that was measured, so that another one of the same name is not taken for it. */
  readonly source: { readonly bytes: number; readonly modifiedMs: number };
  readonly machine: string;
  readonly faster: boolean;
  readonly from: string;
  readonly to: 'Q8_0';
  readonly speeds: { readonly from: Speed; readonly to: Speed };
  /** Bytes of the Q8_0 file, which is there when it is faster. */
  readonly targetBytes: number;
  /** ISO 8601. */
  readonly at: string;
}

const suffix = '.requantised-Q8_0.gguf';

/**
 * The Q8_0 form of a file lies beside it; its name says what it was made from, and is none that anybody
 * publishes.
 */
export function requantisedPath(source: string): string {
  return `${source.replace(/\.gguf$/i, '')}${suffix}`;
}

/** The file that a Q8_0 form was made from, by its name; null for other names. */
export function sourceOf(path: string): string | null {
  return path.endsWith(suffix) ? `${path.slice(0, -suffix.length)}.gguf` : null;
}

export function verdictPath(source: string): string {
  return `${source}.requantise.json`;
}

export async function identify(source: string): Promise<Verdict['source']> {
  const { size, mtimeMs } = await stat(source);
  return { bytes: size, modifiedMs: Math.round(mtimeMs) };
}

/** The verdict on this very file, on this very machine; else null. */
export async function readVerdict(source: string, machine: string): Promise<Verdict | null> {
  try {
    const verdict = JSON.parse(await readFile(verdictPath(source), 'utf8')) as Verdict;
    const { bytes, modifiedMs } = await identify(source);
    const holds =
      verdict.version === 1 &&
      verdict.machine === machine &&
      verdict.source.bytes === bytes &&
      verdict.source.modifiedMs === modifiedMs;
    return holds ? verdict : null;
  } catch {
    return null;
  }
}

/** The Q8_0 form of a file, where it is there, whole, and was faster on this machine; else null. */
export async function findFaster(source: string, machine: string): Promise<string | null> {
  const verdict = await readVerdict(source, machine);
  if (verdict?.faster !== true) return null;
  const path = requantisedPath(source);
  const size = await stat(path).then(
    (found) => found.size,
    () => null,
  );
  return size === verdict.targetBytes ? path : null;
}

/**
 * Puts the verdict in its place at once and for good.
 * @param workFolder on the same disk, for the file before it has its name
 * @throws the error of the system call
 */
export async function writeVerdict(
  source: string,
  verdict: Verdict,
  workFolder: string,
): Promise<void> {
  const path = verdictPath(source);
  const temporary = join(workFolder, 'verdict.json');
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(`${JSON.stringify(verdict, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
