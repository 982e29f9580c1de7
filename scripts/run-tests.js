/**
 * Starts test/run.ts in Node 24 after the installation is made sure of. `npm test` and
 * `npm run check` call it. Runs in Node 20 and newer, with Node's own modules alone.
 */

import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { ensureInstalled } from './install.js';
import { node24, reportSetupErrors, root } from './node.js';

/** @param {string[]} args of test/run.ts */
export async function runTests(args) {
  await reportSetupErrors(async () => {
    await ensureInstalled({ dev: true });
    const run = join(root, 'test', 'run.ts');
    const child = spawn(node24(), [run, ...args], { stdio: 'inherit', cwd: root });
    process.exitCode = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  });
}
