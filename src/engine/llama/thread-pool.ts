/**
 * The threads that compute a context's passes. Without a pool of its own the library makes and ends them
 * for every pass, which is a hundredth of a small model's pass for each of them. The decoder has one.
 */

import koffi from 'koffi';

import type { LlamaLibrary, Pointer } from './bind-library.ts';
import { threadPoolParams } from './structs.ts';

export interface ThreadPool {
  free(): void;
}

/** ggml_backend_dev_type */
const cpuDevice = 0;
/**
 * How long threads without work keep their core, 0..100. Between two passes the server and its clients
 * need it: with 16 streams on two cores 0 gave 256 to 284 tok/s, 50 gave 248 to 282, no pool 229 to 264.
 */
const polling = 0;

const newPool = koffi.proto('void *ggml_threadpool_new_proto(void *params)');
const freePool = koffi.proto('void ggml_threadpool_free_proto(void *pool)');

/** Attaches a pool of so many threads to the context; none where the library's CPU part has no such thing. */
export function attachThreadPool(
  library: LlamaLibrary,
  context: Pointer,
  threads: number,
): ThreadPool {
  const find = <F>(name: string, proto: ReturnType<typeof koffi.proto>): F | null => {
    const device = library.deviceByType(cpuDevice);
    const registry = device === null ? null : library.deviceRegistry(device);
    const address = registry === null ? null : library.registryFunction(registry, name);
    return address === null ? null : (koffi.decode(address, proto) as F);
  };
  const make = find<(params: Buffer) => Pointer | null>('ggml_threadpool_new', newPool);
  const end = find<(pool: Pointer) => void>('ggml_threadpool_free', freePool);
  const params = Buffer.alloc(threadPoolParams.bytes);
  library.threadPoolDefaults(params, threads);
  params.writeUInt32LE(polling, threadPoolParams.poll);
  const pool = make?.(params) ?? null;
  if (pool === null || end === null) return { free: () => {} };
  library.contextAttachThreads(context, pool, pool);
  return { free: () => end(pool) };
}
