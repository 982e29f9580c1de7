/** `npm run bench -- NAME [options]`: runs one benchmark; each writes its figures to `bench/results/`. */

import { runEngineBench } from './engine/index.ts';
import { runLayersBench } from './layers/index.ts';
import { ensureLlamaServer } from './llama-server/build.ts';

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  engine: runEngineBench,
  layers: runLayersBench,
  /** No figures: builds the server that the engine is measured beside, and tells where it lies. */
  'llama-server': async () => console.log((await ensureLlamaServer()).path),
};

const [name = '', ...args] = process.argv.slice(2);
const run = benches[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [options]`);
  process.exitCode = 2;
} else {
  await run(args);
}
