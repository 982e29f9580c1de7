/**
 * The four API documents that this product was asked from, and the requests inside them, cut out of
 * the text as they stand. Only the host and the model's name are replaced.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'contract');

/** Why the tests that need them are skipped, or false. */
export const missing: string | false = existsSync(folder)
  ? false
  : 'NO DOCUMENTS: ../shared/contract is not there';

/** The text of the document whose file name begins with this number. */
export function readDocument(number: '000' | '001' | '002' | '003'): string {
  const name = readdirSync(folder).find((file) => file.startsWith(`${number}_`));
  if (name === undefined) throw new Error(`no document ${number} in ${folder}`);
  return readFileSync(join(folder, name), 'utf8');
}

export interface CurlRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Every `curl` line of a document, in its order. */
export function curlRequestsOf(document: string): CurlRequest[] {
  const commands = document.match(/^curl [^]*?\}'$/gm) ?? [];
  return commands.map(parseCurl);
}

function parseCurl(command: string): CurlRequest {
  const url = /https?:\/\/[^\s]+/.exec(command)?.[0] ?? '';
  const headers = [...command.matchAll(/(?:-H|--header) ['"]([^:]+): ([^'"]+)['"]/g)];
  const body = /(?:-d|--data) '([^']*)'/.exec(command)?.[1] ?? '';
  return {
    method: /(?:-X|--request) (\w+)/.exec(command)?.[1] ?? 'POST',
    path: new URL(url).pathname,
    headers: Object.fromEntries(
      headers.map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    ),
    body: JSON.parse(body) as CurlRequest['body'],
  };
}

/** The programs of a document that begin with this line and end before one of the headings. */
export function programsOf(document: string, first: string, headings: readonly string[]): string[] {
  const parts = document.split(`${first}\n`).slice(1);
  return parts.map((part) => {
    const lines = part.split('\n');
    const end = lines.findIndex((line) => headings.includes(line));
    return [first, ...lines.slice(0, end === -1 ? undefined : end)].join('\n');
  });
}

/** Host and model name replaced, and nothing else. */
export function aimed(program: string, server: { readonly url: string }, model: string): string {
  return program
    .replaceAll(/http:\/\/localhost:\d+/g, server.url)
    .replaceAll('meta-llama/Llama-3.1-8B-Instruct', model)
    .replaceAll('qwen3-4b', model);
}
