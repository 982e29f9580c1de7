/** Tiny models and adapters that tests write: what they are made of, and how they are made. */

export { tinyArchitectures, type TinyArchitecture, type TinyShape } from './architectures.ts';
export type { WeightType } from './random-weights.ts';
export { chatTemplate, type VocabularyKind } from './tiny-vocabulary.ts';
export { tinyShape, writeTinyModel, type TinyModelOptions } from './write-tiny-model.ts';
export {
  brokenAdapters,
  modelShape,
  writeTinyAdapter,
  type AdapterOptions,
  type AdapterShape,
  type BrokenAdapter,
} from './write-tiny-adapter.ts';
