/**
 * `parlance pull`: weights into the home folder with progress on stderr, then the try whether a Q8_0
 * form of them is faster on this machine. The try never makes a pull fail.
 */

import type { EnsureOptions, ModelFile, RequantiseResult } from '../../models/index.ts';
import { printJson, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { describeResult, describeStep, toReport } from './requantise-report.ts';

export interface PullFlags {
  readonly home?: string;
  readonly json?: boolean;
  /** False: the weights alone. */
  readonly requantise?: boolean;
}

export async function pull(io: Io, spec: string, flags: PullFlags): Promise<void> {
  const { home, requantise } = await readOptions(io, { home: flags.home });
  const wanted = flags.requantise !== false && requantise === 'auto';
  await untilInterrupted(async (signal) => {
    const { formatBytes } = await import('../../models/index.ts');
    const { model, fetched } = await fetchModel(io, spec, { home, signal });
    const { name, path, bytes, sha256 } = model;
    const what = fetched ? 'is there now' : 'was there already';
    if (flags.json !== true) {
      io.stdout.write(`${name} ${what}: ${path} (${formatBytes(bytes)})\n`);
    }
    const result = wanted ? await tryQ8(io, spec, model, signal) : null;
    if (flags.json === true) {
      printJson(io, { name, path, bytes, sha256, fetched, requantise: toReport(result) });
    } else if (result !== null) {
      io.stdout.write(`${describeResult(result)}\n`);
    }
  });
}

type FetchOptions = Pick<EnsureOptions, 'home' | 'signal'>;

async function fetchModel(
  io: Io,
  spec: string,
  options: FetchOptions,
): Promise<{ model: ModelFile; fetched: boolean }> {
  const { createProgressWriter, ensureModel } = await import('../../models/index.ts');
  const progress = createProgressWriter(io.stderr);
  let fetched = false;
  const onProgress = (update: Parameters<typeof progress.update>[0]): void => {
    fetched = true;
    progress.update(update);
  };
  const model = await ensureModel(spec, { ...options, onProgress, env: io.env }).finally(() =>
    progress.done(),
  );
  return { model, fetched };
}

/** Files that users have elsewhere get nothing put beside them. */
async function tryQ8(
  io: Io,
  spec: string,
  model: ModelFile,
  signal: AbortSignal,
): Promise<RequantiseResult> {
  const [{ parseModelSpec, requantiseModel }, engine] = await Promise.all([
    import('../../models/index.ts'),
    import('../../engine/index.ts'),
  ]);
  if (parseModelSpec(spec).kind === 'file') {
    return { outcome: 'skipped', why: 'a file that is named by its path is used as it is' };
  }
  if (engine.findGpuLibraries().length > 0) {
    return {
      outcome: 'skipped',
      why: 'a GPU library is installed, and its speed is another matter',
    };
  }
  return await requantiseModel({
    source: model.path,
    signal,
    tools: {
      machine: engine.describeMachine(),
      quantise: engine.quantiseWeights,
      measure: engine.measureWeights,
      freeMemory: engine.readFreeMemory,
    },
    onStep: (step) => io.stderr.write(`${describeStep(step)}\n`),
  });
}
