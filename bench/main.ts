/** `npm run bench -- NAME [options]`: runs one benchmark; each writes its figures to `bench/results/`. */

import { runEngineBench } from './engine/index.ts';

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  engine: runEngineBench,
};

const [name = '', ...args] = process.argv.slice(2);
const run = benches[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [options]`);
  process.exitCode = 2;
} else {
  await run(args);
}
