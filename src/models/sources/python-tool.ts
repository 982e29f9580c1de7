/**
 * Runs the machine's own Python installer as a child in its own process group. It only starts,
 * watches and ends the child; what is asked of it is in `pypi-wheel.ts`. A child that makes nothing
 * for a while is ended, and so is one whose caller gives up.
 */

import { spawn, type ChildProcess } from 'node:child_process';

import type { Environment } from './source.ts';

export interface ToolRun {
  readonly command: readonly [string, ...string[]];
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Looks at the child's work about four times a second; gives a number that grows while it works. */
  readonly watch: () => Promise<number>;
  readonly stallMs: number;
}

export type ToolResult =
  | { readonly kind: 'done' }
  /** The tool is not on this machine, or is only a stub. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly why: string };

const pollMs = 250;
const keptOutput = 16_384;

/** @throws the signal's reason when it is aborted; everything else is a result. */
export async function runTool(run: ToolRun): Promise<ToolResult> {
  run.signal.throwIfAborted();
  const [file, ...args] = run.command;
  const child = spawn(file, args, {
    cwd: run.cwd,
    env: { ...run.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = collectOutput(child);
  const ending = watchChild(child, run);
  try {
    return await new Promise<ToolResult>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        resolve(
          error.code === 'ENOENT' || error.code === 'EACCES'
            ? { kind: 'absent' }
            : { kind: 'failed', why: error.message },
        );
      });
      child.once('close', (code) => {
        if (run.signal.aborted) reject(run.signal.reason as Error);
        else resolve(toResult(code, output(), ending.stalled()));
      });
    });
  } finally {
    ending.stop();
  }
}

function toResult(code: number | null, output: string, stalledMs: number | null): ToolResult {
  if (code === 0) return { kind: 'done' };
  if (stalledMs !== null) {
    return { kind: 'failed', why: `it made no progress for ${stalledMs / 1000} s and was ended` };
  }
  const isStub =
    /No module named '?"?pip|command not found|No such command|not found in PATH/i.test(output);
  if (code === 127 || isStub) return { kind: 'absent' };
  const network = unreachableIndex(output);
  if (network !== null) return { kind: 'failed', why: network };
  return {
    kind: 'failed',
    why: lastError(output) ?? `it ended with exit code ${code ?? 'of a signal'}`,
  };
}

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-keptOutput);
    });
  }
  return () => text;
}

interface Ending {
  stop(): void;
  /** Milliseconds of patience, when the child was ended for making nothing. */
  stalled(): number | null;
}

/** Ends the whole group: on abort, on a stall, and when this process exits. */
function watchChild(child: ChildProcess, run: ToolRun): Ending {
  let stalled = false;
  let lastSize = -1;
  let lastChange = performance.now();
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };
  const look = async (): Promise<void> => {
    const size = await run.watch();
    const now = performance.now();
    if (size !== lastSize) [lastSize, lastChange] = [size, now];
    if (now - lastChange < run.stallMs) return;
    stalled = true;
    kill();
  };
  const timer = setInterval(() => {
    look().catch(() => {});
  }, pollMs);
  run.signal.addEventListener('abort', kill);
  process.once('exit', kill);
  return {
    stop() {
      clearInterval(timer);
      run.signal.removeEventListener('abort', kill);
      process.removeListener('exit', kill);
    },
    stalled: () => (stalled ? run.stallMs : null),
  };
}

/** pip ends with "no matching distribution" when the network is at fault; its warnings tell. */
function unreachableIndex(output: string): string | null {
  const broken = /connection broken by '(\w+)/.exec(output)?.[1];
  if (broken === undefined) return null;
  const system = /\[Errno -?\d+\] ([^'")]+)/.exec(output)?.[1];
  return `its package index cannot be reached (${system ?? broken})`;
}

/** The line that says what went wrong, with logins cut out of addresses. */
function lastError(output: string): string | null {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const named = lines.filter((line) =>
    /^(error|fatal|.{0,3}caused by)\b|no solution found/i.test(line),
  );
  const line = /No space left on device/.exec(output)?.[0] ?? named.at(-1) ?? lines.at(-1);
  return line?.replaceAll(/\/\/[^/@\s]+@/g, '//***@').slice(0, 300) ?? null;
}
