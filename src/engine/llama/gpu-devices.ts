/**
 * Brings an installed GPU library into the process and says which devices it has. `llama-model.ts`
 * asks before it puts layers on a GPU, `probe.ts` for `parlance doctor`. A GPU that cannot be used is
 * never an error: the processor computes, and the notes say why.
 */

import koffi from 'koffi';

import type { LlamaLibrary } from './bind-library.ts';
import { findLibraryFolders, libraryVersion, type GpuApi } from './library-folder.ts';

/** ggml_backend_dev_type. */
const deviceTypes = { 1: 'gpu', 2: 'integrated' } as const;

export interface GpuDevice {
  /** ggml's name, such as `CUDA0`. */
  readonly name: string;
  /** Such as `NVIDIA GeForce RTX 4090`. */
  readonly description: string;
  readonly kind: 'gpu' | 'integrated';
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface GpuState {
  /** The package whose library was loaded; null where there is none that works. */
  readonly package: string | null;
  readonly api: GpuApi | null;
  /** Empty also where a library is there and finds no device. */
  readonly devices: readonly GpuDevice[];
  /** For people: what is installed and cannot be used, and why. */
  readonly notes: readonly string[];
}

let opened: GpuState | null = null;

/** Loads the best GPU library that works, once in a process. */
export function openGpu(library: LlamaLibrary): GpuState {
  opened ??= open(library);
  return opened;
}

function open(library: LlamaLibrary): GpuState {
  const { base, gpu } = findLibraryFolders();
  const ggml = koffi.load(`${base}/libggml.v${libraryVersion}.so`);
  const load = ggml.func('ggml_backend_load', 'void *', ['str']) as (path: string) => bigint | null;
  const notes: string[] = [];
  for (const found of gpu) {
    const backend = library.errors.during(() => load(found.library));
    if (backend === null) {
      notes.push(`${found.package} does not load: ${withoutPath(library.errors.text())}`);
      continue;
    }
    const devices = readDevices(library);
    if (devices.length > 0) return { package: found.package, api: found.api, devices, notes };
    notes.push(`${found.package} loads, but finds no device (is the driver there?)`);
  }
  return { package: null, api: null, devices: [], notes };
}

/** The loader repeats the long path before it says what is wrong. */
function withoutPath(words: string): string {
  return words.replace(/^failed to load \S+: /, '');
}

function readDevices(library: LlamaLibrary): GpuDevice[] {
  const devices: GpuDevice[] = [];
  for (let index = 0; index < library.deviceCount(); index += 1) {
    const device = library.deviceAt(index);
    const kind = deviceTypes[library.deviceType(device) as keyof typeof deviceTypes];
    if (kind === undefined) continue;
    const [free, total] = [new BigUint64Array(1), new BigUint64Array(1)];
    library.deviceMemory(device, free, total);
    devices.push({
      name: library.deviceName(device),
      description: library.deviceDescription(device),
      kind,
      freeBytes: Number(free[0]),
      totalBytes: Number(total[0]),
    });
  }
  return devices;
}
