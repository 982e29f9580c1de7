/**
 * Rewrites a weights file with other kinds of numbers, through the library. Only the short process of
 * `requantise-main.ts` calls it: the call blocks for seconds and takes all the cores it is given.
 */

import koffi from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import { findLibraryFolders, libraryVersion } from './library-folder.ts';
import { openLibrary } from './library.ts';

/** llama_ftype and ggml_type values of include/llama.h and ggml.h, v0.5.0. */
const fileTypeQ8 = 7;
const noTypeGiven = 43;
const paramsBytes = 64;

const quantiseParams = koffi.struct('llama_model_quantize_params', {
  nthread: 'int32_t',
  ftype: 'int32_t',
  output_tensor_type: 'int32_t',
  token_embedding_type: 'int32_t',
  allow_requantize: 'bool',
  quantize_output_tensor: 'bool',
  only_copy: 'bool',
  pure: 'bool',
  keep_split: 'bool',
  dry_run: 'bool',
  imatrix: 'void *',
  kv_overrides: 'void *',
  tt_overrides: 'void *',
  prune_layers: 'void *',
  max_buf_size: 'size_t',
});

type QuantiseParams = Record<string, number | boolean | bigint | null>;

/**
 * Writes `target`, a Q8_0 file with the same model as `source`, which may be quantised already.
 * `target` is not synced to the disk, and may be there in part after a failure. Throws
 * `machine_unsupported`, or `engine_failed` with the library's own words.
 */
export function quantiseToQ8(source: string, target: string, threads: number): void {
  const library = openLibrary();
  const { base } = findLibraryFolders();
  const llama = koffi.load(`${base}/libllama.v${libraryVersion}.so`);
  const readDefaults = llama.func(
    'llama_model_quantize_default_params',
    quantiseParams,
    [],
  ) as () => QuantiseParams;
  const quantise = llama.func('llama_model_quantize', 'uint32_t', [
    'str',
    'str',
    koffi.pointer(quantiseParams),
  ]) as (source: string, target: string, params: QuantiseParams) => number;
  const defaults = readDefaults();
  checkParams(defaults);
  const params = { ...defaults, nthread: threads, ftype: fileTypeQ8, allow_requantize: true };
  // What the library logs here comes from this thread; its workers only compute.
  const status = library.errors.during(() => quantise(source, target, params));
  if (status === 0) return;
  throw new ParlanceError(
    'engine_failed',
    `The library could not rewrite the weights: ${library.errors.text()}`,
  );
}

/** A struct that drifted would corrupt memory, so what we can see of it must be as documented. */
function checkParams(defaults: QuantiseParams): void {
  const asDocumented =
    koffi.sizeof(quantiseParams) === paramsBytes &&
    defaults['ftype'] === fileTypeQ8 &&
    defaults['output_tensor_type'] === noTypeGiven &&
    defaults['token_embedding_type'] === noTypeGiven &&
    defaults['allow_requantize'] === false &&
    defaults['quantize_output_tensor'] === true &&
    defaults['only_copy'] === false &&
    defaults['dry_run'] === false &&
    defaults['imatrix'] === null &&
    defaults['prune_layers'] === null &&
    Number(defaults['max_buf_size']) === 8 * 1024 ** 3;
  if (asDocumented) return;
  throw new ParlanceError(
    'machine_unsupported',
    `The installed library is not llama.cpp ${libraryVersion}; reinstall with "npm ci".`,
  );
}
