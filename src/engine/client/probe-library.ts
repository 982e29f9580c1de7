/**
 * Whether the engine's libraries open on this machine, found out in a child process: a crash there
 * is an answer, not an accident. `parlance doctor` asks; starting an engine does not need it.
 */

import { execFile } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { GpuState } from '../llama/gpu-devices.ts';

export type LibraryProbe =
  | {
      readonly opens: true;
      /** Version of llama.cpp. */
      readonly library: string;
      /** The build of the kernels that was picked for this CPU, such as `haswell`. */
      readonly cpuVariant: string | null;
      readonly gpu: GpuState;
    }
  | { readonly opens: false; readonly message: string };

const patienceMs = 20_000;

/** Never throws: whatever goes wrong is the finding. */
export async function probeLibrary(): Promise<LibraryProbe> {
  const script = fileURLToPath(
    new URL(`../llama/probe${extname(import.meta.filename)}`, import.meta.url),
  );
  return await new Promise((resolve) => {
    execFile(process.execPath, [script], { timeout: patienceMs }, (error, stdout, stderr) => {
      resolve(parseProbe(stdout) ?? { opens: false, message: describeEnd(error, stderr) });
    });
  });
}

function parseProbe(stdout: string): LibraryProbe | null {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LibraryProbe;
  } catch {
    return null;
  }
}

function describeEnd(error: Error | null, stderr: string): string {
  const { signal, code } = (error ?? {}) as { signal?: string | null; code?: string | number };
  const how = signal ? `was ended by ${signal}` : `ended with code ${code ?? 0}`;
  const words = stderr.trim().split('\n').at(-1) ?? '';
  return `a process that opened the engine's libraries ${how}${words === '' ? '' : `: ${words}`}`;
}
