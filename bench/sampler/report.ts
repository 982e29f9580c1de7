/** Writes the sampler's figures to `bench/results/`: JSON for programs, tables for people. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Machine } from '../machine.ts';

export interface TokenRow {
  readonly size: number;
  /** Shape of the rows of logits. */
  readonly shape: string;
  readonly name: string;
  /** A token, the median. */
  readonly milliseconds: number;
  readonly goal: number | null;
}

/** All in milliseconds. */
export interface PhraseRow {
  readonly size: number;
  readonly name: string;
  /** Once a model. */
  readonly index: number;
  /** Once a request. */
  readonly prepare: number;
  /** A token: the median, and the 99th of 100. */
  readonly step: number;
  readonly slowestStep: number;
}

export interface SamplerReport {
  readonly command: string;
  readonly machine: Machine;
  readonly measured: number;
  readonly promptLength: number;
  readonly tokens: readonly TokenRow[];
  readonly phrases: readonly PhraseRow[];
}

const folder = new URL('../results/', import.meta.url);

/** Returns the paths that were written. */
export function writeReport(report: SamplerReport): string[] {
  mkdirSync(folder, { recursive: true });
  const files = [
    { name: 'sampler.json', text: `${JSON.stringify(report, null, 2)}\n` },
    { name: 'sampler.md', text: toMarkdown(report) },
  ];
  return files.map(({ name, text }) => {
    const path = fileURLToPath(new URL(name, folder));
    writeFileSync(path, text);
    return path;
  });
}

function toMarkdown({ machine, tokens, phrases, ...report }: SamplerReport): string {
  const shapes = [...new Set(tokens.map(({ shape }) => shape))];
  const groups = Map.groupBy(tokens, ({ size, name }) => `${size} ${name}`);
  const tokenLines = [...groups.values()].map((rows) => {
    const byShape = shapes.map((shape) => rows.find((row) => row.shape === shape));
    const goal = rows[0]?.goal ?? null;
    return [
      String(rows[0]?.size),
      rows[0]?.name ?? '',
      ...byShape.map((row) => row?.milliseconds.toFixed(3) ?? ''),
      goal === null ? '' : goal.toFixed(1),
    ];
  });
  const phraseLines = phrases.map((row) => [
    String(row.size),
    row.name,
    row.index.toFixed(0),
    row.prepare.toFixed(1),
    row.step.toFixed(4),
    row.slowestStep.toFixed(3),
  ]);
  return `# Sampler: milliseconds a token

${machine.date}, Parlance ${machine.version}, Node ${machine.node}, ${machine.platform}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB.
From a row of logits to a token; the median of ${report.measured} tokens, behind a prompt of ${report.promptLength}. Rows: \`peaked\` as a language model's are; \`mid\` and \`flat\` normal with a spread of 1 and 0.01; \`equal\` all the same. A goal is for a token of any row.

Made by \`${report.command}\`.

${toTable(['vocabulary', 'parameters', ...shapes, 'goal'], tokenLines)}

## Bad phrases

Milliseconds: the index of a vocabulary once a model (its pieces are at hand here; reading them from the library comes on top), the phrases once a request, the bans for each token behind a text that consists of the phrases.

${toTable(['vocabulary', 'phrases', 'index', 'phrases', 'a token', '99 of 100 under'], phraseLines)}
`;
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
