/** The one screen that a start ends with: the address, the model, a line to try, where to read on. */

import type { Colours } from '../io.ts';

export interface StartedModel {
  readonly name: string;
  /** Such as `SmolLM2 135M Instruct, Q4_1, 98 MB, apache-2.0`. */
  readonly what: string;
  /** Such as `8 slots of 8,192 tokens, 2 threads`. */
  readonly engine: string;
  /** What would make it better, if anything. */
  readonly tip: string | null;
  /** What its operator should know, such as a GPU that is not used. */
  readonly notes: readonly string[];
}

export interface StartScreen {
  readonly version: string;
  readonly url: string;
  readonly model: StartedModel | null;
  readonly keyNeeded: boolean;
}

const question = 'Name the capital of France in one sentence.';

/** A line for a POSIX shell that works as it stands. */
function curlLine(url: string, model: string, keyNeeded: boolean): string {
  const messages = [{ role: 'user', content: question }];
  // Greedy: the first answer that somebody sees is the same for everybody.
  const body = JSON.stringify({ model, messages, temperature: 0 });
  const quoted = `'${body.replaceAll("'", String.raw`'\''`)}'`;
  const key = keyNeeded ? ' -H "Authorization: Bearer $PARLANCE_API_KEY"' : '';
  return `curl -s ${url}/v1/chat/completions -H 'Content-Type: application/json'${key} -d ${quoted}`;
}

export function startScreen(screen: StartScreen, colours: Colours): string {
  const { bold, dim, cyan } = colours;
  const row = (label: string, text: string): string => `  ${dim(label.padEnd(7))} ${text}`;
  const { model } = screen;
  const lines = [
    '',
    `  ${bold('Parlance')} ${screen.version} answers at ${cyan(bold(screen.url))}`,
    '',
  ];
  if (model === null) {
    lines.push(row('Model', 'none at start; deploy one with: parlance deploy NAME --model SPEC'));
  } else {
    lines.push(row('Model', `${bold(model.name)} (${model.what})`), row('', model.engine));
    if (model.tip !== null) lines.push(row('Tip', model.tip));
    for (const note of model.notes) lines.push(row('Note', note));
    lines.push('');
    lines.push(row('Try', curlLine(screen.url, model.name, screen.keyNeeded)));
  }
  lines.push(
    '',
    row('Docs', 'README.md, docs/, and every field in docs/parameters.md'),
    row('API', `${screen.url}/openapi.json`),
    row('Stop', 'Ctrl-C'),
    '',
  );
  return lines.join('\n');
}
