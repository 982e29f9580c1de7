/**
 * A server of the chat's own, for when none is running: a child process on a free port, silent, that
 * ends with the chat. It is a process group of its own, because a terminal sends Ctrl-C to the whole
 * group and that must stop the answer, not the server.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { ParlanceError } from '../../contract/index.ts';

export interface OwnServer {
  readonly url: string;
  /** Ends the server; resolves when it is gone. */
  stop(): Promise<void>;
}

export interface OwnServerOptions {
  /** For `parlance serve`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The script that is run instead of the CLI; for tests. */
  readonly script?: string;
}

const keptOutput = 4000;

/**
 * Starts `parlance serve` and waits until it says that it is ready.
 * @throws ParlanceError with the last lines that the server wrote, when it ends before that
 */
export async function startOwnServer(options: OwnServerOptions): Promise<OwnServer> {
  const script = options.script ?? fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, [script, 'serve', '--port', '0', ...options.args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // The server watches its starter, so it ends even when this process is killed outright.
    env: { ...options.env, PARLANCE_READY_FD: '3', PARLANCE_STARTER: String(process.pid) },
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const kill = (): void => void child.kill('SIGTERM');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    kill();
    await gone;
    process.removeListener('exit', kill);
  };
  try {
    const url = await readReady(child, gone, options.signal);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readReady(
  child: ChildProcess,
  gone: Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  const said = collect(child.stderr);
  const ready = readFirstLine(child.stdio[3] as Readable);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  signal.throwIfAborted();
  const line = await Promise.race([ready, gone.then(() => null), aborted]);
  const url = line === null ? null : toUrl(line);
  if (url !== null) return url;
  const lines = said().trim();
  throw new ParlanceError(
    'upstream_failed',
    `No server was running, and one could not be started for this chat.\n${lines || 'It ended without a word.'}`,
  );
}

function collect(stream: Readable | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-keptOutput);
  });
  return () => text;
}

/** null when the stream breaks; the end of the process is for the caller to notice. */
async function readFirstLine(stream: Readable): Promise<string | null> {
  let text = '';
  stream.setEncoding('utf8');
  return await new Promise((resolve) => {
    stream.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    stream.once('error', () => resolve(null));
  });
}

function toUrl(line: string): string | null {
  try {
    const { url } = JSON.parse(line) as { url?: unknown };
    return typeof url === 'string' ? url.replace(/\/+$/, '') : null;
  } catch {
    return null;
  }
}
