/**
 * A virtual environment with the pinned `openai` package, for the Python examples. Where there is
 * no usable Python the tests that need it are skipped, and the reason is shown.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

export type Python = { readonly path: string } | { readonly missing: string };

const requirements = 'test/requirements.txt';

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

export async function preparePython(root: string): Promise<Python> {
  const folder = join(root, '.cache', 'python');
  const path = join(folder, 'bin', 'python');
  const stamp = join(folder, 'requirements.txt');
  const wanted = readFileSync(join(root, requirements), 'utf8');
  if (existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
    return { path };
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, '.cache'), { recursive: true });
  const run = (command: string, ...args: string[]) =>
    runCommand(command, args, { cwd: root, timeoutMs: 300_000 });
  const made = await run('python3', '-m', 'venv', folder);
  if (made.code !== 0) return { missing: `python3 -m venv: ${lastLine(made.output)}` };
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    requirements,
  ];
  const installed = await run(path, ...pip);
  if (installed.code !== 0) return { missing: `pip install: ${lastLine(installed.output)}` };
  writeFileSync(stamp, wanted);
  return { path };
}
