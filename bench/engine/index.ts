/**
 * `npm run bench -- engine`: the engine alone, through its client, for 1, 4 and 16 streams, with as
 * many threads as cores, one fewer, and the default that adapts. Writes `bench/results/engine.*`.
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import {
  defaultEngineOptions,
  startEngine,
  type Engine,
  type EngineInfo,
} from '../../src/engine/index.ts';
import { describeMachine } from '../machine.ts';
import { measureStreams, medianRun, type Measurement } from './measure.ts';
import { writeReport, type Row } from './report.ts';
import { sendThroughClient, toEngineRequest } from './through-client.ts';
import { generatedTokens, streamCounts } from './workload.ts';

interface ThreadChoice {
  readonly name: string;
  readonly threads: number | null;
}

export async function runEngineBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { model: { type: 'string' }, runs: { type: 'string', default: '3' } },
  });
  const model = values.model ?? process.env['PARLANCE_TEST_MODEL'];
  const runs = Number(values.runs);
  if (model === undefined || !(runs >= 1)) {
    console.error('usage: npm run bench -- engine --model FILE.gguf [--runs 3]');
    process.exitCode = 2;
    return;
  }
  const rows: Row[] = [];
  let engine: EngineInfo | null = null;
  let promptTokens = 0;
  for (const choice of threadChoices()) {
    const result = await measureEngine(model, choice, runs);
    rows.push(...result.rows);
    engine = result.info;
    ({ promptTokens } = result);
  }
  if (engine === null) return;
  const paths = writeReport({
    command: `npm run bench -- engine --model FILE.gguf --runs ${runs}`,
    machine: describeMachine(),
    engine,
    runs,
    promptTokens,
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

async function measureEngine(path: string, { name, threads }: ThreadChoice, runs: number) {
  const engine = await startEngine({ path, options: { ...defaultEngineOptions, threads } });
  try {
    const send = sendThroughClient(engine);
    // The first pass over the weights reads them from the disk.
    await measureStreams(send, 1);
    const rows: Row[] = [];
    for (const streams of streamCounts) {
      const measured: Measurement[] = [];
      for (let run = 0; run < runs; run += 1) measured.push(await measureStreams(send, streams));
      const row = { way: 'engine alone', threads: name, ...medianRun(measured) };
      rows.push(row);
      console.log(
        `${row.way}, ${name}, ${streams} streams: ${row.tokensPerSecond.toFixed(1)} tok/s, ` +
          `first token ${row.firstTokenMs.toFixed(0)} ms`,
      );
    }
    return { rows, info: engine.info, promptTokens: await countPromptTokens(engine) };
  } finally {
    await engine.stop();
  }
}

async function countPromptTokens(engine: Engine): Promise<number> {
  const request = { ...toEngineRequest(0), dryRun: true };
  const plan = await engine.generate(request, new AbortController().signal);
  return plan.accepted.promptTokens;
}
