/** What a row of the benchmark is, and how its contenders take turns. */

import type { RowResult, Sample } from './figures.ts';
import {
  startReady,
  type Contender,
  type RunningServer,
  type ServerSetup,
} from './contenders/contender.ts';

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

/** Each contender with a server of its own, all there at once; idle ones take no processor time. */
export interface TurnOptions {
  readonly setup: Omit<ServerSetup, 'weights' | 'threads'>;
  readonly contenders: readonly Contender[];
  /** @param seed is the same for all contenders of a run and new in each run */
  readonly measure: (server: RunningServer, seed: number) => Promise<Sample>;
  /** Default: one short request. */
  readonly warmUp?: (server: RunningServer) => Promise<unknown>;
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
    for (const server of servers) await warmUp?.(server);
    for (let run = 0; run < context.runs; run += 1) {
      const order = run % 2 === 0 ? servers : servers.toReversed();
      for (const server of order) {
        const sample = await measure(server, 1000 * (run + 1));
        samples.get(server.name)?.push(sample);
        context.log(`  run ${run + 1}, ${server.name}: ${tell(sample)}`);
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
