/** `npm test`: the checks, then every test there is, with all the set-up they need. Runs in Node 20. */

import { runTests } from './run-tests.js';

await runTests([]);
