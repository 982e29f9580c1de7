#!/usr/bin/env node
/**
 * The `parlance` command. Runs in Node 20 and newer, goes on in Node 24, and installs nothing.
 */

import { missingPackages } from '../scripts/install.js';
import { reportSetupErrors, SetupError } from '../scripts/node.js';
import { runMain } from '../scripts/run-main.js';

await reportSetupErrors(async () => {
  if (missingPackages(false).length > 0) {
    throw new SetupError('packages are missing or out of date; run "npm ci" or "npm start" first.');
  }
  await runMain(process.argv.slice(2));
});
