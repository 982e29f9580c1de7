/**
 * `parlance check`: says whether a schema, regex, grammar or choice is supported, and whether a text is
 * allowed under it. No model is loaded; what is asked is the code that makes the engine's masks.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { ConstraintSpec } from '../../constraint/index.ts';
import { ParlanceError } from '../../contract/errors.ts';
import { Exit, exitCodes } from '../exit-code.ts';
import { coloursFor, printJson, type Io } from '../io.ts';
import { checkLines } from './check-lines.ts';
import type { CheckResult } from './check-texts.ts';
import { createChecker, type Checker } from './checker.ts';
import { describeRefusal } from './describe-refusal.ts';

export interface CheckFlags {
  readonly schema?: string;
  readonly regex?: string;
  readonly grammar?: string;
  readonly choice?: readonly string[];
  readonly text?: string;
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

/** @throws Exit with code 1 when the constraint is not supported, or the text not allowed */
export async function check(io: Io, flags: CheckFlags): Promise<void> {
  const checker = createChecker();
  try {
    if (flags.jsonl === true) {
      refuseOthers(flags);
      await checkLines(io, checker);
    } else await checkOne(io, flags, checker);
  } finally {
    await checker.close();
  }
}

function refuseOthers(flags: CheckFlags): void {
  const others = Object.keys(flags).filter((name) => name !== 'jsonl');
  if (others.length > 0) {
    throw wrongUsage(`--jsonl reads everything from standard input; leave --${others[0]!} away.`);
  }
}

async function checkOne(io: Io, flags: CheckFlags, checker: Checker): Promise<void> {
  const { name, spec } = await readConstraint(io, flags);
  const text = flags.text === undefined ? null : await readBytes(io, flags.text);
  // Files end with a line end that is mostly not meant.
  const short = text?.at(-1) === 0x0a ? text.subarray(0, text.at(-2) === 0x0d ? -2 : -1) : null;
  const texts = [text, short].filter((one) => one !== null);
  const both = await checker.check({ spec, texts });
  const isShort = both.allowed[0] === false && both.allowed[1] === true;
  const chosen = isShort ? 1 : 0;
  const result: CheckResult = {
    ...both,
    allowed: both.allowed.slice(chosen, chosen + 1),
    at: both.at.slice(chosen, chosen + 1),
  };
  if (flags.json === true) printJson(io, result);
  else io.stdout.write(`${describe(io, { name, result, text })}\n`);
  if (!result.ok || result.allowed[0] === false) throw new Exit(exitCodes.failed);
}

function describe(
  io: Io,
  checked: { readonly name: string; readonly result: CheckResult; readonly text: Buffer | null },
): string {
  const { name, result, text } = checked;
  const { green, red } = coloursFor(io, io.stdout);
  if (!result.ok) {
    return `${red('not supported')}  the ${name}, because of ${result.keyword}: ${result.reason}`;
  }
  const lines = [`${green('supported')}  the ${name}`];
  const [at] = result.at;
  if (at === null) lines.push(`${green('allowed')}  the text`);
  else if (at !== undefined && text !== null) {
    lines.push(`${red('not allowed')}  the text: ${describeRefusal(text, at)}`);
  }
  return lines.join('\n');
}

async function readConstraint(
  io: Io,
  { schema, regex, grammar, choice }: CheckFlags,
): Promise<{ readonly name: string; readonly spec: ConstraintSpec }> {
  const given = [schema, regex, grammar, choice].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw wrongUsage('Give one of --schema FILE, --regex REGEX, --grammar FILE, --choice TEXT….');
  }
  if (schema !== undefined) {
    const text = await readText(io, schema);
    return { name: 'schema', spec: { kind: 'json', schema: text, whitespace: null } };
  }
  if (grammar !== undefined) {
    return { name: 'grammar', spec: { kind: 'grammar', source: await readText(io, grammar) } };
  }
  if (regex !== undefined) return { name: 'regex', spec: { kind: 'regex', pattern: regex } };
  return { name: 'choice', spec: { kind: 'choice', options: choice ?? [] } };
}

async function readText(io: Io, file: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(io, file));
}

/** A file, or standard input for `-`. */
async function readBytes(io: Io, file: string): Promise<Buffer> {
  if (file === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk as Uint8Array | string));
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(resolve(io.cwd, file));
  } catch {
    throw wrongUsage(`${file} cannot be read.`);
  }
}

const wrongUsage = (words: string): ParlanceError => new ParlanceError('invalid_option', words);
