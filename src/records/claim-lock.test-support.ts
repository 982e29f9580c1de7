/**
 * Another process that wants the home folder in its first argument: prints what came of it, one
 * line, and stays until its standard input ends.
 */

import { openStore } from './open-store.ts';

try {
  const store = await openStore(process.argv[2] ?? '');
  await store.lock.claim({ address: 'http://127.0.0.1:8111' });
  process.stdout.write('claimed\n');
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
}
process.stdin.resume();
