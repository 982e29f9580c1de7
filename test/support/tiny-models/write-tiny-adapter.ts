/**
 * LoRA adapters for tests: sound ones, strong enough that a greedy text is another one, and broken
 * ones, each broken in one way. For tiny models the shapes are known; for a real model `modelShape`
 * takes them from its metadata.
 */

import { writeFileSync } from 'node:fs';

import type { ModelMetadata } from '../../../src/models/index.ts';
import { toGguf, type GgufContent, type GgufEntry, type GgufTensor } from '../gguf-writer.ts';
import { randomMatrix, type WeightType } from './random-weights.ts';

export interface AdapterOptions {
  /** Default `llama`; must be that of the base model. */
  readonly architecture?: string;
  /** Sizes of the base model: `tinyShape(options)` or `modelShape(metadata)`. */
  readonly base: AdapterShape;
  /**
   * Default `f32`, as adapters mostly are; the results then depend in their last bits on what else is
   * in a pass. With `q8_0` they do not.
   */
  readonly weights?: WeightType;
  /** Default 4; with `q8_0` 32, or a multiple of it. */
  readonly rank?: number;
  /** Default: the rank, so that the product counts as it is. */
  readonly alpha?: number;
  /** Size of the change beside the weights that it is added to; 1 (the default) changes every text. */
  readonly strength?: number;
  /** Default 1. */
  readonly seed?: number;
  /** What is wrong with it; default nothing. */
  readonly broken?: BrokenAdapter;
}

export interface AdapterShape {
  readonly embedding: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  readonly layers: number;
}

/**
 * `truncated`: the last weights are missing. `cut-header`: the file ends in its metadata.
 * `other-architecture`, `other-shape`: it belongs to another model. `more-layers`: so it does, and its
 * tensors are not in this one. `half-a-pair`: a matrix A without its B. `not-lora`: another kind of
 * adapter. `no-adapter`: a file of a model. `number-for-text`, `integer-alpha`: a value has another
 * type than the library expects, which then aborts the process. `other-bytes`: no GGUF file.
 */
export const brokenAdapters = [
  'truncated',
  'cut-header',
  'other-architecture',
  'other-shape',
  'more-layers',
  'half-a-pair',
  'not-lora',
  'no-adapter',
  'number-for-text',
  'integer-alpha',
  'other-bytes',
] as const;

export type BrokenAdapter = (typeof brokenAdapters)[number];

/** The shape of a transformer from its metadata. Throws where the file leaves a size out. */
export function modelShape(metadata: ModelMetadata): AdapterShape {
  const { embeddingLength: embedding, heads, kvHeads, layers } = metadata;
  if (embedding === null || heads === null || layers === null)
    throw new Error('The file does not say how large the model is.');
  const headSize = metadata.keyLength ?? embedding / heads;
  return { embedding, heads, kvHeads: kvHeads ?? heads, headSize, layers };
}

/**
 * Writes an adapter of the query, value and output projections of every layer to `path` and returns
 * the path: 20 kB for a tiny model, 1 MB for one of 135 million weights.
 */
export function writeTinyAdapter(path: string, options: AdapterOptions): string {
  writeFileSync(path, adapterBytes(options));
  return path;
}

function adapterBytes(options: AdapterOptions): Buffer {
  if (options.broken === 'other-bytes') return Buffer.alloc(4096, 'no adapter ');
  const whole = toGguf(adapterContent(options));
  if (options.broken === 'truncated') return whole.subarray(0, Math.floor(whole.length * 0.7));
  if (options.broken === 'cut-header') return whole.subarray(0, 100);
  return whole;
}

/** The adapter as the content of a GGUF file; equal options give equal bytes. */
export function adapterContent(options: AdapterOptions): GgufContent {
  const { broken } = options;
  const rank = options.rank ?? (options.weights === 'q8_0' ? 32 : 4);
  const architecture = options.architecture ?? 'llama';
  const layers = options.base.layers + (broken === 'more-layers' ? 1 : 0);
  const tensors = Array.from({ length: layers }, (_, layer) =>
    layerTensors(layer, options, rank),
  ).flat();
  return {
    values: {
      'general.type': toText(broken === 'no-adapter' ? 'model' : 'adapter'),
      'general.architecture': toText(broken === 'other-architecture' ? 'gpt2' : architecture),
      'general.name': toText('Tiny adapter'),
      'adapter.type':
        broken === 'number-for-text'
          ? { type: 'u32', value: 1 }
          : toText(broken === 'not-lora' ? 'control-vector' : 'lora'),
      'adapter.lora.alpha': {
        type: broken === 'integer-alpha' ? 'u32' : 'f32',
        value: options.alpha ?? rank,
      },
    },
    tensors: broken === 'half-a-pair' ? tensors.slice(0, -1) : tensors,
  };
}

function layerTensors(layer: number, options: AdapterOptions, rank: number): GgufTensor[] {
  const { embedding, heads, kvHeads, headSize } = options.base;
  const columns = options.broken === 'other-shape' ? embedding + 32 : embedding;
  const targets: [name: string, columns: number, rows: number][] = [
    ['attn_q', columns, heads * headSize],
    ['attn_v', columns, kvHeads * headSize],
    ['attn_output', heads * headSize, columns],
  ];
  return targets.flatMap(([name, columns, rows]) => {
    const full = `blk.${layer}.${name}.weight`;
    const seed = options.seed ?? 1;
    const type = options.weights ?? 'f32';
    // A keeps the size of what comes in, B adds up `rank` such numbers.
    const spread = { a: 1 / Math.sqrt(columns), b: (options.strength ?? 1) / Math.sqrt(rank) };
    return [
      randomMatrix(`${full}.lora_a`, [columns, rank], { type, seed, spread: spread.a }),
      randomMatrix(`${full}.lora_b`, [rank, rows], { type, seed, spread: spread.b }),
    ];
  });
}

const toText = (value: string): GgufEntry => ({ type: 'string', value });
