/** Format, lint and types over the whole repository: the part of a check that runs no test. */

import { join } from 'node:path';
import { runCommand } from './run-command.ts';

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface StepResult {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

export const staticSteps: readonly Step[] = [
  { name: 'format', command: 'oxfmt', args: ['--check'] },
  { name: 'lint', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
];

export async function runStep(step: Step, root: string): Promise<StepResult> {
  const command = join(root, 'node_modules', '.bin', step.command);
  const { code, output, seconds } = await runCommand(command, step.args, {
    cwd: root,
    timeoutMs: 300_000,
  });
  return { name: step.name, passed: code === 0, seconds, output };
}
