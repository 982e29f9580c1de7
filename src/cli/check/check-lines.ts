/**
 * `parlance check --jsonl`: reads a line, writes a line, whatever the line is. A schema is taken from the
 * line's own text, since how its numbers are spelled and its keys are ordered counts.
 */

import { sourceTextAt } from '../../contract/index.ts';
import type { ConstraintSpec } from '../../constraint/index.ts';
import type { Io } from '../io.ts';
import { linesOf } from '../render/lines-of.ts';
import { notSupported, type CheckJob, type CheckResult } from './check-texts.ts';
import type { Checker } from './checker.ts';

export async function checkLines(io: Io, checker: Checker): Promise<void> {
  for await (const line of linesOf(io.stdin)) {
    io.stdout.write(`${JSON.stringify(await checkLine(line, checker))}\n`);
  }
}

async function checkLine(line: string, checker: Checker): Promise<CheckResult> {
  const job = readLine(line);
  return 'ok' in job ? job : await checker.check(job);
}

/** What a line asks for, or the answer to a line that cannot be read. */
export function readLine(line: string): CheckJob | CheckResult {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return notSupported('The line is not JSON.', 'line', 0);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return notSupported('The line is not a JSON object.', 'line', 0);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const texts = members.get('texts') ?? [];
  if (!isTexts(texts)) return notSupported('`texts` must be a list of strings.', 'texts', 0);
  const kinds = ['schema', 'regex', 'grammar', 'choice'].filter((kind) => members.has(kind));
  if (kinds.length !== 1) {
    const words = 'The line must have one of schema, regex, grammar and choice.';
    return notSupported(words, kinds[1] ?? 'line', texts.length);
  }
  const [kind] = kinds;
  const spec = readSpec(kind!, members.get(kind!), line);
  return spec === null
    ? notSupported(`\`${kind!}\` has a wrong type.`, kind!, texts.length)
    : { spec, texts };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function readSpec(kind: string, value: unknown, line: string): ConstraintSpec | null {
  switch (kind) {
    case 'schema': {
      const schema = typeof value === 'string' ? value : sourceTextAt(line, ['schema']);
      return schema === null ? null : { kind: 'json', schema, whitespace: null };
    }
    case 'choice':
      return isTexts(value) ? { kind: 'choice', options: value } : null;
    case 'regex':
      return typeof value === 'string' ? { kind: 'regex', pattern: value } : null;
    default:
      return typeof value === 'string' ? { kind: 'grammar', source: value } : null;
  }
}
