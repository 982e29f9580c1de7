/**
 * The real server for tests, as a child process: on a free port, with a home folder of its own that
 * holds the model already. Whatever a test does, `stop` leaves no process and no folder behind.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { catalogue, defaultModel } from '../../src/models/index.ts';
import { isAlive, treeOf } from './process-tree.ts';
import { waitUntil, within } from './wait-until.ts';

export const root = resolve(import.meta.dirname, '..', '..');
export const mainScript = join(root, 'src', 'cli', 'main.ts');

const startMs = 60_000;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerOptions {
  /** Flags after `serve --port 0`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A home folder that outlives the server; made by `makeHome`. */
  readonly home?: string;
  /** Whether to wait until `/health` says ready. Default true. */
  readonly ready?: boolean;
  /** What runs the server, with its command and arguments after it. Default: nothing around it. */
  readonly wrapper?: readonly string[];
}

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly home: string;
  /** Of the process that was spawned: the wrapper's, where there is one. */
  readonly pid: number;
  /** All that it has written so far. */
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ending>;
  signal(name: NodeJS.Signals): void;
  /** Ends it in order and removes its home. */
  stop(): Promise<Ending>;
}

/** The file of the default model. */
export function testModel(): string {
  const path = process.env['PARLANCE_TEST_MODEL'];
  if (path === undefined || path === '') {
    throw new Error('set PARLANCE_TEST_MODEL to the file of the default model');
  }
  return resolve(path);
}

/** The file name under which the home folder holds the default model. */
export const modelFileName =
  catalogue.find((entry) => entry.name === defaultModel)?.file ?? 'default.gguf';

/** A home folder in which the default model lies already, as a second name of the same file. */
export function makeHome(): string {
  // Before there is a folder to leave behind.
  testModel();
  const home = mkdtempSync(join(tmpdir(), 'parlance-home-'));
  mkdirSync(join(home, 'models'));
  linkModel(join(home, 'models', modelFileName));
  return home;
}

/** The test model under another name; its own bytes are never touched. */
export function linkModel(path: string): void {
  try {
    linkSync(testModel(), path);
  } catch {
    symlinkSync(testModel(), path);
  }
}

/** The environment of a server under test: nothing of the user's own settings reaches it. */
export function cleanEnv(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PARLANCE_') && name !== 'NODE_TEST_CONTEXT',
  );
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...extra };
}

function collect(stream: Readable | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Settles with the first line of fd 3; never when the process ends before. */
function readReadyLine(child: ChildProcess): Promise<string> {
  const stream = child.stdio[3] as Readable;
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  stream.on('error', () => {});
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\n');
    if (end >= 0) resolve((JSON.parse(text.slice(0, end)) as { url: string }).url);
  });
  return promise;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ending>;
}

/** Starts `parlance serve`; does not wait for anything. */
export function spawnServer(home: string, options: ServerOptions = {}): Spawned {
  const { wrapper = [], args = [], env = {} } = options;
  const ours = [mainScript, 'serve', '--port', '0', '--home', home, ...args];
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, ...ours];
  const child = spawn(command, rest, {
    cwd: home,
    // A server that the tests left behind, because they were killed, ends by itself.
    env: cleanEnv({ PARLANCE_READY_FD: '3', PARLANCE_STARTER: String(process.pid), ...env }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<Ending>();
  child.once('error', reject);
  child.once('exit', (code, signal) => resolve({ code, signal }));
  return { child, ended, stdout: collect(child.stdout), stderr: collect(child.stderr) };
}

/** @throws with what the server wrote when it ends before it is ready */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const home = options.home ?? makeHome();
  const { child, ended, stdout, stderr } = spawnServer(home, options);
  const pid = child.pid ?? 0;
  const stop = async (): Promise<Ending> => {
    const all = treeOf(pid);
    child.kill('SIGTERM');
    try {
      return await within('the server to end', ended, 30_000);
    } finally {
      for (const one of all.filter(isAlive)) process.kill(one, 'SIGKILL');
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    }
  };
  try {
    const died = ended.then(({ code, signal }) => {
      throw new Error(`the server ended with ${signal ?? code}: ${stderr()}`);
    });
    const url = await within(
      'the server to be ready',
      Promise.race([readReadyLine(child), died]),
      startMs,
    );
    died.catch(() => {});
    if (options.ready !== false) await waitForHealth(url);
    const signal = (name: NodeJS.Signals): void => void child.kill(name);
    const port = Number(new URL(url).port);
    return { url, port, home, pid, stdout, stderr, ended, signal, stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

export async function waitForHealth(url: string): Promise<void> {
  await waitUntil(
    'the server to be healthy',
    async () => (await fetch(`${url}/health`)).status === 200,
    startMs,
  );
}
