/**
 * Runs one command of the build as a child and tells how far it is. The end of its output is kept for
 * the error, so that a failed build explains itself.
 */

import { spawn } from 'node:child_process';

export interface Step {
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Looks at each line of the output. */
  readonly onLine?: (line: string) => void;
}

const keptLines = 30;

/** What the command wrote to its standard output. @throws Error with the last lines it wrote */
export async function runStep(step: Step): Promise<string> {
  const [file, ...args] = step.command;
  const child = spawn(file, args, {
    cwd: step.cwd,
    env: { ...process.env, ...step.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const last: string[] = [];
  const take = (line: string): void => {
    if (line.trim() === '') return;
    last.push(line);
    if (last.length > keptLines) last.shift();
    step.onLine?.(line);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const line of text.split(/[\r\n]+/)) take(line);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split(/[\r\n]+/)) take(line);
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) {
    throw new Error(`${step.command.join(' ')} ended with ${code}:\n${last.join('\n')}`);
  }
  return output;
}

/** Whether the command is on this machine and answers `--version`. */
export async function isThere(command: string): Promise<boolean> {
  try {
    await runStep({ command: [command, '--version'] });
    return true;
  } catch {
    return false;
  }
}
