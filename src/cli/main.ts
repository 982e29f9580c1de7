/**
 * Entry of the `parlance` command: the start scripts import it, or run it in Node 24, with the
 * arguments in `process.argv`. It joins the program to this process and holds nothing else.
 */

import { run } from './program.ts';

// A reader that had enough (`parlance models | head -1`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
