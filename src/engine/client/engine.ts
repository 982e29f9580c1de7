/**
 * What the server knows of an engine: the interface, its states, its options. Targets and
 * deployments use it; `supervised-engine.ts` implements it.
 */

import type { ParlanceError } from '../../contract/errors.ts';
import type {
  EngineInfo,
  EngineLoad,
  EngineOptions,
  EngineStats,
  GenerateRequest,
} from '../protocol.ts';
import type { Generation } from './generation.ts';

export type EngineState =
  /** The first start; progress 0..1. */
  | { readonly state: 'loading'; readonly progress: number }
  | { readonly state: 'ready'; readonly info: EngineInfo }
  /** It ended unasked and is coming back. */
  | { readonly state: 'restarting'; readonly reason: string }
  /** It will not come back. */
  | { readonly state: 'failed'; readonly error: ParlanceError }
  | { readonly state: 'stopped' };

export interface EngineStart {
  /** A GGUF file, or the first of its parts. */
  readonly path: string;
  /** Weights of a draft model for speculation. */
  readonly draft?: string | null;
  readonly options: EngineOptions;
  readonly onState?: (state: EngineState) => void;
  /** A cancelled request has freed its slot, so long after the abort. */
  readonly onReleased?: (milliseconds: number) => void;
  /** An adapter could not be loaded again after a restart; requests for it will be rejected. */
  readonly onAdapterLost?: (name: string, error: ParlanceError) => void;
  /** Something went wrong that fails no request, in words for the log. */
  readonly onFault?: (message: string) => void;
  /** Aborting it while the model loads ends the start. */
  readonly signal?: AbortSignal;
}

export interface Engine {
  /** Of the last process that was ready. */
  readonly info: EngineInfo;
  /** As the engine last told it, with the requests that wait for a restart. */
  readonly load: EngineLoad;
  readonly state: EngineState;
  /** As the process last told it; null until it has. */
  readonly stats: EngineStats | null;
  /** The weights file: the same for the same unchanged file, another for any other. */
  readonly modelIdentity: string;
  /** Process ID while there is a process. */
  readonly pid: number | null;
  /**
   * Resolves when the engine has taken the request. Rejects with the engine's reason, with
   * `cancelled` on abort, with `model_loading` when a restart takes too long. Aborting later, or
   * leaving the loop over the steps, frees what it held within one step.
   */
  generate(request: GenerateRequest, signal: AbortSignal): Promise<Generation>;
  /**
   * Resolves when requests may name the adapter, and keeps it over restarts of the process. Rejects
   * with `invalid_adapter` where the file is damaged or for another model.
   */
  loadAdapter(name: string, path: string): Promise<void>;
  /** Resolves when nothing of it is held; at once where no process is left to hold it. */
  unloadAdapter(name: string): Promise<void>;
  /** Writes a held context to a file and forgets it. Rejects with `invalid_handle`. */
  exportContext(context: string, path: string): Promise<void>;
  /** Ends the process for good; what runs fails with `shutting_down`. */
  stop(): Promise<void>;
}

export const defaultEngineOptions: EngineOptions = {
  slots: null,
  context: null,
  threads: null,
  // Measured on 2 cores: prompts are computed as fast with 128 as with 512 tokens a pass (252 and
  // 258 tok/s), and a pass of 512 holds up cancellations and new requests for over two seconds.
  batchTokens: 256,
  maxWaiting: 512,
  deterministic: null,
  prefixCacheBytes: null,
  prefixCacheDir: null,
  speculation: 'auto',
  gpuLayers: 'auto',
};
