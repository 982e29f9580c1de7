/**
 * Installs a GPU package with npm, in its pinned version, into a folder of its own: what is put into the
 * project's `node_modules` by hand is gone after the next `npm ci`.
 */

import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';

import { ParlanceError } from '../../../contract/index.ts';
import { gpuFolder, packageVersion, type GpuPackage } from '../../../engine/index.ts';
import { formatBytes } from '../../../models/index.ts';
import type { Io } from '../../io.ts';

/** How a program is run: its output goes to the user; the exit code comes back. */
export type RunProgram = (file: string, args: readonly string[]) => Promise<number>;

/** The exit code of a program that could not be started. */
const notThere = 127;

/** What npm is asked for. */
export function installCommand(name: string, folder: string): readonly string[] {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
  return ['install', '--prefix', folder, ...quiet, '--save-exact', `${name}@${packageVersion}`];
}

/** @throws ParlanceError `machine_unsupported` with the command that failed */
export async function installGpu(
  name: string,
  io: Pick<Io, 'env' | 'stderr'>,
  run: RunProgram = runProgram(io),
): Promise<string> {
  const folder = gpuFolder({ ...io.env });
  await mkdir(folder, { recursive: true });
  const args = installCommand(name, folder);
  io.stderr.write(`npm ${args.join(' ')}\n`);
  const code = await run('npm', args);
  if (code === 0) return folder;
  const how = code === notThere ? 'there is no npm' : `npm ended with ${code}`;
  throw new ParlanceError(
    'machine_unsupported',
    `${name} could not be installed (${how}). By hand: npm ${args.join(' ')}`,
  );
}

/** Asks on a terminal; without one the answer is no. */
export async function agrees(io: Io, found: GpuPackage): Promise<boolean> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) return false;
  const size = formatBytes(found.downloadBytes);
  io.stderr.write(
    `Install ${found.name} (fetches ${size}) into ${gpuFolder({ ...io.env })}? [y/N] `,
  );
  for await (const line of io.stdin) return /^y(?:es)?$/i.test(String(line).trim());
  return false;
}

/** npm's words go to stderr: stdout belongs to the report. */
function runProgram(io: Pick<Io, 'env' | 'stderr'>): RunProgram {
  return async (file, args) =>
    await new Promise((resolve) => {
      const child = spawn(file, args, { env: { ...io.env }, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => io.stderr.write(chunk.toString('utf8')));
      }
      child.on('error', () => resolve(notThere));
      child.on('close', (code) => resolve(code ?? 1));
    });
}
