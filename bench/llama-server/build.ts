/**
 * Builds llama-server once, from the sources inside the npm package node-llama-cpp of the same version
 * as the libraries that our engine calls, so that both servers compute with the same llama.cpp. The
 * result stays in a cache folder outside the repository.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { findTools } from './find-tools.ts';
import { runStep } from './run-step.ts';

export interface LlamaServer {
  readonly path: string;
  /** Version of the npm package whose sources it was built from. */
  readonly version: string;
}

/** No web page, no HTTPS and no other programs; everything else as llama.cpp has it by default. */
const settings = [
  'CMAKE_BUILD_TYPE=Release',
  'BUILD_SHARED_LIBS=OFF',
  'GGML_NATIVE=ON',
  'LLAMA_OPENSSL=OFF',
  'LLAMA_BUILD_UI=OFF',
  'LLAMA_USE_PREBUILT_UI=OFF',
  'LLAMA_BUILD_TESTS=OFF',
  'LLAMA_BUILD_EXAMPLES=OFF',
  'LLAMA_BUILD_APP=OFF',
];

/** The folder for what is built: `PARLANCE_BENCH_CACHE`, else `~/.cache/parlance-bench`. */
export function cacheFolder(): string {
  return resolve(
    process.env['PARLANCE_BENCH_CACHE'] ?? join(homedir(), '.cache', 'parlance-bench'),
  );
}

/** @throws Error that says what is missing, or the end of what the failed command wrote */
export async function ensureLlamaServer(
  log: (text: string) => void = (text) => console.error(text),
): Promise<LlamaServer> {
  const version = libraryVersion();
  const cache = cacheFolder();
  const path = join(cache, `llama-server-${version}`);
  if (existsSync(path)) return { path, version };
  mkdirSync(cache, { recursive: true });
  const tools = await findTools(cache, log);
  const work = join(cache, `llama.cpp-${version}`);
  if (!existsSync(join(work, 'source', 'CMakeLists.txt'))) await fetchSources(version, work, log);
  const begin = Date.now();
  log('building llama-server; this takes about 5 minutes on 2 cores, once');
  const build = join(work, 'build');
  await runStep({
    command: [
      tools.cmake,
      `-S${join(work, 'source')}`,
      `-B${build}`,
      ...(tools.ninja === null ? [] : ['-G', 'Ninja', `-DCMAKE_MAKE_PROGRAM=${tools.ninja}`]),
      ...settings.map((setting) => `-D${setting}`),
    ],
  });
  const jobs = String(availableParallelism());
  await runStep({
    command: [tools.cmake, '--build', build, '--target', 'llama-server', '-j', jobs],
    onLine: progressOf(log),
  });
  // A copy and a rename: a build that was cut short is never taken for a whole one.
  copyFileSync(join(build, 'bin', 'llama-server'), `${path}.part`);
  renameSync(`${path}.part`, path);
  rmSync(build, { recursive: true });
  log(`built in ${Math.round((Date.now() - begin) / 1000)} s: ${path}`);
  return { path, version };
}

/** The version of the libraries that our engine calls. */
function libraryVersion(): string {
  const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  const version = own.optionalDependencies['@node-llama-cpp/linux-x64'];
  if (version === undefined) throw new Error('package.json names no @node-llama-cpp/linux-x64.');
  return version;
}

async function fetchSources(
  version: string,
  work: string,
  log: (text: string) => void,
): Promise<void> {
  log(`fetching the sources of llama.cpp (node-llama-cpp ${version}, 36 MB)`);
  const scratch = `${work}.part`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  await runStep({
    command: ['npm', 'pack', `node-llama-cpp@${version}`, '--pack-destination', scratch],
    cwd: scratch,
  });
  const bundle = 'package/llama/gitRelease.bundle';
  const archive = `node-llama-cpp-${version}.tgz`;
  await runStep({ command: ['tar', 'xzf', archive, bundle], cwd: scratch });
  await runStep({ command: ['git', 'clone', '--quiet', bundle, 'source'], cwd: scratch });
  rmSync(join(scratch, 'package'), { recursive: true });
  rmSync(join(scratch, archive));
  rmSync(work, { recursive: true, force: true });
  renameSync(scratch, work);
}

/** Tells every tenth part of the build, from ninja's `[3/250]` or make's `[ 12%]`. */
function progressOf(log: (text: string) => void): (line: string) => void {
  let told = 0;
  return (line) => {
    const found = /^\[\s*(\d+)(?:\/(\d+)|%)\]/.exec(line);
    if (found === null) return;
    const percent = (Number(found[1]) / Number(found[2] ?? 100)) * 100;
    if (percent < told + 10) return;
    told = Math.floor(percent / 10) * 10;
    log(`building llama-server: ${told}%`);
  };
}
