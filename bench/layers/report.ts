/** Writes the engine's figures to `bench/results/`: JSON for programs, a table for people. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { EngineInfo } from '../../src/engine/index.ts';
import type { Machine } from '../machine.ts';
import type { Measurement } from './measure.ts';

export interface Row extends Measurement {
  /** What was asked: `engine alone`, `server`, `server, external in front`. */
  readonly way: string;
  /** Tokens a second over those of the engine alone in the same run; the median over the runs. */
  readonly ratio: number;
  /** `cores`, `cores - 1`, `adaptive`. */
  readonly threads: string;
}

export interface LayersReport {
  readonly command: string;
  readonly machine: Machine;
  readonly engine: EngineInfo;
  readonly runs: number;
  readonly generatedTokens: number;
  readonly rows: readonly Row[];
}

const folder = new URL('../results/', import.meta.url);

/** Returns the paths that were written. */
export function writeReport(report: LayersReport): string[] {
  mkdirSync(folder, { recursive: true });
  const files = [
    { name: 'layers.json', text: `${JSON.stringify(report, null, 2)}\n` },
    { name: 'layers.md', text: toMarkdown(report) },
  ];
  return files.map(({ name, text }) => {
    const path = fileURLToPath(new URL(name, folder));
    writeFileSync(path, text);
    return path;
  });
}

export function toMarkdown({ machine, engine, ...report }: LayersReport): string {
  const head = [
    'way',
    'threads',
    'streams',
    'tok/s',
    'of the engine',
    'tok/s of one',
    'first token',
    'slowest first',
  ];
  const rows = report.rows.map((row) => [
    row.way,
    row.threads,
    String(row.streams),
    row.tokensPerSecond.toFixed(1),
    row.ratio.toFixed(2),
    row.tokensPerSecondOfOne.toFixed(1),
    `${row.firstTokenMs.toFixed(0)} ms`,
    `${row.slowestFirstTokenMs.toFixed(0)} ms`,
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `# Engine: tokens a second, time to first token

${machine.date}, Parlance ${machine.version}, ${engine.library}, Node ${machine.node}, ${machine.platform}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB.
Model: ${engine.description}, ${engine.slots} slots of ${engine.context} tokens, KV ${engine.kvType}. Every request: a prompt of about 200 tokens, ${report.generatedTokens} generated, greedy.
The three ways take turns; median of ${report.runs} run(s) by tokens a second. "tok/s" counts from the first send to the last token, prompts included; "tok/s of one" is the median stream after its first token.

Made by \`${report.command}\`.

${lines.join('\n')}
`;
}
