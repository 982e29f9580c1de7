/**
 * Whole models of half a million random weights, which the engine loads like any other: small enough
 * to be written anew by each test, large enough to have layers, heads, a cache and a vocabulary. What
 * they say is gibberish that depends on every token before it.
 */

import { writeFileSync } from 'node:fs';

import { toGguf, type GgufContent, type GgufEntry } from '../gguf-writer.ts';
import {
  blueprintOf,
  createWeightFactory,
  type TinyArchitecture,
  type TinyShape,
} from './architectures.ts';
import { floatTensor, randomMatrix, type WeightType } from './random-weights.ts';
import { createVocabulary, type SpecialTokens, type VocabularyKind } from './tiny-vocabulary.ts';

export interface TinyModelOptions {
  readonly architecture: TinyArchitecture;
  /** Default `bpe`. */
  readonly vocabulary?: VocabularyKind;
  /** More of them have IDs from 315 on. */
  readonly specials?: SpecialTokens;
  /** Whether the file has a chat template; default true. */
  readonly chatTemplate?: boolean;
  /** Default `q8_0`, with which results do not depend on the load; the numbers are the same. */
  readonly weights?: WeightType;
  /** Default 1; another seed is another model of the same shape. Letters are liveliest with 2. */
  readonly seed?: number;
  /** Tokens that the model was "trained" for; default 2,048. */
  readonly context?: number;
  /** Default 3, for `lfm2` 4. */
  readonly layers?: number;
  /** Default 32. With 16 or 48 a cache in Q8_0 is not possible; there are always 4 heads. */
  readonly headSize?: number;
  /** Tokens; only `gemma3` has one. Default 64. */
  readonly slidingWindow?: number;
  /** How far apart the logits are, as their standard deviation; default 2.5, for letters 1. */
  readonly logitSpread?: number;
}

/** The sizes that options lead to; adapters need them. */
export function tinyShape(options: TinyModelOptions): TinyShape {
  const heads = 4;
  const headSize = options.headSize ?? 32;
  return {
    embedding: heads * headSize,
    heads,
    kvHeads: 2,
    headSize,
    feedForward: 2 * heads * headSize,
    layers: options.layers ?? (options.architecture === 'lfm2' ? 4 : 3),
    slidingWindow: options.slidingWindow ?? 64,
  };
}

/** Tokens that a text hardly ever has get logits so many times smaller. */
const oddTokenFactor = 1 / 8;

/** The model as the content of a GGUF file; equal options give equal bytes. */
export function tinyModelContent(options: TinyModelOptions): GgufContent {
  const { architecture } = options;
  const type = options.weights ?? 'q8_0';
  const seed = options.seed ?? 1;
  const shape = tinyShape(options);
  const kind = options.vocabulary ?? 'bpe';
  const vocabulary = createVocabulary(kind, options.specials);
  const logitSpread = options.logitSpread ?? (typeof kind === 'string' ? 2.5 : 1);
  const blueprint = blueprintOf(architecture, shape);
  const own = Object.entries(blueprint.entries).map(
    ([key, entry]) => [`${architecture}.${key}`, entry] as const,
  );
  const layers = Array.from({ length: shape.layers }, (_, layer) =>
    blueprint.layer(layer, createWeightFactory(layer, type, seed)),
  );
  const table = [shape.embedding, vocabulary.size] as const;
  return {
    values: {
      'general.architecture': { type: 'string', value: architecture },
      'general.name': { type: 'string', value: `Tiny ${architecture}` },
      'general.file_type': u32(type === 'f32' ? 0 : 7),
      'general.quantization_version': u32(2),
      [`${architecture}.context_length`]: u32(options.context ?? 2048),
      [`${architecture}.embedding_length`]: u32(shape.embedding),
      [`${architecture}.block_count`]: u32(shape.layers),
      [`${architecture}.vocab_size`]: u32(vocabulary.size),
      ...Object.fromEntries(own),
      ...(options.chatTemplate === false
        ? without(vocabulary.entries, 'tokenizer.chat_template')
        : vocabulary.entries),
    },
    tensors: [
      randomMatrix('token_embd.weight', table, { type, seed, spread: blueprint.embeddingSpread }),
      floatTensor(blueprint.outputNorm, [shape.embedding], seed, () => 1),
      randomMatrix('output.weight', table, {
        type,
        seed,
        spread: logitSpread / Math.sqrt(shape.embedding),
        rowFactor: (token) => (vocabulary.isOdd(token) ? oddTokenFactor : 1),
      }),
      ...layers.flat(),
    ],
  };
}

/**
 * Writes a tiny model to `path` and returns the path. It takes some 20 ms; the file has 0.5 to 0.8 MB
 * (F32: 1.9 to 2.8 MB).
 */
export function writeTinyModel(path: string, options: TinyModelOptions): string {
  writeFileSync(path, toGguf(tinyModelContent(options)));
  return path;
}

const without = <T>(entries: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key));

const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
