/**
 * A short process that rewrites a weights file, or measures how fast weights files are, and says what
 * came of it as one line of JSON. A process of its own, because the library works for seconds without
 * looking up, and because a file that it cannot stand may end it. Started by `client/requantise.ts`.
 */

import { asParlanceError } from '../contract/errors.ts';
import { quantiseToQ8 } from './llama/quantise.ts';
import { measureWeights } from './measure-weights.ts';
import type { WeightsSpeed } from './speed-samples.ts';

/** What the process is told, as JSON in its first argument. */
export type WeightsWork =
  | {
      readonly work: 'quantise';
      readonly source: string;
      readonly target: string;
      readonly threads: number;
    }
  | {
      readonly work: 'measure';
      readonly paths: readonly string[];
      readonly threads: number;
      readonly budgetMs: number;
    };

/** What it says. */
export type WeightsAnswer =
  | { readonly done: true; readonly speeds: readonly (WeightsSpeed | null)[] }
  | { readonly done: false; readonly reason: string; readonly message: string };

function run(work: WeightsWork): WeightsAnswer {
  try {
    if (work.work === 'measure') {
      return { done: true, speeds: measureWeights(work.paths, work.threads, work.budgetMs) };
    }
    quantiseToQ8(work.source, work.target, work.threads);
    return { done: true, speeds: [] };
  } catch (error) {
    const { reason, message } = asParlanceError(error);
    return { done: false, reason, message };
  }
}

process.title = 'parlance-weights';
const work = JSON.parse(process.argv[2] ?? '{}') as WeightsWork;
process.stdout.write(`${JSON.stringify(run(work))}\n`);
