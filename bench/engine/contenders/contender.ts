/**
 * What the benchmark measures: a server of OpenAI's chat route that can be started with so many slots
 * of so much context. How each is started is in the files beside this one.
 */

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';

import { isAlive, treeOf } from '../../../test/support/process-tree.ts';
import { waitUntil, within } from '../../../test/support/wait-until.ts';

/** The same for all contenders of a row. */
export interface ServerSetup {
  /** Path of the GGUF file. */
  readonly weights: string;
  readonly threads: number;
  readonly slots: number;
  /** Tokens of each slot. */
  readonly context: number;
}

export interface RunningServer {
  /** The contender's name. */
  readonly name: string;
  readonly url: string;
  /** What requests put in `model`. */
  readonly model: string;
  readonly pid: number;
  /** Fields of a request that keep the model from ending before so many tokens. */
  untilLength(maxTokens: number): Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** Starts the process; answers may have to wait until it is ready (`untilReady`). */
  launch(setup: ServerSetup): Promise<RunningServer>;
}

const startMs = 120_000;

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Both servers answer 200 on `/health` when they are ready, and something else before. */
export async function untilReady(server: RunningServer, pauseMs = 20): Promise<void> {
  const end = performance.now() + startMs;
  while (!(await isHealthy(server.url))) {
    if (!isAlive(server.pid)) throw new Error(`${server.name} ended while it started.`);
    if (performance.now() > end) throw new Error(`${server.name} was not ready in time.`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

export async function startReady(contender: Contender, setup: ServerSetup): Promise<RunningServer> {
  const server = await contender.launch(setup);
  try {
    await untilReady(server);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Ends a process and all that it started; nothing is left even when it does not listen. */
export async function endProcess(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const all = treeOf(pid);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await within('the server to end', ended, 10_000).catch(() => {});
  for (const one of all.filter(isAlive)) process.kill(one, 'SIGKILL');
  await waitUntil('its processes to be gone', () => !all.some(isAlive));
}

/** Peak and present memory of a process with all that it started, in bytes. */
export interface Memory {
  /** Sum of the processes' highest resident sizes; pages that they share count once in each. */
  readonly peakResident: number;
  /** Sum of the proportional sizes at this moment. */
  readonly proportional: number;
}

export function memoryOf(pid: number): Memory {
  let peakResident = 0;
  let proportional = 0;
  for (const one of treeOf(pid)) {
    peakResident += kilobytes(`/proc/${one}/status`, /^VmHWM:\s+(\d+) kB/m);
    proportional += kilobytes(`/proc/${one}/smaps_rollup`, /^Pss:\s+(\d+) kB/m);
  }
  return { peakResident: peakResident * 1024, proportional: proportional * 1024 };
}

function kilobytes(path: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  } catch {
    // A process that ended meanwhile.
    return 0;
  }
}
