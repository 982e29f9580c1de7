/**
 * `npm start`: installs what is missing, then serves in Node 24. Runs in Node 20 and newer.
 */

import { ensureInstalled } from './install.js';
import { reportSetupErrors } from './node.js';
import { runMain } from './run-main.js';

await reportSetupErrors(async () => {
  await ensureInstalled({ dev: false });
  await runMain(['serve', ...process.argv.slice(2)]);
});
