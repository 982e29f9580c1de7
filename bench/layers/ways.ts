/**
 * The ways to the same tokens that are measured in turn: the engine through its client, the server in
 * front of an engine, and the server in front of itself as an external target.
 */

import { startEngine, type Engine } from '../../src/engine/index.ts';
import { defaultEngineOptions } from '../../src/engine/index.ts';
import { readModelMetadata } from '../../src/models/index.ts';
import { compileTemplate } from '../../src/prompt/index.ts';
import { startServer } from '../../test/support/server-process.ts';
import type { SendRequest } from './measure.ts';
import { sendThroughClient } from './through-client.ts';
import { sendThroughHttp } from './through-http.ts';

export interface Way {
  readonly name: string;
  readonly send: SendRequest;
}

export interface Ways {
  readonly ways: readonly Way[];
  readonly engine: Engine;
  close(): Promise<void>;
}

const served = 'smollm2-135m';
const proxied = 'proxied';

export async function openWays(path: string, threads: number | null): Promise<Ways> {
  const { chatTemplate } = await readModelMetadata(path);
  if (chatTemplate === null) throw new Error(`${path} has no chat template to bench with.`);
  const engine = await startEngine({ path, options: { ...defaultEngineOptions, threads } });
  const args = threads === null ? [] : ['--threads', String(threads)];
  const server = await startServer({ args });
  await deployItself(server.url);
  return {
    engine,
    ways: [
      { name: 'engine alone', send: sendThroughClient(engine, compileTemplate(chatTemplate)) },
      { name: 'server', send: sendThroughHttp(server.url, served) },
      { name: 'server, external in front', send: sendThroughHttp(server.url, proxied) },
    ],
    async close() {
      await engine.stop();
      await server.stop();
    },
  };
}

async function deployItself(url: string): Promise<void> {
  const answer = await fetch(`${url}/deploy`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: proxied,
      runtime: 'external',
      base_url: `${url}/v1`,
      model: served,
      options: { parameters: 'all' },
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
