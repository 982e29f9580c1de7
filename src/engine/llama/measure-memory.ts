/**
 * What a model remembers of a sequence, measured with a context of a few tokens: its layers may have
 * windows, share their KV, differ in heads or be recurrent, and only the library knows. The plan of
 * the capacity needs it for such models. It costs two passes of one token.
 */

import type { KvCost, KvType } from '../capacity.ts';
import { allocateBatch, fillBatch, freeBatch } from './batch-memory.ts';
import type { LlamaLibrary, Pointer } from './bind-library.ts';
import { parseLibraryState } from './kv-layout.ts';
import type { LlamaModel } from './llama-model.ts';
import { flashAttention, kvTypes } from './structs.ts';

const context = 256;

/** Null where the library makes no context with a KV cache of this type, or cannot use it. */
export function measureMemory(
  library: LlamaLibrary,
  model: LlamaModel,
  kvType: KvType,
): KvCost | null {
  const pointer = library.errors.during(() =>
    library.contextCreate(model.pointer, {
      ...library.contextDefaultParams(),
      n_ctx: context,
      n_batch: 2,
      n_ubatch: 2,
      n_seq_max: 1,
      n_outputs_max: 1,
      n_threads: 1,
      n_threads_batch: 1,
      flash_attn_type: flashAttention.enabled,
      ...kvTypes(kvType),
      offload_kqv: false,
      swa_full: true,
      kv_unified: false,
    }),
  );
  if (pointer === null) return null;
  try {
    const one = stateAfter(library, pointer, 0);
    const two = stateAfter(library, pointer, 1);
    return one === null || two === null ? null : toCost(one, two, model.memory.window);
  } finally {
    library.contextFree(pointer);
  }
}

function stateAfter(library: LlamaLibrary, context: Pointer, position: number): Buffer | null {
  const batch = allocateBatch(1);
  fillBatch(batch, [{ slot: 0, position, tokens: [0], outputs: 1 }]);
  const status = library.decode(context, batch.struct);
  freeBatch(batch);
  if (status !== 0) return null;
  const state = Buffer.allocUnsafe(Number(library.stateSize(context, 0)));
  library.stateSave(context, state, state.length, 0);
  return state;
}

function toCost(one: Buffer, two: Buffer, window: number): KvCost {
  const perToken = two.length - one.length;
  const [all, windowed] = parseLibraryState(two, { caches: 2, streams: 1 }) ?? [];
  if (window > 0 && all !== undefined && windowed !== undefined) {
    const { layout } = windowed;
    return {
      perToken: all.layout.rowsBytes,
      window: { tokens: window, perToken: layout.rowsBytes },
      perSlot: 0,
    };
  }
  return { perToken, window: null, perSlot: one.length - perToken };
}
