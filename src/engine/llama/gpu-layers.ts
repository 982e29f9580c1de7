/**
 * How many of a model's layers a GPU computes. `llama-model.ts` asks while it loads weights: where the
 * GPU has no room for all of them fewer are tried, and where it has none the processor does it all.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { LlamaLibrary, Pointer } from './bind-library.ts';
import { openGpu, type GpuDevice } from './gpu-devices.ts';

export interface GpuPlace {
  readonly device: string;
  readonly layers: number;
}

/** More than any model has: all layers, and the output. */
const allLayers = 999;

export interface LoadedOnDevice {
  readonly pointer: Pointer;
  readonly gpu: GpuPlace | null;
}

/**
 * `load` gets the number of layers for the GPU and throws where that fails. `auto` falls back to the
 * processor with a note; a number that does not fit, or no GPU at all for it, is told in `notes` too.
 */
export function loadOnDevice(
  library: LlamaLibrary,
  { gpuLayers }: { readonly gpuLayers: number | 'auto' },
  notes: string[],
  load: (layers: number) => Pointer,
): LoadedOnDevice {
  // A GPU library that is loaded takes part in large products also without layers of its own.
  if (gpuLayers === 0) return { pointer: load(0), gpu: null };
  const { devices, notes: troubles } = openGpu(library);
  const [device] = devices;
  if (device === undefined) {
    notes.push(...troubles.map((trouble) => `${trouble}; the processor computes everything.`));
    if (gpuLayers !== 'auto') {
      notes.push(
        'gpu_layers: there is no GPU that the engine can use, so the processor computes everything; ' +
          '"parlance doctor --gpu" says what is missing.',
      );
    }
    return { pointer: load(0), gpu: null };
  }
  try {
    const pointer = load(gpuLayers === 'auto' ? allLayers : gpuLayers);
    const all = library.modelLayers(pointer) + 1;
    return {
      pointer,
      gpu: {
        device: nameOf(device),
        layers: gpuLayers === 'auto' ? all : Math.min(gpuLayers, all),
      },
    };
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    // The file may be at fault and not the GPU: then this fails in the same words.
    const pointer = load(0);
    notes.push(
      `gpu_layers: the weights do not fit ${nameOf(device)} (${(device.freeBytes / 1e9).toFixed(1)} GB free), ` +
        'so the processor computes everything; ask for fewer layers.',
    );
    return { pointer, gpu: null };
  }
}

/** Such as `NVIDIA H200 (CUDA0)`. */
function nameOf({ description, name }: GpuDevice): string {
  return `${description} (${name})`;
}
