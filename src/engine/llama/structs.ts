/**
 * The C structs of llama.cpp v0.5.0 (include/llama.h) as koffi sees them, and nothing else. Only the
 * files of this folder use them. A wrong field here is memory corruption, so `library.ts` checks the
 * sizes and the documented default values before anything is loaded.
 */

import koffi from 'koffi';

import type { KvType } from '../capacity.ts';

/** ggml_type values that the KV cache may have. */
const ggmlType = { f16: 1, q8_0: 8 } as const;

/**
 * The types of K and V in a context's parameters. K and V of different types always take the one path of
 * ggml's attention in which a query is computed by itself; of the types for which that is so this pair is
 * the fastest that takes no more memory than F16.
 */
export const kvTypes = (kvType: KvType) =>
  ({
    type_k: ggmlType[kvType === 'q8_0/f16' ? 'q8_0' : 'f16'],
    type_v: ggmlType.f16,
  }) as const;

/** llama_flash_attn_type. */
export const flashAttention = { auto: -1, disabled: 0, enabled: 1 } as const;

export const modelParams = koffi.struct('llama_model_params', {
  devices: 'void *',
  tensor_buft_overrides: 'void *',
  n_gpu_layers: 'int32_t',
  split_mode: 'int32_t',
  load_mode: 'int32_t',
  lazy_mode: 'int32_t',
  main_gpu: 'int32_t',
  tensor_split: 'void *',
  progress_callback: 'void *',
  progress_callback_user_data: 'void *',
  kv_overrides: 'void *',
  vocab_only: 'bool',
  check_tensors: 'bool',
  use_extra_bufts: 'bool',
  no_host: 'bool',
  no_alloc: 'bool',
  load_mtp: 'bool',
});

export const contextParams = koffi.struct('llama_context_params', {
  n_ctx: 'uint32_t',
  n_batch: 'uint32_t',
  n_ubatch: 'uint32_t',
  n_seq_max: 'uint32_t',
  n_rs_seq: 'uint32_t',
  n_outputs_max: 'uint32_t',
  n_outputs_max_per_seq: 'uint32_t',
  n_threads: 'int32_t',
  n_threads_batch: 'int32_t',
  ctx_type: 'int32_t',
  rope_scaling_type: 'int32_t',
  pooling_type: 'int32_t',
  attention_type: 'int32_t',
  flash_attn_type: 'int32_t',
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  yarn_orig_ctx: 'uint32_t',
  defrag_thold: 'float',
  cb_eval: 'void *',
  cb_eval_user_data: 'void *',
  type_k: 'int32_t',
  type_v: 'int32_t',
  abort_callback: 'void *',
  abort_callback_data: 'void *',
  embeddings: 'bool',
  offload_kqv: 'bool',
  no_perf: 'bool',
  op_offload: 'bool',
  swa_full: 'bool',
  kv_unified: 'bool',
  samplers: 'void *',
  n_samplers: 'size_t',
  ctx_other: 'void *',
});

export const batch = koffi.struct('llama_batch', {
  n_tokens: 'int32_t',
  token: 'void *',
  embd: 'void *',
  pos: 'void *',
  n_seq_id: 'void *',
  seq_id: 'void *',
  logits: 'void *',
});

/** `void (*)(enum ggml_log_level, const char * text, void *)` */
export const logCallback = koffi.proto(
  'void llama_log_callback(int level, void *text, void *data)',
);

/** `bool (*)(float progress, void *)` */
export const progressCallback = koffi.proto(
  'bool llama_progress_callback(float progress, void *data)',
);

/** ggml_threadpool_params: 512 bools, then int n_threads, int priority, uint32 poll, two bools. */
export const threadPoolParams = { bytes: 528, poll: 520 } as const;
