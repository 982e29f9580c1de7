/** Starts our own server for the benchmark, as `serve` does, with a home folder of its own. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { cleanEnv, mainScript } from '../../../test/support/server-process.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import {
  endProcess,
  freePort,
  untilReady,
  type Contender,
  type RunningServer,
  type ServerSetup,
} from './contender.ts';

const served = 'benched';

/** The model that the server starts with. */
export function parlance(name = 'Parlance'): Contender {
  return {
    name,
    launch: (setup) => launch(name, ['--model', setup.weights, ...flagsOf(setup)]),
  };
}

/** A model that is deployed with these options beside the shared ones. */
export function parlanceWith(name: string, options: Readonly<Record<string, unknown>>): Contender {
  return {
    name,
    async launch(setup) {
      const server = await launch(name, ['--model', 'none']);
      try {
        await untilReady(server);
        await deploy(server.url, setup, options);
        return { ...server, model: served };
      } catch (error) {
        await server.stop();
        throw error;
      }
    },
  };
}

const flagsOf = ({ threads, slots, context }: ServerSetup): string[] =>
  `--threads ${threads} --slots ${slots} --context ${context}`.split(' ');

/** What `parlance` gives its server. One that the benchmark left behind, being killed, ends by itself. */
function starterEnv(): NodeJS.ProcessEnv {
  const cache = join(dirname(mainScript), '../../node_modules/.cache/parlance');
  return cleanEnv({ PARLANCE_STARTER: String(process.pid), NODE_COMPILE_CACHE: cache });
}

async function launch(name: string, flags: readonly string[]): Promise<RunningServer> {
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), 'parlance-bench-'));
  const child = spawn(
    process.execPath,
    [mainScript, 'serve', '--port', String(port), '--home', home, ...flags],
    { stdio: 'ignore', cwd: home, env: starterEnv() },
  );
  const weights = flags[flags.indexOf('--model') + 1] ?? '';
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    model:
      weights
        .split('/')
        .at(-1)
        ?.replace(/\.gguf$/i, '') ?? '',
    pid: child.pid ?? 0,
    // With ignore_eos end tokens are generated and passed over; with this they get no chance.
    untilLength: (maxTokens) => ({ min_tokens: maxTokens }),
    async stop() {
      await endProcess(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function deploy(
  url: string,
  { weights, threads, slots, context }: ServerSetup,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const answer = await fetch(`${url}/deploy`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: served,
      runtime: 'embedded',
      model: weights,
      options: { threads, slots, context, ...options },
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await waitUntil(
    'the deployment to be ready',
    async () => {
      const view = (await (await fetch(`${url}/deploy/${served}`)).json()) as {
        state: string;
        reason?: string;
      };
      if (view.state === 'failed') throw new Error(view.reason ?? 'the deployment failed');
      return view.state === 'ready';
    },
    60_000,
  );
}
