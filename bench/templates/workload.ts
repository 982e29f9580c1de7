/** The renders that are measured: real templates on conversations, with Python's text for each. */

import { existsSync, readFileSync } from 'node:fs';

export interface Case {
  readonly source: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** What Python's Jinja2 makes of it. */
  readonly text: string;
  readonly now: Date;
}

const folder = '../shared/templates';

interface Row {
  readonly source: string;
  readonly dated: boolean;
  readonly renders: Readonly<Record<string, { text?: string }>>;
}

/** Null where the files are not on this machine. Templates that print a date are left out. */
export function readWorkload(): Case[] | null {
  if (!existsSync(`${folder}/renders.jsonl`)) return null;
  const contexts = JSON.parse(readFileSync(`${folder}/conversations.json`, 'utf8')) as Record<
    string,
    Record<string, unknown>
  >;
  const rows = readFileSync(`${folder}/renders.jsonl`, 'utf8').trim().split('\n');
  const now = new Date(2026, 10, 21);
  return rows
    .map((row) => JSON.parse(row) as Row)
    .filter(({ dated }) => !dated)
    .flatMap(({ source, renders }) =>
      Object.entries(renders).flatMap(([name, { text }]) =>
        text === undefined ? [] : [{ source, context: contexts[name] ?? {}, text, now }],
      ),
    );
}
