/** Writes the figures to `bench/results/engine.*`: JSON with every run's value, tables for people. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import type { Machine } from '../machine.ts';
import { median } from './statistics.ts';
import { summarise, type Figure, type Goal, type RowResult } from './figures.ts';

export interface RowReport extends RowResult {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** UTC, to the minute. */
  readonly date: string;
  readonly runs: number;
  /** Smaller numbers than `about` says. */
  readonly quick: boolean;
  readonly threads: number;
  /** Cores that others used during each measurement. */
  readonly othersCores: readonly number[];
  /** Why there are no figures; null where there are. */
  readonly failed: string | null;
  readonly seconds: number;
}

export interface EngineReport {
  readonly machine: Machine;
  /** Name of the file that all served. */
  readonly weights: string;
  readonly rival: string;
  readonly rows: readonly RowReport[];
}

const folder = new URL('../results/', import.meta.url);
const jsonFile = new URL('engine.json', folder);

/** What was written before; null when there is nothing yet. */
export function readReport(): EngineReport | null {
  if (!existsSync(jsonFile)) return null;
  return JSON.parse(readFileSync(jsonFile, 'utf8')) as EngineReport;
}

export function writeReport(report: EngineReport): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(new URL('engine.md', folder), toMarkdown(report));
}

export function toMarkdown({ machine, weights, rival, rows }: EngineReport): string {
  return `# The engine beside llama-server

Parlance ${machine.version} (Node ${machine.node}) and ${rival}, both serving \`${weights}\` over HTTP on ${machine.platform}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB. In each row both have the same threads, slots and context (\`--threads T --slots S --context C\`, and \`-t T -tb T -np S -c S*C\`; everything else as it is by default) and take turns; requests are streamed, greedy, and never ended by the model itself. A value is the median of the runs, with the lowest and the highest behind it; a ratio is the median of the ratios of each run, ours over theirs. A measurement during which others used more than a quarter of a core is made again, up to three times, and the quietest counts.

Made by \`npm run bench -- engine --model FILE.gguf\`.

${rows.map(rowToMarkdown).join('\n')}`;
}

export function rowToMarkdown(row: RowReport): string {
  const others = row.othersCores.filter(Number.isFinite);
  const load =
    others.length === 0
      ? ''
      : `; others took ${show(median(others))} cores meanwhile, at most ${show(Math.max(...others))}`;
  const runs = `${row.runs} ${row.runs === 1 ? 'run' : 'runs'}, ${row.threads} ${row.threads === 1 ? 'thread' : 'threads'}`;
  const made = `${row.date} UTC, ${runs}${load}.${row.quick ? ' Quick: smaller numbers than described.' : ''}`;
  const parts = [`## ${row.title}`, row.about, made];
  if (row.failed !== null) parts.push(`Not measured: ${row.failed.slice(0, 500)}`);
  else parts.push(toTable(row.figures));
  if (row.notes.length > 0) parts.push(row.notes.map((note) => `- ${note}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function toTable(figures: readonly Figure[]): string {
  const [first] = figures;
  const contenders = Object.keys(first?.values ?? {});
  const rivals = contenders.slice(1);
  const ratioHead = (name: string): string => (rivals.length === 1 ? 'ratio' : `ratio to ${name}`);
  const head = ['', ...contenders, ...rivals.map(ratioHead), 'goal', 'met'];
  const lines = figures.map((figure) => {
    const { ratios, met } = summarise(figure);
    return [
      `${figure.label} (${figure.unit})`,
      ...contenders.map((name) => showSpread(figure.values[name] ?? [])),
      ...rivals.map((name) => (ratios[name] ?? Number.NaN).toFixed(2)),
      figure.goal === null ? '' : showGoal(figure.goal),
      met === null ? '' : met ? 'yes' : '**no**',
    ];
  });
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function showGoal({ of, bound, value }: Goal): string {
  const digits = Number.isInteger(value) ? 1 : 2;
  return of === 'ratio' ? `${bound} ${value.toFixed(digits)}x` : `ours ${bound} ${String(value)}`;
}

function showSpread(values: readonly number[]): string {
  const shown = show(median(values));
  if (values.length < 2) return shown;
  return `${shown} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

const show = (value: number): string =>
  Math.abs(value) < 10
    ? value.toFixed(2)
    : Math.abs(value) < 100
      ? value.toFixed(1)
      : value.toFixed(0);
