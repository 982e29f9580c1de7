/**
 * Makes the Q8_0 form of weights, measures both, and keeps the faster. `parlance pull` calls it with
 * the tools of the engine. A file appears under its name whole or not at all; the weights that it is
 * made from are never touched. What stands in the way is an outcome, not an error: they can be served.
 */

import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import { diskTrouble } from '../../home/index.ts';
import { readModelMetadata } from '../gguf/model-metadata.ts';
import { checkRoom, realDisk, type Disk } from '../home-folder.ts';
import { removeLeftovers, syncFolder, workFolderName } from '../partial-file.ts';
import { formatBytes } from '../progress-line.ts';
import { isFaster, mayRequantise, type Speed } from './requantise-policy.ts';
import {
  findFaster,
  identify,
  readVerdict,
  requantisedPath,
  writeVerdict,
  type Verdict,
} from './verdict-file.ts';
import { withLock } from './work-lock.ts';

/** What the engine does for it; tests put their own in its place. */
export interface RequantiseTools {
  /** What speed depends on, in a line. */
  readonly machine: string;
  /** Writes `target`, a Q8_0 file of the model in `source`. */
  quantise(source: string, target: string, signal: AbortSignal): Promise<void>;
  /** Speed of each file, null where it could not be told. */
  measure(paths: readonly string[], signal: AbortSignal): Promise<readonly (Speed | null)[]>;
  /** Bytes of memory that a process may still take. */
  freeMemory(): number;
  readonly disk?: Disk;
}

export type RequantiseStep =
  | {
      readonly step: 'rewriting';
      readonly from: string;
      readonly fromBytes: number;
      readonly toBytes: number;
    }
  | { readonly step: 'measuring'; readonly from: string };

export interface RequantiseOptions {
  /** A model that is there, by its path. */
  readonly source: string;
  readonly tools: RequantiseTools;
  readonly signal: AbortSignal;
  readonly onStep?: (step: RequantiseStep) => void;
}

export type RequantiseResult =
  | {
      readonly outcome: 'faster' | 'not-faster';
      readonly verdict: Verdict;
      /** The Q8_0 file; null where it was not faster and so is not kept. */
      readonly path: string | null;
      /** That the work was done now takes so long; null where the verdict was there already. */
      readonly seconds: number | null;
    }
  | {
      readonly outcome: 'skipped';
      readonly why: string;
      /** What stood in the way may be gone the next time. */
      readonly passing?: true;
    };

/** Throws the signal's reason when it is aborted; nothing unfinished is left then. */
export async function requantiseModel(options: RequantiseOptions): Promise<RequantiseResult> {
  const { source, tools, signal } = options;
  try {
    const known = await readVerdict(source, tools.machine);
    const there = await findFaster(source, tools.machine);
    if (known !== null && (!known.faster || there !== null)) return toResult(known, there, null);
    const metadata = await readModelMetadata(source);
    const candidate = mayRequantise({ ...metadata, path: source });
    if (!candidate.may) return { outcome: 'skipped', why: candidate.why };
    const from = metadata.quantisation ?? 'its numbers';
    const job = { ...options, from, fromBytes: metadata.fileBytes, toBytes: candidate.targetBytes };
    const memory = 1.5 * (job.fromBytes + job.toBytes);
    if (tools.freeMemory() < memory) {
      const why = `measuring needs ${formatBytes(memory)} of free memory`;
      return { outcome: 'skipped', why, passing: true };
    }
    await removeLeftovers(requantisedPath(source));
    const result = await withLock(requantisedPath(source), async () => await tryOut(job));
    if (result !== 'busy') return result;
    return { outcome: 'skipped', why: 'another process is at it', passing: true };
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'skipped', why: wordsOf(error) };
  }
}

/** What may go wrong with files and libraries has words; anything else is a bug and is thrown. */
function wordsOf(error: unknown): string {
  if (error instanceof ParlanceError) return error.message;
  const trouble = diskTrouble(error);
  if (trouble !== undefined) return trouble.why;
  throw error;
}

interface Job extends RequantiseOptions {
  readonly from: string;
  readonly fromBytes: number;
  readonly toBytes: number;
}

async function tryOut(job: Job): Promise<RequantiseResult> {
  const { source, tools, signal, from } = job;
  const begin = performance.now();
  const folder = workFolderName(requantisedPath(source));
  await checkRoom(tools.disk ?? realDisk, dirname(source), job.toBytes);
  await mkdir(folder);
  try {
    const target = join(folder, 'weights');
    job.onStep?.({ step: 'rewriting', from, fromBytes: job.fromBytes, toBytes: job.toBytes });
    const identity = await identify(source);
    await tools.quantise(source, target, signal);
    signal.throwIfAborted();
    await readModelMetadata(target);
    job.onStep?.({ step: 'measuring', from });
    const [before, after] = await tools.measure([source, target], signal);
    signal.throwIfAborted();
    if (!before || !after) {
      const why =
        'other programs keep this machine too busy to measure; pull again when it is quiet';
      return { outcome: 'skipped', why, passing: true };
    }
    const verdict: Verdict = {
      version: 1,
      source: identity,
      machine: tools.machine,
      faster: isFaster(before, after),
      from,
      to: 'Q8_0',
      speeds: { from: before, to: after },
      targetBytes: (await stat(target)).size,
      at: new Date().toISOString(),
    };
    const path = await settle(source, target, verdict, folder);
    return toResult(verdict, path, (performance.now() - begin) / 1000);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** First the file, then the verdict that vouches for it. */
async function settle(
  source: string,
  made: string,
  verdict: Verdict,
  folder: string,
): Promise<string | null> {
  const path = requantisedPath(source);
  if (verdict.faster) {
    const file = await open(made, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(made, path);
  } else {
    await rm(path, { force: true });
  }
  await syncFolder(dirname(path));
  await writeVerdict(source, verdict, folder);
  return verdict.faster ? path : null;
}

function toResult(verdict: Verdict, path: string | null, seconds: number | null): RequantiseResult {
  return { outcome: verdict.faster ? 'faster' : 'not-faster', verdict, path, seconds };
}
