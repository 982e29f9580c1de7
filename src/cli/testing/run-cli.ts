/** Runs command lines for tests: in this process with streams of its own, or as a real child. */

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { Io } from '../io.ts';
import { run } from '../program.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether stdout and stderr say that they are terminals. */
  readonly isTTY?: boolean;
}

/** Runs a command line here; nothing of the machine's environment is seen but the path. */
export async function runHere(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    columns: 200,
    write: (text: string) => void (written[name] += text),
  });
  const io: Io = {
    env: { PATH: process.env['PATH'], ...options.env },
    cwd: options.cwd ?? tmpdir(),
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout: output('stdout'),
    stderr: output('stderr'),
  };
  const code = await run(args, io);
  return { code, ...written };
}

export interface CliChild {
  readonly child: ChildProcess;
  /** Resolves when it has ended. */
  readonly ended: Promise<Ran>;
}

const mainPath = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Starts a command line in a process of its own, its streams being pipes. */
export function startChild(args: readonly string[], options: RunOptions = {}): CliChild {
  const child = spawn(process.execPath, [mainPath, ...args], {
    env: { PATH: process.env['PATH'], ...options.env },
    cwd: options.cwd ?? tmpdir(),
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  child.stdin.end(options.stdin ?? '');
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...written }));
  });
  return { child, ended };
}

/** Runs `work` with an empty folder that is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-cli-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
