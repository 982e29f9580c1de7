/**
 * Where the shared libraries of llama.cpp lie on this machine: the ones that the engine opens, and the
 * library for a GPU where somebody installed one. `library.ts` opens what is found here; `parlance
 * doctor` asks which packages there are. It opens nothing itself.
 */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ParlanceError } from '../../contract/errors.ts';

/** The version of llama.cpp that these bindings were written for. */
export const libraryVersion = '0.5.0';

/** The version of the packages that carry it; a GPU package of another version is not used. */
export const packageVersion = '3.22.1';

export type GpuApi = 'cuda' | 'vulkan';

/** A package that brings a GPU to the engine. */
export interface GpuPackage {
  readonly name: string;
  readonly api: GpuApi;
  /** Path of the one file that is loaded, inside the package. */
  readonly library: string;
  /** Shared libraries that the machine itself must have, beside the driver. */
  readonly needs: readonly string[];
  /** Of the package as it is fetched. */
  readonly downloadBytes: number;
}

/** In the order in which they are tried. Other systems than Linux on x64 have none. */
export const gpuPackages: readonly GpuPackage[] = [
  {
    name: '@node-llama-cpp/linux-x64-cuda',
    api: 'cuda',
    library: 'bins/linux-x64-cuda/libggml-cuda.so',
    needs: ['libcuda.so.1', 'libcudart.so.13', 'libcublas.so.13'],
    downloadBytes: 142_900_000,
  },
  {
    name: '@node-llama-cpp/linux-x64-cuda-ext',
    api: 'cuda',
    library: 'bins/linux-x64-cuda/fallback/libggml-cuda.so',
    needs: ['libcuda.so.1', 'libcudart.so.12', 'libcublas.so.12'],
    downloadBytes: 176_700_000,
  },
  {
    name: '@node-llama-cpp/linux-x64-vulkan',
    api: 'vulkan',
    library: 'bins/linux-x64-vulkan/libggml-vulkan.so',
    needs: ['libvulkan.so.1'],
    downloadBytes: 24_300_000,
  },
];

export interface GpuLibrary {
  readonly package: string;
  readonly api: GpuApi;
  /** Folder of the library. */
  readonly folder: string;
  /**
   * The library itself, for `ggml_backend_load` once the base libraries are open. Not to be loaded by
   * folder: the folder has CPU kernels too, and the processor would be there twice.
   */
  readonly library: string;
}

export interface LibraryFolders {
  /** libggml, libllama and the kernels for processors. Opened first. */
  readonly base: string;
  /** Installed GPU libraries, the best first; the first one that loads is used. */
  readonly gpu: readonly GpuLibrary[];
}

/** Throws `machine_unsupported` when there is no library for this machine. */
export function findLibraryFolders(): LibraryFolders {
  return { base: findBase(), gpu: findGpuLibraries() };
}

/**
 * The folder that `parlance doctor --gpu --install` installs into: outside the project's own
 * `node_modules`, which every `npm ci` empties. `PARLANCE_GPU_DIR` names another one.
 */
export function gpuFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['PARLANCE_GPU_DIR'] ?? '';
  return named === ''
    ? join(env['HOME'] || homedir(), '.cache', 'parlance', 'gpu')
    : resolve(named);
}

/** The GPU libraries of the right version, in the project's own packages or in `gpuFolder()`. */
export function findGpuLibraries(folder: string = gpuFolder()): GpuLibrary[] {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  return gpuPackages.flatMap(({ name, api, library }) => {
    const found = [ownPackage(name), join(folder, 'node_modules', name)].find(
      (root) => root !== null && isWhole(root, library),
    );
    if (found === undefined || found === null) return [];
    const path = join(found, library);
    return [{ package: name, api, folder: join(path, '..'), library: path }];
  });
}

function isWhole(root: string, library: string): boolean {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version?: unknown;
    };
    return version === packageVersion && existsSync(join(root, library));
  } catch {
    return false;
  }
}

/** The root of a package among the project's own, or null. */
function ownPackage(name: string): string | null {
  try {
    return fileURLToPath(new URL('..', import.meta.resolve(name)));
  } catch {
    return null;
  }
}

function findBase(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@node-llama-cpp/${platform}`;
  const root = ownPackage(name);
  if (root === null) {
    throw new ParlanceError(
      'machine_unsupported',
      `There is no engine library for ${platform} (package ${name} is not installed). ` +
        'Linux on x64 and arm64 with glibc is supported; elsewhere use an external deployment.',
    );
  }
  const folder = join(root, 'bins', platform);
  if (existsSync(join(folder, `libllama.v${libraryVersion}.so`))) return folder;
  throw new ParlanceError(
    'machine_unsupported',
    `Package ${name} does not hold llama.cpp ${libraryVersion}; reinstall with "npm ci".`,
  );
}
