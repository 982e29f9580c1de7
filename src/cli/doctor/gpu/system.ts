/**
 * What the search for a GPU asks of the machine: programs that name devices, folders that drivers make,
 * and the shared libraries that the loader finds. Tests put another machine in its place.
 */

import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';

export interface GpuSystem {
  readonly platform: string;
  readonly arch: string;
  /** What a program prints, or null when it is not there or fails. */
  run(file: string, args: readonly string[]): Promise<string | null>;
  /** Names in a folder; none when it is not there. */
  list(folder: string): Promise<readonly string[]>;
  /** Folders that `LD_LIBRARY_PATH` names. */
  readonly libraryFolders: readonly string[];
}

const patienceMs = 5000;

export function readSystem(env: Readonly<Record<string, string | undefined>>): GpuSystem {
  return {
    platform: process.platform,
    arch: process.arch,
    run: async (file, args) =>
      await new Promise((resolve) => {
        const options = { timeout: patienceMs, env: { ...env }, encoding: 'utf8' } as const;
        execFile(file, args, options, (error, stdout) => resolve(error === null ? stdout : null));
      }),
    list: async (folder) => await readdir(folder).catch(() => []),
    libraryFolders: (env['LD_LIBRARY_PATH'] ?? '').split(':').filter((folder) => folder !== ''),
  };
}
