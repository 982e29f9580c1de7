/**
 * The GPUs that the opened libraries can use. `llama-model.ts` asks before it loads weights. Without
 * a GPU library beside the CPU ones, or without a driver, there are none.
 */

import type { LlamaLibrary } from './bind-library.ts';

export interface GpuDevice {
  /** Such as `NVIDIA H200 (CUDA0)`. */
  readonly name: string;
  readonly freeBytes: number;
}

/** ggml_backend_dev_type: a GPU of its own, and one that uses the machine's memory. */
const gpuTypes: ReadonlySet<number> = new Set([1, 2]);

export function listGpus(library: LlamaLibrary): GpuDevice[] {
  const free = new BigUint64Array(1);
  const total = new BigUint64Array(1);
  return Array.from({ length: library.deviceCount() }, (_, index) => library.deviceAt(index))
    .filter((device) => gpuTypes.has(library.deviceType(device)))
    .map((device) => {
      library.deviceMemory(device, free, total);
      const description = library.deviceDescription(device);
      return {
        name: `${description} (${library.deviceName(device)})`,
        freeBytes: Number(free[0] ?? 0n),
      };
    });
}
