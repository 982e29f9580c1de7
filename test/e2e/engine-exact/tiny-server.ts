/** A server that serves tiny random models only: everything about requests, and hardly any time to compute. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { get, jsonOf, type Body } from '../../support/ask.ts';
import { deploy, deploymentUrl } from '../../support/deployments.ts';
import { startServer, type ServerProcess } from '../../support/server-process.ts';
import { writeTinyModel } from '../../support/tiny-models/index.ts';

export interface TinyServer {
  readonly server: ServerProcess;
  /** Removed with it. */
  readonly folder: string;
  stop(): Promise<void>;
}

export interface TinyServerOptions {
  /** Name to options of a deployment of one and the same model. */
  readonly deployments: Readonly<Record<string, Body>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Every token that the vocabulary of the model has, 256 bytes first. */
export const tinyVocabularySize = 315;

export async function startTinyServer(options: TinyServerOptions): Promise<TinyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-tiny-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const path = writeTinyModel(join(folder, 'tiny.gguf'), { architecture: 'llama' });
  const { args = [], env = {} } = options;
  let server: ServerProcess;
  try {
    server = await startServer({ args: ['--model', 'none', ...args], env });
  } catch (error) {
    remove();
    throw error;
  }
  const stop = async (): Promise<void> => {
    await server.stop();
    remove();
  };
  try {
    for (const [name, own] of Object.entries(options.deployments)) {
      await deploy(server, {
        name,
        runtime: 'embedded',
        model: path,
        options: { threads: 1, ...own },
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, folder, stop };
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
