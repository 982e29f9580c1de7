/**
 * A server with deployments of one model, which may be restarted. The model is a tiny random one unless
 * another is given: everything about requests, and hardly any time to compute.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { get, jsonOf, type Body } from '../../support/ask.ts';
import { deploy, deploymentUrl, waitForState } from '../../support/deployments.ts';
import { startServer, type ServerProcess } from '../../support/server-process.ts';
import { writeTinyModel } from '../../support/tiny-models/index.ts';

export interface TinyServer {
  readonly server: ServerProcess;
  /** Removed with it. */
  readonly folder: string;
  /** `between` runs while there is no server. */
  restart(between?: () => void): Promise<void>;
  stop(): Promise<void>;
}

export interface TinyServerOptions {
  /** Default: a tiny one. */
  readonly model?: string;
  /** Name to options of a deployment of the model. */
  readonly deployments: Readonly<Record<string, Body>>;
  /** Flags, made from the folder of the server. */
  readonly args?: (folder: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Tokens of the model; 256 bytes come first. */
export const tinyVocabularySize = 315;

export async function startTinyServer(options: TinyServerOptions): Promise<TinyServer> {
  const { args = () => [], env = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'parlance-tiny-'));
  const path =
    options.model ?? writeTinyModel(join(folder, 'tiny.gguf'), { architecture: 'llama' });
  const home = join(folder, 'home');
  mkdirSync(home);
  const names = Object.keys(options.deployments);
  const start = () => startServer({ home, args: ['--model', 'none', ...args(folder)], env });
  let server: ServerProcess | null = null;
  const stop = async (): Promise<void> => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const now = (): ServerProcess => {
    if (server === null) throw new Error('there is no server');
    return server;
  };
  try {
    server = await start();
    for (const [name, own] of Object.entries(options.deployments)) {
      const settings = options.model === undefined ? { threads: 1, ...own } : own;
      await deploy(server, { name, runtime: 'embedded', model: path, options: settings });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get server() {
      return now();
    },
    folder,
    restart: async (between = () => {}) => {
      await now().stop();
      server = null;
      between();
      server = await start();
      for (const name of names) await waitForState(server, name, 'ready');
    },
    stop,
  };
}

export interface EngineView {
  readonly pid: number;
  readonly adapters: readonly string[];
  readonly stats: {
    readonly slots_taken: number;
    readonly parked_bytes: number;
    readonly held_contexts: number;
    readonly held_bytes: number;
    readonly draft_tokens: number;
    readonly preemptions: number;
  } | null;
}

/** What `GET /deploy/{name}` says of its engine. */
export async function engineOf(
  server: { readonly url: string },
  name: string,
): Promise<EngineView> {
  return jsonOf<{ engine: EngineView }>(await get(deploymentUrl(server, name))).engine;
}
