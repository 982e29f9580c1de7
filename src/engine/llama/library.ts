/**
 * Opens the shared libraries of llama.cpp and checks that they are the ones that the
 * bindings were written for. A process opens them once, for all its models. It loads no model.
 */

import koffi from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import { bindLibrary, type LlamaLibrary } from './bind-library.ts';
import { findLibraryFolders, libraryVersion } from './library-folder.ts';
import { batch, contextParams, modelParams } from './structs.ts';

let opened: LlamaLibrary | null = null;

/**
 * The libraries for this machine, the same at each call. Throws `machine_unsupported` with what would
 * work.
 */
export function openLibrary(): LlamaLibrary {
  opened ??= open();
  return opened;
}

function open(): LlamaLibrary {
  const { base: folder } = findLibraryFolders();
  try {
    const load = (name: string) => koffi.load(`${folder}/${name}`, { global: true });
    load('libggml-base.so');
    const ggml = load(`libggml.v${libraryVersion}.so`);
    const library = bindLibrary(load(`libllama.v${libraryVersion}.so`), ggml);
    checkLibrary(library);
    library.errors.during(() => {
      library.loadBackends(folder);
      library.backendInit();
    });
    return library;
  } catch (error) {
    if (error instanceof ParlanceError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const hint = usesMusl()
      ? ' This Linux uses musl, and they need glibc (as in Debian or Fedora).'
      : '';
    throw new ParlanceError(
      'machine_unsupported',
      `The engine's libraries do not open on this machine: ${why}.${hint}`,
      { cause: error },
    );
  }
}

/** glibc names its version in Node's report on itself, musl does not. */
function usesMusl(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined;
}

/** A struct that drifted would corrupt memory, so what we can see of it must be as documented. */
function checkLibrary(library: LlamaLibrary): void {
  const version = library.version();
  const context = library.contextDefaultParams();
  const model = library.modelDefaultParams();
  const asDocumented =
    version.startsWith(libraryVersion) &&
    koffi.sizeof(modelParams) === 80 &&
    koffi.sizeof(contextParams) === 160 &&
    koffi.sizeof(batch) === 56 &&
    context['n_ctx'] === 512 &&
    context['n_ubatch'] === 512 &&
    context['yarn_ext_factor'] === -1 &&
    context['type_v'] === 1 &&
    context['offload_kqv'] === true &&
    context['kv_unified'] === false &&
    context['ctx_other'] === null &&
    model['n_gpu_layers'] === -1 &&
    model['use_extra_bufts'] === true &&
    model['load_mtp'] === false;
  if (asDocumented) return;
  throw new ParlanceError(
    'machine_unsupported',
    `The engine was built for llama.cpp ${libraryVersion}, and the installed library says ` +
      `"${version}" with other structures; reinstall with "npm ci".`,
  );
}
