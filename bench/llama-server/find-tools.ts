/** Finds what a build needs: git, a C++ compiler, cmake and, if there is one, ninja. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isThere, runStep } from './run-step.ts';

export interface Tools {
  readonly cmake: string;
  /** Null: make is used. */
  readonly ninja: string | null;
}

const hint = 'Debian and Ubuntu: apt-get install git g++ cmake ninja-build';

/**
 * cmake comes from the machine, else from PyPI into a folder of the cache.
 * @throws Error that says what is missing and how to get it
 */
export async function findTools(cache: string, log: (text: string) => void): Promise<Tools> {
  if (!(await isThere('git'))) throw new Error(`git is not installed. ${hint}`);
  const compilers = [process.env['CXX'] ?? 'c++', 'g++', 'clang++'];
  const found = await Promise.all(compilers.map(isThere));
  if (!found.includes(true)) throw new Error(`No C++ compiler is installed. ${hint}`);
  if (await isThere('cmake')) {
    return { cmake: 'cmake', ninja: (await isThere('ninja')) ? 'ninja' : null };
  }
  return installFromPyPi(cache, log);
}

async function installFromPyPi(cache: string, log: (text: string) => void): Promise<Tools> {
  const folder = join(cache, 'build-tools');
  const cmake = join(folder, 'bin', 'cmake');
  if (!existsSync(cmake)) {
    log('cmake is not installed; fetching cmake and ninja from PyPI');
    try {
      await runStep({ command: ['python3', '-m', 'venv', folder] });
      await runStep({
        command: [join(folder, 'bin', 'pip'), 'install', '--quiet', 'cmake', 'ninja'],
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`cmake is not installed and did not come from PyPI. ${hint}\n${why}`, {
        cause: error,
      });
    }
  }
  return { cmake, ninja: join(folder, 'bin', 'ninja') };
}
