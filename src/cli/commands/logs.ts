/** `parlance logs`: the inferences that a home folder has on record, also while a server runs on it. */

import type { Command } from 'commander';

import type { Inference } from '../../telemetry/index.ts';
import { examplesText } from '../command.ts';
import { coloursFor, printJson, tableWidth, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { renderTable, type Column } from '../table.ts';

interface LogsFlags {
  readonly home?: string;
  readonly json?: boolean;
  readonly limit: string;
  readonly model?: string;
}

const mostRows = 100_000;

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .option('--limit <n>', 'how many, the latest of all', '20')
    .option('--model <name>', 'only those of this model, as clients called it')
    .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)')
    .option('--json', 'print the list as JSON')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance logs', 'the latest 20, the last one at the bottom'],
        ['parlance logs --model smollm2-135m --limit 100', 'those of one model'],
        ['parlance logs --json', 'all that is known of them'],
      ]),
    )
    .action(async (flags: LogsFlags) => {
      const limit = await readLimit(flags.limit);
      const { home } = await readOptions(io, { home: flags.home });
      const { openStore } = await import('../../records/index.ts');
      const store = await openStore(home);
      try {
        const { model } = flags;
        const filter = { limit, ...(model === undefined ? {} : { model }) };
        print(io, await store.inferences.list(filter), flags.json === true);
      } finally {
        await store.close();
      }
    });
}

async function readLimit(text: string): Promise<number> {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= mostRows) return limit;
  const { ParlanceError } = await import('../../contract/index.ts');
  throw new ParlanceError(
    'invalid_option',
    `--limit is a whole number from 1 to ${mostRows}, and not "${text}".`,
  );
}

function print(io: Io, inferences: readonly Inference[], asJson: boolean): void {
  if (asJson) return printJson(io, inferences.map(toJson));
  if (inferences.length === 0) {
    io.stderr.write('Nothing is on record. A server writes what ends, within a second.\n');
    return;
  }
  io.stdout.write(
    renderTable(inferences, columns, {
      title: coloursFor(io, io.stdout).bold,
      columns: tableWidth(io.stdout),
    }),
  );
}

const count = (value: number | null): string => String(value ?? '-');

const columns: readonly Column<Inference>[] = [
  { title: 'TIME', cell: (one) => toTime(one.created) },
  { title: 'MODEL', cell: (one) => one.model },
  { title: 'STATUS', align: 'right', cell: (one) => String(one.status) },
  { title: 'PROMPT', align: 'right', cell: (one) => count(one.promptTokens) },
  { title: 'CACHED', align: 'right', cell: (one) => count(one.cachedTokens) },
  { title: 'TOKENS', align: 'right', cell: (one) => count(one.completionTokens) },
  { title: 'DRAFTS', align: 'right', cell: toDrafts },
  { title: 'FIRST', align: 'right', cell: (one) => toMilliseconds(one.firstTokenMs) },
  { title: 'TOTAL', align: 'right', cell: (one) => toMilliseconds(one.totalMs) },
  {
    title: 'ENDED',
    cell: (one) => one.error ?? ([...new Set(one.finishReasons)].join(',') || '-'),
  },
];

/** Proposed tokens that were taken, of those that were verified. */
function toDrafts({ draftsVerified: verified, draftsAccepted: accepted }: Inference): string {
  return verified === null ? '-' : `${accepted ?? 0}/${verified}`;
}

const toMilliseconds = (value: number | null): string => (value === null ? '-' : `${value} ms`);

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

function toJson(one: Inference) {
  return {
    id: one.id,
    request_id: one.requestId,
    episode_id: one.episodeId,
    created: new Date(one.created).toISOString(),
    key_id: one.keyId,
    endpoint: one.endpoint,
    model: one.model,
    target: one.target,
    stream: one.stream,
    status: one.status,
    error: one.error,
    finish_reasons: one.finishReasons,
    prompt_tokens: one.promptTokens,
    completion_tokens: one.completionTokens,
    cached_tokens: one.cachedTokens,
    reasoning_tokens: one.reasoningTokens,
    drafts_verified: one.draftsVerified,
    drafts_accepted: one.draftsAccepted,
    first_token_ms: one.firstTokenMs,
    total_ms: one.totalMs,
    receipt: one.receipt,
  };
}
