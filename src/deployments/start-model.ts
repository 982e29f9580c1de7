/** The model that the start options name, as the deployment it becomes. Pure. */

import type { Options } from '../config/index.ts';
import { parseModelSpec } from '../models/index.ts';
import type { EmbeddedSpec } from './spec.ts';

/**
 * @returns null for `--model none`
 * @throws ParlanceError `invalid_option` when the model is no name, file or hf: address
 */
export function toStartModel(
  options: Pick<Options, 'model' | 'slots' | 'context' | 'threads'>,
): EmbeddedSpec | null {
  if (options.model === 'none') return null;
  const parsed = parseModelSpec(options.model);
  // A file may be called anything; a name travels in URLs and error messages.
  const name = parsed.name.replaceAll(/[^A-Za-z0-9._:/@-]/g, '-').slice(0, 128);
  const { slots, context, threads } = options;
  const model = parsed.kind === 'file' ? parsed.path : options.model;
  return { name, runtime: 'embedded', model, options: { slots, context, threads } };
}
