/**
 * The room of weights: names, sources, files and what is in them. Others get a `ModelFile` from
 * `ensureModel` and never look into the home folder's `models` themselves.
 */

export {
  catalogue,
  defaultModel,
  findInCatalogue,
  roomToFetch,
  type CatalogueEntry,
} from './catalogue.ts';
export { ensureModel, modelPath, type EnsureOptions, type ModelFile } from './ensure-model.ts';
export {
  readModelMetadata,
  type ModelMetadata,
  type TokenizerMetadata,
} from './gguf/model-metadata.ts';
export type { SpecialToken } from './gguf/vocabulary.ts';
export { listModels, type InstalledModel } from './list-models.ts';
export { parseModelSpec, type ModelSpec } from './model-spec.ts';
export {
  createProgressWriter,
  formatBytes,
  renderProgressLine,
  type ProgressOutput,
  type ProgressWriter,
} from './progress-line.ts';
export type { Progress, ProgressListener } from './progress.ts';
export {
  requantiseModel,
  type RequantiseResult,
  type RequantiseStep,
  type RequantiseTools,
} from './requantise/requantise-model.ts';
export {
  leastDecodeGain,
  wantedPrefillGain,
  largestSource,
} from './requantise/requantise-policy.ts';
