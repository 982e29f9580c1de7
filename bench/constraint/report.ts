/** Writes the figures of masks to `bench/results/`: JSON for programs, tables for people. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Machine } from '../machine.ts';
import type { Figures, Spread } from './measure.ts';

export interface ConstraintReport {
  readonly command: string;
  readonly machine: Machine;
  readonly vocabulary: number;
  /** Milliseconds, once a model: the tree of its tokens. */
  readonly tree: number;
  readonly figures: readonly Figures[];
}

const folder = new URL('../results/', import.meta.url);

/** Those of the last report. */
export function readFigures(): readonly Figures[] {
  const path = new URL('constraint.json', folder);
  if (!existsSync(path)) return [];
  return (JSON.parse(readFileSync(path, 'utf8')) as ConstraintReport).figures;
}

/** Returns the paths that were written. */
export function writeReport(report: ConstraintReport): string[] {
  mkdirSync(folder, { recursive: true });
  const files = [
    { name: 'constraint.json', text: `${JSON.stringify(report, null, 2)}\n` },
    { name: 'constraint.md', text: toMarkdown(report) },
  ];
  return files.map(({ name, text }) => {
    const path = fileURLToPath(new URL(name, folder));
    writeFileSync(path, text);
    return path;
  });
}

function toMarkdown({ machine, figures, ...report }: ConstraintReport): string {
  const head = figures.map(({ name }) => name);
  const row = (name: string, value: (one: Figures) => string): string[] => [
    name,
    ...figures.map(value),
  ];
  const rows = [
    row('schemas', (one) => String(one.schemas)),
    row('refused', (one) => String(one.refused)),
    row('over 20 seconds in three runs', (one) => String(one.overTime)),
    row('valid documents', (one) => String(one.documents)),
    row('let through', (one) => String(one.accepted)),
    row('tokens', (one) => String(one.tokens)),
    ...spreadRows('compile, ms', 2, ({ compile }) => compile, row),
    ...spreadRows('token, us', 1, ({ mask }) => mask, row),
  ];
  return `# Constraints: what masks cost

${machine.date}, Parlance ${machine.version}, Node ${machine.node}, ${machine.platform}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB.
The valid documents of the corpus of JSON schemas (MaskBench's sample) as tokens of the default model (a vocabulary of ${report.vocabulary}), one after the other. A token's time is that of taking it and of the mask for the next one, each schema beginning with empty caches; the fastest of three such runs. The tree of the vocabulary's tokens, once a model: ${report.tree.toFixed(0)} ms. The goal is 50 us at the median and 1,000 us for 99 of 100 tokens. All in one thread; in the engine masks are computed in threads of their own while the model works, and forced tokens need none.

A document that is not let through ends there: its other tokens are not measured. XGrammar takes keywords that it does not know for annotations.

Made by \`${report.command}\`.

${toTable(['', ...head], rows)}
`;
}

function spreadRows(
  name: string,
  digits: number,
  spread: (one: Figures) => Spread,
  row: (name: string, value: (one: Figures) => string) => string[],
): string[][] {
  return [
    row(`${name}: median`, (one) => spread(one).median.toFixed(digits)),
    row(`${name}: 90 of 100 under`, (one) => spread(one).p90.toFixed(digits)),
    row(`${name}: 99 of 100 under`, (one) => spread(one).p99.toFixed(digits)),
    row(`${name}: most`, (one) => spread(one).most.toFixed(digits)),
  ];
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
