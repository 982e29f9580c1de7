/**
 * `npm run bench -- engine`: our server beside llama-server, with the same file, threads, slots and
 * context, in turns. Writes `bench/results/engine.*`; with `--quick` it only shows that the rows work.
 */

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { describeMachine } from '../machine.ts';
import { ensureLlamaServer } from '../llama-server/build.ts';
import { llamaServer } from './contenders/llama-server.ts';
import { parlance } from './contenders/parlance.ts';
import { readReport, rowToMarkdown, writeReport, type RowReport } from './report.ts';
import type { Row, RowContext } from './row.ts';
import { allRows } from './rows/all-rows.ts';

const names = allRows.map(({ name }) => name).join(',');
const usage = `usage: npm run bench -- engine --model FILE.gguf [--only ROW,ROW] [--runs 3] [--threads N] [--quick]
rows: ${names}`;

export async function runEngineBench(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const { weights, threads, runs, quick, rows } = options;
  const rival = await ensureLlamaServer();
  const context: RowContext = {
    weights,
    threads,
    runs,
    quick,
    parlance: parlance(),
    llamaServer: llamaServer('llama-server', rival.path),
    llamaServerQ8: llamaServer(
      'llama-server, Q8_0 KV',
      rival.path,
      '-ctk q8_0 -ctv q8_0 -fa on'.split(' '),
    ),
    othersCores: [],
    log: (text) => console.error(text),
  };
  for (const row of rows) {
    const report = await runRow(row, context);
    console.log(rowToMarkdown(report));
    if (!quick) {
      const common = {
        machine: describeMachine(),
        weights: weights.split('/').at(-1) ?? weights,
        rival: `llama-server of node-llama-cpp ${rival.version}`,
      };
      // After each row: a run that is cut short keeps what it has.
      writeReport({ ...common, rows: mergeRows(readReport()?.rows ?? [], report) });
    }
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string' },
      only: { type: 'string' },
      runs: { type: 'string' },
      threads: { type: 'string', default: String(availableParallelism()) },
      quick: { type: 'boolean', default: false },
    },
  });
  const model = values.model ?? process.env['PARLANCE_TEST_MODEL'];
  const runs = Number(values.runs ?? (values.quick ? 1 : 3));
  const threads = Number(values.threads);
  const wanted = values.only?.split(',').map((name) => name.trim());
  const unknown = wanted?.filter((name) => !allRows.some((row) => row.name === name)) ?? [];
  for (const name of unknown) console.error(`There is no row "${name}".`);
  if (model === undefined || unknown.length > 0 || !(runs >= 1) || !(threads >= 1)) return null;
  const weights = resolve(model);
  if (!existsSync(weights)) {
    console.error(`${weights} is not there.`);
    return null;
  }
  const rows = allRows.filter(({ name }) => wanted?.includes(name) ?? true);
  return { weights, runs, threads, quick: values.quick, rows };
}

async function runRow(row: Row, common: RowContext): Promise<RowReport> {
  const context = { ...common, othersCores: [] };
  context.log(row.title);
  const begin = Date.now();
  const { name, title, about } = row;
  const head = {
    name,
    title,
    about,
    date: new Date().toISOString().slice(0, 16),
    runs: context.runs,
    quick: context.quick,
    threads: context.threads,
    othersCores: context.othersCores,
  };
  try {
    const result = await row.run(context);
    return { ...head, ...result, failed: null, seconds: (Date.now() - begin) / 1000 };
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return { ...head, figures: [], notes: [], failed, seconds: (Date.now() - begin) / 1000 };
  }
}

/** The new row in the place of the old one, all in the order of the benchmark. */
function mergeRows(old: readonly RowReport[], report: RowReport): RowReport[] {
  return allRows.flatMap(({ name }) => {
    if (name === report.name) return [report];
    return old.filter((one) => one.name === name);
  });
}
