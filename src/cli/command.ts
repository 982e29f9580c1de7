/**
 * What a file in `commands/` is: it adds arguments, flags, examples and an action to a command that
 * the program made. It loads other rooms inside its action only.
 */

import type { Command } from 'commander';

import type { Io } from './io.ts';

export interface CommandModule {
  /** An action ends well, or throws: `Exit` with a code, or an error that is reported. */
  define(command: Command, io: Io): void | Promise<void>;
}

/** The `Examples:` block of a help, one line each: what to type, and what it does. */
export function examplesText(examples: readonly (readonly [line: string, what: string])[]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`.trimEnd());
  return `\nExamples:\n${lines.join('\n')}`;
}
