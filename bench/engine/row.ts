/** What a row of the benchmark is, and how its contenders take turns. */

import type { RowResult, Sample } from './figures.ts';
import {
  startReady,
  type Contender,
  type RunningServer,
  type ServerSetup,
} from './contenders/contender.ts';
import { watchOthers } from './foreign-load.ts';

export interface RowContext {
  readonly weights: string;
  readonly threads: number;
  readonly runs: number;
  /** Small numbers, to see that it works. */
  readonly quick: boolean;
  readonly parlance: Contender;
  readonly llamaServer: Contender;
  /** The rival with our type of KV cache. */
  readonly llamaServerQ8: Contender;
  /** Cores that others used during each measurement that counts; `measureQuietly` adds to it. */
  readonly othersCores: number[];
  log(text: string): void;
}

export interface Row {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** What is done and what is counted, for the reader of the report. */
  readonly about: string;
  run(context: RowContext): Promise<RowResult>;
}

/** More than this, in cores, and a measurement is made again, so many times at most. */
const tolerated = 0.25;
const attempts = 4;

interface Attempt {
  readonly server: string;
  readonly run: number;
  /** Ours, so that their work is not taken for that of others. */
  readonly pids: readonly number[];
}

/**
 * Measures, and again while others are busy; the quietest attempt counts.
 * @param measure gets a seed that no other run and no other attempt has
 */
export async function measureQuietly(
  context: RowContext,
  { server, run, pids }: Attempt,
  measure: (seed: number) => Promise<Sample>,
): Promise<Sample> {
  let best: { sample: Sample; others: number } | null = null;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const others = watchOthers(pids);
    const sample = await measure(1000 * (1 + run) + 100_000 * attempt);
    const found = { sample, others: others() };
    context.log(
      `  run ${run + 1}, ${server}: ${tell(sample)} (others took ${found.others.toFixed(2)} cores)`,
    );
    if (best === null || found.others < best.others) best = found;
    if (!(best.others > tolerated) || context.quick) break;
  }
  context.othersCores.push(best?.others ?? Number.NaN);
  return best?.sample ?? {};
}

/** Each contender with a server of its own, all there at once; idle ones take no processor time. */
export interface TurnOptions {
  readonly setup: Omit<ServerSetup, 'weights' | 'threads'>;
  readonly contenders: readonly Contender[];
  /** @param run the number of the run, the same for all contenders */
  readonly measure: (server: RunningServer, seed: number, run: number) => Promise<Sample>;
  readonly warmUp: (server: RunningServer) => Promise<unknown>;
}

/**
 * In each run every contender is measured once, in an order that turns around from run to run, so
 * that a machine that slows down slows all of them.
 */
export async function takeTurns(
  context: RowContext,
  { setup, contenders, measure, warmUp }: TurnOptions,
): Promise<Map<string, Sample[]>> {
  const servers: RunningServer[] = [];
  const samples = new Map<string, Sample[]>();
  try {
    for (const contender of contenders) {
      servers.push(await startReady(contender, setupOf(context, setup)));
      samples.set(contender.name, []);
    }
    for (const server of servers) await warmUp(server);
    const pids = servers.map(({ pid }) => pid);
    for (let run = 0; run < context.runs; run += 1) {
      for (const server of run % 2 === 0 ? servers : servers.toReversed()) {
        const sample = await measureQuietly(context, { server: server.name, run, pids }, (seed) =>
          measure(server, seed, run),
        );
        samples.get(server.name)?.push(sample);
      }
    }
    return samples;
  } finally {
    for (const server of servers) await server.stop();
  }
}

export const setupOf = (
  { weights, threads }: RowContext,
  setup: TurnOptions['setup'],
): ServerSetup => ({ weights, threads, ...setup });

export const tell = (sample: Sample): string =>
  Object.entries(sample)
    .map(([label, value]) => `${label} ${value.toFixed(value < 10 ? 2 : 0)}`)
    .join('; ');
