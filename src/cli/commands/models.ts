/** `parlance models`: what lies in the home folder, and what the catalogue offers beside it. */

import type { Command } from 'commander';

import type { CatalogueEntry, InstalledModel } from '../../models/index.ts';
import { examplesText } from '../command.ts';
import { coloursFor, printJson, tableWidth, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { renderTable } from '../table.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)')
    .option('--json', 'print the list as JSON')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance models', 'a table'],
        ['parlance models --json', 'the same for programs'],
        ['parlance pull NAME', 'fetches one that is not there'],
      ]),
    )
    .action(async (flags: { home?: string; json?: boolean }) => {
      const { home } = await readOptions(io, { home: flags.home });
      const rooms = await import('../../models/index.ts');
      const lines = toLines(await rooms.listModels(home), rooms.catalogue);
      if (flags.json === true) printJson(io, lines);
      else printTable(io, lines, rooms.formatBytes);
    });
}

/** One model, here or in the catalogue; null where nothing is known before it is fetched. */
interface ModelLine {
  readonly name: string;
  readonly installed: boolean;
  readonly bytes: number | null;
  readonly quantisation: string | null;
  readonly context: number | null;
  readonly licence: string | null;
  readonly path: string | null;
  /** A Q8_0 form that a pull made of it, served where it is faster. */
  readonly requantised: string | null;
  readonly source: string | null;
  readonly description: string | null;
  /** Why a file that is here cannot be served. */
  readonly problem: string | null;
}

function toLines(
  installed: readonly InstalledModel[],
  catalogue: readonly CatalogueEntry[],
): ModelLine[] {
  const entries = new Map(catalogue.map((entry) => [entry.name, entry]));
  const here = installed.map((model) => fromFile(model, entries.get(model.name)));
  const names = new Set(installed.map((model) => model.name));
  return [...here, ...catalogue.filter((entry) => !names.has(entry.name)).map(fromCatalogue)];
}

function fromFile(model: InstalledModel, entry: CatalogueEntry | undefined): ModelLine {
  const { metadata } = model;
  return {
    name: model.name,
    installed: true,
    bytes: metadata?.fileBytes ?? null,
    quantisation: metadata?.quantisation ?? null,
    context: metadata?.contextLength ?? null,
    licence: entry?.licence ?? metadata?.licence ?? null,
    path: model.path,
    requantised: model.requantised,
    source: entry === undefined ? null : `hf:${entry.huggingFace.repo}/${entry.huggingFace.file}`,
    description: entry?.description ?? metadata?.name ?? null,
    problem: model.problem,
  };
}

function fromCatalogue(entry: CatalogueEntry): ModelLine {
  return {
    name: entry.name,
    installed: false,
    bytes: entry.bytes,
    quantisation:
      /[.-]((?:IQ|Q)\d\w*|F16|BF16|F32)\.gguf$/i.exec(entry.file)?.[1]?.toUpperCase() ?? null,
    context: null,
    licence: entry.licence,
    path: null,
    requantised: null,
    source: `hf:${entry.huggingFace.repo}/${entry.huggingFace.file}`,
    description: entry.description,
    problem: null,
  };
}

function printTable(
  io: Io,
  lines: readonly ModelLine[],
  formatBytes: (bytes: number) => string,
): void {
  const { bold, yellow } = coloursFor(io, io.stdout);
  io.stdout.write(
    renderTable(
      lines,
      [
        { title: 'NAME', cell: (line) => line.name },
        {
          title: 'SIZE',
          align: 'right',
          cell: (line) => (line.bytes === null ? '-' : formatBytes(line.bytes)),
        },
        {
          title: 'QUANT',
          cell: ({ quantisation, requantised }) =>
            `${quantisation ?? '-'}${requantised === null ? '' : ', Q8_0'}`,
        },
        { title: 'CONTEXT', align: 'right', cell: (line) => String(line.context ?? '-') },
        { title: 'LICENCE', cell: (line) => line.licence ?? '-' },
        { title: 'WHERE', cell: (line) => line.path ?? `parlance pull ${line.name}` },
      ],
      { title: bold, columns: tableWidth(io.stdout) },
    ),
  );
  for (const { name, problem } of lines) {
    if (problem !== null) io.stderr.write(`${yellow(name)}: ${problem}\n`);
  }
}
