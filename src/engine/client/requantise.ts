/**
 * Rewriting and measuring weights files, each in a child process of its own. `parlance pull` asks;
 * serving does not need it. Which files are worth it, and where they lie, is the caller's matter.
 */

import { execFile } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ParlanceError } from '../../contract/errors.ts';
import { libraryVersion } from '../llama/library-folder.ts';
import type { WeightsAnswer, WeightsWork } from '../requantise-main.ts';
import type { WeightsSpeed } from '../speed-samples.ts';

const measureBudgetMs = 15_000;

/**
 * What the speed of weights depends on, in one line: a measurement holds for the machine that says the
 * same.
 */
export function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() || 'unknown processor';
  return `llama.cpp ${libraryVersion}; ${processor}; ${availableParallelism()} cores`;
}

/**
 * Writes `target`, a Q8_0 file of the model in `source`. After a failure or an abort `target` may be
 * there in part. Throws `engine_failed` or `machine_unsupported`; the signal's reason when aborted.
 */
export async function quantiseWeights(
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const threads = availableParallelism();
  await runChild({ work: 'quantise', source, target, threads }, signal);
}

/**
 * Tokens a second of each file on this machine, in the order of `paths`; null for one that other
 * programs disturbed too much. All files are in memory together. Throws as `quantiseWeights` does.
 */
export async function measureWeights(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly (WeightsSpeed | null)[]> {
  const threads = availableParallelism();
  return await runChild({ work: 'measure', paths, threads, budgetMs: measureBudgetMs }, signal);
}

async function runChild(
  work: WeightsWork,
  signal: AbortSignal,
): Promise<readonly (WeightsSpeed | null)[]> {
  signal.throwIfAborted();
  const script = fileURLToPath(
    new URL(`../requantise-main${extname(import.meta.filename)}`, import.meta.url),
  );
  const answer = await new Promise<WeightsAnswer>((resolve) => {
    execFile(
      process.execPath,
      [script, JSON.stringify(work)],
      { signal, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => resolve(parseAnswer(stdout) ?? describeEnd(error, stderr)),
    );
  });
  signal.throwIfAborted();
  if (answer.done) return answer.speeds;
  const reason = answer.reason === 'machine_unsupported' ? answer.reason : 'engine_failed';
  throw new ParlanceError(reason, answer.message);
}

function parseAnswer(stdout: string): WeightsAnswer | null {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as WeightsAnswer;
  } catch {
    return null;
  }
}

function describeEnd(error: Error | null, stderr: string): WeightsAnswer {
  const { signal, code } = (error ?? {}) as { signal?: string | null; code?: string | number };
  const how = signal ? `was ended by ${signal}` : `ended with code ${code ?? 0}`;
  const words = stderr.trim().split('\n').at(-1) ?? '';
  const message = `The process that works on the weights ${how}${words === '' ? '' : `: ${words}`}`;
  return { done: false, reason: 'engine_failed', message };
}
