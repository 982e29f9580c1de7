/** The model that the start options name, as the deployment it becomes. Pure. */

import type { Options } from '../config/index.ts';
import { parseModelSpec } from '../models/index.ts';
import { checkChatTemplate } from './chat-template.ts';
import { noOptions, type EmbeddedOptions } from './embedded-options.ts';
import type { EmbeddedSpec } from './spec.ts';

type EngineChoices =
  | 'slots'
  | 'context'
  | 'threads'
  | 'deterministic'
  | 'gpuLayers'
  | 'draftModel'
  | 'speculation'
  | 'prefixCacheBytes'
  | 'chatTemplate';

export type StartModelOptions = Pick<Options, 'model'> & Partial<Pick<Options, EngineChoices>>;

/**
 * @returns null for `--model none`
 * @throws ParlanceError `invalid_option` when a model is no name, file or hf: address,
 *   `invalid_deployment` when a chat template is neither a template nor its file
 */
export function toStartModel(options: StartModelOptions): EmbeddedSpec | null {
  if (options.model === 'none') return null;
  const parsed = parseModelSpec(options.model);
  // A file may be called anything; a name travels in URLs and error messages.
  const name = parsed.name.replaceAll(/[^A-Za-z0-9._:/@-]/g, '-').slice(0, 128);
  const model = parsed.kind === 'file' ? parsed.path : options.model;
  return { name, runtime: 'embedded', model, options: toEmbeddedOptions(options) };
}

function toEmbeddedOptions(options: StartModelOptions): EmbeddedOptions {
  return {
    ...noOptions,
    slots: options.slots ?? null,
    context: options.context ?? null,
    threads: options.threads ?? null,
    deterministic: options.deterministic ?? null,
    prefix_cache_bytes: options.prefixCacheBytes ?? null,
    draft_model: toDraft(options.draftModel ?? null),
    speculation: options.speculation === 'off' ? 'off' : null,
    gpu_layers: options.gpuLayers ?? null,
    chat_template: checkChatTemplate(options.chatTemplate ?? null),
  };
}

function toDraft(model: string | null): string | null {
  if (model === null) return null;
  const parsed = parseModelSpec(model);
  return parsed.kind === 'file' ? parsed.path : model;
}
