/** `npm run check`: format, lint, types and unit tests, in under a minute. Runs in Node 20. */

import { runTests } from './run-tests.js';

await runTests(['--check']);
