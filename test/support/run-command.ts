/** Runs one command to its end with a time limit, for the test runner. */

import { spawn } from 'node:child_process';

export interface CommandResult {
  readonly code: number;
  /** stdout and stderr, in the order in which they came; empty when they were inherited. */
  readonly output: string;
  readonly seconds: number;
  readonly timedOut: boolean;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Show what the command writes at once, in place of keeping it. */
  readonly live?: boolean;
}

/** Never rejects: what cannot be started ends with code 127. A signal counts as 128. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const started = performance.now();
  const chunks: Buffer[] = [];
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: options.live === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, options.timeoutMs);
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      resolve(127);
    });
    child.once('close', (status) => resolve(status ?? 128));
  });
  clearTimeout(timer);
  const seconds = (performance.now() - started) / 1000;
  return { code, output: Buffer.concat(chunks).toString('utf8'), seconds, timedOut };
}
