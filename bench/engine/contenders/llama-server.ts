/** Starts llama-server as the benchmark's rival: its own defaults but for what all contenders share. */

import { spawn } from 'node:child_process';

import { endProcess, freePort, type Contender, type ServerSetup } from './contender.ts';

/**
 * @param name of the contender
 * @param path of the program
 * @param extra flags after those that all contenders share
 */
export function llamaServer(name: string, path: string, extra: readonly string[] = []): Contender {
  return {
    name,
    async launch(setup) {
      const port = await freePort();
      const flags = ['-m', setup.weights, '--port', String(port), ...flagsOf(setup), ...extra];
      const child = spawn(path, flags, { stdio: 'ignore' });
      return {
        name,
        url: `http://127.0.0.1:${port}`,
        model: 'benched',
        pid: child.pid ?? 0,
        // It gives the end tokens no chance then.
        untilLength: () => ({ ignore_eos: true }),
        stop: () => endProcess(child),
      };
    },
  };
}

/** With a number of slots given, llama-server keeps a cache of its own for each, as we do. */
function flagsOf({ threads, slots, context }: ServerSetup): string[] {
  const cores = `-t ${threads} -tb ${threads}`;
  return `${cores} -np ${slots} -c ${slots * context} -a benched --no-slots`.split(' ');
}
