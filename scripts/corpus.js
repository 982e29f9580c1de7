/** `npm run corpus`: every case of the corpora, also those that `npm test` leaves out. Runs in Node 20. */

import { runTests } from './run-tests.js';

await runTests(['--corpus']);
