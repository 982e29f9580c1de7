/**
 * Goes on with `src/cli/main.ts` in Node 24: in this process when it is new enough, else in a child.
 * `npm start` and `bin/parlance.js` call it. Signals: a terminal signals the whole group, so the child
 * already has a Ctrl-C and it is not passed on; SIGTERM comes to this process alone and is.
 */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { node24, root, runsInPlace } from './node.js';
import { starterPids } from './starter-pids.js';

const main = join(root, 'src', 'cli', 'main.ts');

/** @param {string[]} args for the CLI, such as `['serve', '--port', '9000']`. */
export async function runMain(args) {
  const inPlace = runsInPlace();
  const node = node24();
  const starter = starterPids({ self: !inPlace });
  const env = {
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'parlance'),
    ...process.env,
    PARLANCE_STARTER: starter.join(','),
  };
  if (inPlace) await runInPlace(args, env);
  else await runInChild(node, args, env);
}

async function runInPlace(args, env) {
  const { default: nodeModule } = await import('node:module');
  nodeModule.enableCompileCache?.(env.NODE_COMPILE_CACHE);
  Object.assign(process.env, env);
  process.argv = [process.execPath, main, ...args];
  await import(pathToFileURL(main).href);
}

async function runInChild(node, args, env) {
  const child = spawn(node, [main, ...args], { stdio: 'inherit', env });
  const ignore = () => {};
  const passOn = () => child.kill('SIGTERM');
  process.on('SIGINT', ignore);
  process.on('SIGQUIT', ignore);
  process.on('SIGTERM', passOn);
  const { code, signal, error } = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
  });
  if (error !== null) throw error;
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
}
