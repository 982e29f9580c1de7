/**
 * The one place where the CLI words a failure: the message of a catalogued error, never a stack,
 * and the exit code that goes with it. `PARLANCE_DEBUG=1` shows everything.
 */

import { inspect } from 'node:util';

import { Exit, exitCodes } from './exit-code.ts';
import { coloursFor, type Io } from './io.ts';
import { Interrupted } from './until-interrupted.ts';

/** Writes what there is to say about a thrown value, and gives the exit code. */
export async function reportError(error: unknown, io: Io): Promise<number> {
  if (error instanceof Exit) return error.code;
  if (error instanceof Interrupted) return error.exitCode;
  const { ParlanceError } = await import('../contract/index.ts');
  const { red } = coloursFor(io, io.stderr);
  const message =
    error instanceof ParlanceError
      ? error.message
      : `this should not have happened (${firstLine(error)}). Set PARLANCE_DEBUG=1 to see where, and please report it.`;
  io.stderr.write(`${red('parlance:')} ${message}\n`);
  if (isDebugging(io)) io.stderr.write(`${inspect(error)}\n`);
  const wrongUsage = error instanceof ParlanceError && error.reason === 'invalid_option';
  return wrongUsage ? exitCodes.usage : exitCodes.failed;
}

function isDebugging(io: Io): boolean {
  return !['', '0', 'false'].includes(io.env['PARLANCE_DEBUG'] ?? '');
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split('\n')[0] ?? '';
}
