/**
 * The grammar of what users write where a model is asked for: a catalogue name, the path of a
 * `.gguf` file, or `hf:owner/repo/path/file.gguf@revision`. Pure: it looks at no disk.
 */

import { basename, resolve } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import {
  catalogue,
  findInCatalogue,
  type CatalogueEntry,
  type HuggingFaceFile,
} from './catalogue.ts';

export type ModelSpec =
  | { readonly kind: 'catalogue'; readonly name: string; readonly entry: CatalogueEntry }
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
  | { readonly kind: 'hub'; readonly name: string; readonly hub: HuggingFaceFile }
  /** No catalogue name: the stem of a file that may lie in `<home>/models`. */
  | { readonly kind: 'stem'; readonly name: string };

/**
 * @throws ParlanceError `invalid_option` when the text is none of the three; the name of the model is
 *   the catalogue's, or else the stem of the file.
 */
export function parseModelSpec(text: string): ModelSpec {
  const spec = text.trim();
  if (spec.startsWith('hf:')) return parseHubSpec(spec);
  if (/\.gguf$/i.test(spec)) return { kind: 'file', name: stemOf(spec), path: resolve(spec) };
  const entry = findInCatalogue(spec);
  if (entry !== undefined) return { kind: 'catalogue', name: entry.name, entry };
  if (/^[\w][\w.+-]*$/.test(spec)) return { kind: 'stem', name: spec };
  throw invalidSpec(spec, 'is neither a known name, nor a .gguf file, nor hf:owner/repo/file.gguf');
}

export function stemOf(path: string): string {
  return basename(path).replace(/\.gguf$/i, '');
}

/** The error for a name that is nowhere, with the names there are. */
export function unknownModel(name: string, modelsFolder: string): ParlanceError {
  const names = catalogue.map((entry) => entry.name).join(', ');
  return new ParlanceError(
    'unknown_model',
    `No model is named "${name}", and ${modelsFolder} has no ${name}.gguf. Known names: ${names}. ` +
      'A path of a .gguf file and hf:owner/repo/file.gguf work too.',
  );
}

function parseHubSpec(spec: string): ModelSpec {
  const match = /^hf:([\w.-]+)\/([\w.-]+)\/([^@]+\.gguf)(?:@([\w./-]+))?$/i.exec(spec);
  const [, owner, repo, file, revision = 'main'] = match ?? [];
  if (owner === undefined || repo === undefined || file === undefined) {
    throw invalidSpec(
      spec,
      'is not of the form hf:owner/repo/path/file.gguf or …/file.gguf@revision',
    );
  }
  const parts = [owner, repo, ...file.split('/'), ...revision.split('/')];
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw invalidSpec(spec, 'has an empty part, "." or ".." in its path');
  }
  return { kind: 'hub', name: stemOf(file), hub: { repo: `${owner}/${repo}`, file, revision } };
}

function invalidSpec(spec: string, why: string): ParlanceError {
  return new ParlanceError(
    'invalid_option',
    `The model "${spec}" ${why}. Examples: smollm2-135m, /models/my.gguf, hf:Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf.`,
    { param: 'model' },
  );
}
