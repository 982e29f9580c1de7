/**
 * A short process that opens the engine's libraries and says what it found, as one line of JSON. It
 * is a process of its own because a library that does not suit the machine may end it outright.
 * Started by `client/probe-library.ts`, and by nothing else.
 */

import { readFileSync } from 'node:fs';

import { asParlanceError } from '../../contract/errors.ts';
import { openGpu } from './gpu-devices.ts';
import { openLibrary } from './library.ts';

function readCpuVariant(): string | null {
  try {
    const maps = readFileSync('/proc/self/maps', 'utf8');
    return /\/libggml-cpu-([\w.]+)\.so/.exec(maps)?.[1] ?? null;
  } catch {
    return null;
  }
}

function probe(): object {
  try {
    const library = openLibrary();
    return {
      opens: true,
      library: library.version(),
      cpuVariant: readCpuVariant(),
      gpu: openGpu(library),
    };
  } catch (error) {
    return { opens: false, message: asParlanceError(error).message };
  }
}

process.stdout.write(`${JSON.stringify(probe())}\n`);
