/**
 * `npm run bench -- layers`: the engine alone, the server in front of it, and the server in front of
 * itself as an external target, in turn, for 1, 4 and 16 streams, with as many threads as cores, one
 * fewer, and the default that adapts. Writes `bench/results/layers.*`.
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import type { EngineInfo } from '../../src/engine/index.ts';
import { describeMachine } from '../machine.ts';
import { measureStreams, medianRatio, medianRun, type Measurement } from './measure.ts';
import { writeReport, type Row } from './report.ts';
import { openWays, type Way } from './ways.ts';
import { generatedTokens, streamCounts } from './workload.ts';

interface ThreadChoice {
  readonly name: string;
  readonly threads: number | null;
}

export async function runLayersBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { model: { type: 'string' }, runs: { type: 'string', default: '3' } },
  });
  const model = values.model ?? process.env['PARLANCE_TEST_MODEL'];
  const runs = Number(values.runs);
  if (model === undefined || !(runs >= 1)) {
    console.error('usage: npm run bench -- layers --model FILE.gguf [--runs 3]');
    process.exitCode = 2;
    return;
  }
  process.env['PARLANCE_TEST_MODEL'] = model;
  const rows: Row[] = [];
  let engine: EngineInfo | null = null;
  for (const choice of threadChoices()) {
    const result = await measureThreads(model, choice, runs);
    rows.push(...result.rows);
    engine = result.info;
  }
  if (engine === null) return;
  const paths = writeReport({
    command: `npm run bench -- layers --model FILE.gguf --runs ${runs}`,
    machine: describeMachine(),
    engine,
    runs,
    generatedTokens,
    rows,
  });
  console.log(`written: ${paths.join(', ')}`);
}

function threadChoices(): ThreadChoice[] {
  const cores = availableParallelism();
  return [
    { name: 'adaptive', threads: null },
    { name: `cores (${cores})`, threads: cores },
    ...(cores > 1 ? [{ name: `cores - 1 (${cores - 1})`, threads: cores - 1 }] : []),
  ];
}

async function measureThreads(path: string, { name, threads }: ThreadChoice, runs: number) {
  const opened = await openWays(path, threads);
  try {
    const rows: Row[] = [];
    for (const streams of streamCounts) {
      for (const row of await measureWays(opened.ways, streams, runs)) {
        rows.push({ ...row, threads: name });
        console.log(
          `${row.way}, ${name}, ${streams} streams: ${row.tokensPerSecond.toFixed(1)} tok/s, ` +
            `${row.ratio.toFixed(2)} of the engine, first token ${row.firstTokenMs.toFixed(0)} ms`,
        );
      }
    }
    return { rows, info: opened.engine.info };
  } finally {
    await opened.close();
  }
}

/** One way after the other in each run, so that a machine that slows down slows all of them. */
async function measureWays(ways: readonly Way[], streams: number, runs: number) {
  const measured = ways.map((): Measurement[] => []);
  // The first pass over the weights reads them from the disk.
  for (const way of ways) await measureStreams(way.send, 1);
  for (let run = 0; run < runs; run += 1) {
    for (const [at, way] of ways.entries()) {
      measured[at]?.push(await measureStreams(way.send, streams));
    }
  }
  return ways.map((way, at) => ({
    way: way.name,
    ...medianRun(measured[at] ?? []),
    ratio: medianRatio(measured[at] ?? [], measured[0] ?? []),
  }));
}
