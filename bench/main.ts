/** `npm run bench -- NAME [options]`: runs one benchmark; each writes its figures to `bench/results/`. */

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  engine: async (args) => (await import('./engine/index.ts')).runEngineBench(args),
  sampler: async () => (await import('./sampler/index.ts')).runSamplerBench(),
  constraint: async (args) => (await import('./constraint/index.ts')).runConstraintBench(args),
  layers: async (args) => (await import('./layers/index.ts')).runLayersBench(args),
  templates: async () => (await import('./templates/index.ts')).runTemplatesBench(),
  /** No figures: builds the server that the engine is measured beside, and tells where it lies. */
  'llama-server': async () => {
    const { ensureLlamaServer } = await import('./llama-server/build.ts');
    console.log((await ensureLlamaServer()).path);
  },
};

const [name = '', ...args] = process.argv.slice(2);
const run = benches[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [options]`);
  process.exitCode = 2;
} else {
  await run(args);
}
