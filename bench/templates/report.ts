/** Figures of the templates' bench to `bench/results/templates.json` and a table for readers. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Machine } from '../machine.ts';

/** Milliseconds, over all renders; of each the quickest round counts. */
export interface TimeRow {
  readonly what: string;
  readonly engine: string;
  readonly total: number;
  readonly median: number;
  readonly slowest: number;
}

export interface HostileRow {
  readonly name: string;
  /** Processor time. */
  readonly milliseconds: number;
  readonly reason: string;
}

export interface TemplatesReport {
  readonly command: string;
  readonly machine: Machine;
  readonly rounds: number;
  readonly renders: number;
  readonly compared: number;
  readonly right: Readonly<Record<string, number>>;
  readonly times: readonly TimeRow[];
  readonly hostile: readonly HostileRow[];
}

const folder = new URL('../results/', import.meta.url);

/** Returns the paths that were written. */
export function writeReport(report: TemplatesReport): string[] {
  mkdirSync(folder, { recursive: true });
  return [
    { name: 'templates.json', text: `${JSON.stringify(report, null, 2)}\n` },
    { name: 'templates.md', text: toMarkdown(report) },
  ].map(({ name, text }) => {
    const path = fileURLToPath(new URL(name, folder));
    writeFileSync(path, text);
    return path;
  });
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function toMarkdown({ machine, times, hostile, right, ...report }: TemplatesReport): string {
  const rows = times.map((row) => [
    row.what,
    row.engine,
    row.total.toFixed(2),
    row.median.toFixed(4),
    row.slowest.toFixed(3),
  ]);
  const worst = hostile
    .slice(0, 15)
    .map((row) => [row.name, row.milliseconds.toFixed(0), row.reason.replaceAll('|', '\\|')]);
  return `# Chat templates: milliseconds

${machine.date}, Parlance ${machine.version}, Node ${machine.node}, ${machine.platform}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB.
Ours beside \`@huggingface/jinja\` (theirs). Of ${report.renders} renders that Python's Jinja2 gives a text for, ours makes the same text of ${right['ours']}, theirs of ${right['theirs']}; measured on the ${report.compared} that both get right, the quickest of ${report.rounds} rounds.

Made by \`${report.command}\`.

${table(['what', 'engine', 'all', 'median', 'slowest'], rows)}

## Hostile templates

${hostile.length} templates that abuse loops, recursion, sizes, widths and nesting, each with a text of a million characters at hand. Processor time until each was refused, compiling included; the slowest:

${table(['template', 'ms', 'refused with'], worst)}
`;
}
