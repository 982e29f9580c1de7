/**
 * The layers of each tiny architecture: which tensors it has, in which shape, and the metadata that
 * the library wants to know of it. One row an architecture; `write-tiny-model.ts` puts the file
 * together. Spreads are chosen so that activations stay near 1 and attention has a sharp opinion.
 */

import type { GgufEntry, GgufTensor } from '../gguf-writer.ts';
import { floatTensor, randomMatrix, type WeightType } from './random-weights.ts';

/** `mamba` is recurrent, `lfm2` a hybrid of convolutions and attention, `gemma3` has sliding windows. */
export const tinyArchitectures = ['llama', 'qwen2', 'qwen3', 'gemma3', 'mamba', 'lfm2'] as const;

export type TinyArchitecture = (typeof tinyArchitectures)[number];

export interface TinyShape {
  readonly embedding: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  readonly feedForward: number;
  readonly layers: number;
  /** Tokens; two of three layers of `gemma3` see no further. */
  readonly slidingWindow: number;
}

export interface Blueprint {
  /** Without the architecture's name in front. */
  readonly entries: Readonly<Record<string, GgufEntry>>;
  /** Tensors of one layer. */
  layer(index: number, weights: WeightFactory): GgufTensor[];
  readonly outputNorm: string;
  /** Spread of the embedding's weights. */
  readonly embeddingSpread: number;
}

/** Makes the tensors of one layer; names are without `blk.N.`. */
export interface WeightFactory {
  /** `gain` 1 keeps the size of what comes in. */
  matrix(name: string, columns: number, rows: number, gain?: number): GgufTensor;
  /** Near 1. */
  norm(name: string, length: number): GgufTensor;
  floats(
    name: string,
    dimensions: readonly number[],
    value: (random: () => number, index: number) => number,
  ): GgufTensor;
}

const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
const f32 = (value: number): GgufEntry => ({ type: 'f32', value });
const epsilon: GgufEntry = f32(1e-5);

/** Queries and keys: large enough that some tokens get far more attention than others. */
const attentionGain = 1.6;

export function createWeightFactory(layer: number, type: WeightType, seed: number): WeightFactory {
  const full = (name: string): string => `blk.${layer}.${name}`;
  return {
    matrix: (name, columns, rows, gain = 1) =>
      randomMatrix(full(name), [columns, rows], { type, seed, spread: gain / Math.sqrt(columns) }),
    norm: (name, length) =>
      floatTensor(full(name), [length], seed, (random) => 0.8 + 0.4 * random()),
    floats: (name, dimensions, value) => floatTensor(full(name), dimensions, seed, value),
  };
}

/** What a layer of this architecture is made of. */
export function blueprintOf(architecture: TinyArchitecture, shape: TinyShape): Blueprint {
  return blueprints[architecture](shape);
}

const transformerEntries = (shape: TinyShape): Record<string, GgufEntry> => ({
  feed_forward_length: u32(shape.feedForward),
  'attention.head_count': u32(shape.heads),
  'attention.head_count_kv': u32(shape.kvHeads),
  'attention.key_length': u32(shape.headSize),
  'attention.value_length': u32(shape.headSize),
  'attention.layer_norm_rms_epsilon': epsilon,
  'rope.freq_base': f32(10_000),
});

const attention = (shape: TinyShape, make: WeightFactory): GgufTensor[] => {
  const { embedding, heads, kvHeads, headSize } = shape;
  return [
    make.norm('attn_norm.weight', embedding),
    make.matrix('attn_q.weight', embedding, heads * headSize, attentionGain),
    make.matrix('attn_k.weight', embedding, kvHeads * headSize, attentionGain),
    make.matrix('attn_v.weight', embedding, kvHeads * headSize),
    make.matrix('attn_output.weight', heads * headSize, embedding, 1.5),
  ];
};

const feedForward = (shape: TinyShape, make: WeightFactory): GgufTensor[] => [
  make.norm('ffn_norm.weight', shape.embedding),
  make.matrix('ffn_gate.weight', shape.embedding, shape.feedForward),
  make.matrix('ffn_up.weight', shape.embedding, shape.feedForward),
  make.matrix('ffn_down.weight', shape.feedForward, shape.embedding),
];

const headNorms = (shape: TinyShape, make: WeightFactory): GgufTensor[] => [
  make.floats('attn_q_norm.weight', [shape.headSize], (random) => attentionGain + 0.4 * random()),
  make.floats('attn_k_norm.weight', [shape.headSize], (random) => 0.8 + 0.4 * random()),
];

const biases = (shape: TinyShape, make: WeightFactory): GgufTensor[] =>
  (['q', 'k', 'v'] as const).map((part) => {
    const rows = (part === 'q' ? shape.heads : shape.kvHeads) * shape.headSize;
    return make.floats(`attn_${part}.bias`, [rows], (random) => random() - 0.5);
  });

const transformer = (
  shape: TinyShape,
  extra: (shape: TinyShape, make: WeightFactory) => GgufTensor[] = () => [],
): Blueprint => ({
  entries: transformerEntries(shape),
  layer: (_, make) => [
    ...attention(shape, make),
    ...extra(shape, make),
    ...feedForward(shape, make),
  ],
  outputNorm: 'output_norm.weight',
  embeddingSpread: 1,
});

const slidingPattern = 3;

function gemma3(shape: TinyShape): Blueprint {
  const postNorms = (_: TinyShape, make: WeightFactory): GgufTensor[] => [
    ...headNorms(shape, make),
    make.norm('post_attention_norm.weight', shape.embedding),
    make.norm('post_ffw_norm.weight', shape.embedding),
  ];
  const plain = transformer(shape, postNorms);
  return {
    ...plain,
    entries: {
      ...plain.entries,
      'attention.sliding_window': u32(shape.slidingWindow),
      'attention.sliding_window_pattern': u32(slidingPattern),
    },
    // This architecture multiplies embeddings with the root of their length.
    embeddingSpread: 1 / Math.sqrt(shape.embedding),
  };
}

/** The rank is a multiple of 32, so that Q8_0 can hold the matrix too. */
const mambaSizes = { kernel: 4, state: 16, timeStepRank: 32 } as const;

function mamba({ embedding }: TinyShape): Blueprint {
  const { kernel, state, timeStepRank } = mambaSizes;
  const inner = 2 * embedding;
  return {
    entries: {
      'ssm.conv_kernel': u32(kernel),
      'ssm.inner_size': u32(inner),
      'ssm.state_size': u32(state),
      'ssm.time_step_rank': u32(timeStepRank),
      'attention.layer_norm_rms_epsilon': epsilon,
      'attention.head_count': u32(0),
    },
    layer: (_, make) => [
      make.norm('attn_norm.weight', embedding),
      make.matrix('ssm_in.weight', embedding, 2 * inner),
      make.floats('ssm_conv1d.weight', [kernel, inner], (random) => 2 * random() - 1),
      make.floats('ssm_conv1d.bias', [inner], () => 0),
      make.matrix('ssm_x.weight', inner, timeStepRank + 2 * state, 2),
      make.matrix('ssm_dt.weight', timeStepRank, inner, 0.5),
      // Time steps of 0.02 to 0.3: some channels forget within tokens, others in hundreds.
      make.floats('ssm_dt.bias', [inner], (random) => -4 + 3 * random()),
      make.floats('ssm_a', [state, inner], (_random, index) => -((index % state) + 1) / 4),
      make.floats('ssm_d', [inner], () => 1),
      make.matrix('ssm_out.weight', inner, embedding, 2),
    ],
    outputNorm: 'output_norm.weight',
    embeddingSpread: 1,
  };
}

const shortConvolution = 3;

/** Every second layer has attention, the others convolutions over the last three tokens. */
function lfm2(shape: TinyShape): Blueprint {
  const { embedding } = shape;
  const hasAttention = (layer: number): boolean => layer % 2 === 1;
  const kvHeads = Array.from({ length: shape.layers }, (_, layer) =>
    hasAttention(layer) ? shape.kvHeads : 0,
  );
  return {
    entries: {
      ...transformerEntries(shape),
      'attention.head_count_kv': { array: 'i32', values: kvHeads },
      'shortconv.l_cache': u32(shortConvolution),
    },
    layer: (layer, make) => [
      ...(hasAttention(layer)
        ? [...attention(shape, make), ...headNorms(shape, make)]
        : [
            make.norm('attn_norm.weight', embedding),
            make.floats(
              'shortconv.conv.weight',
              [shortConvolution, embedding],
              (random) => 2 * random() - 1,
            ),
            make.matrix('shortconv.in_proj.weight', embedding, 3 * embedding),
            make.matrix('shortconv.out_proj.weight', embedding, embedding),
          ]),
      ...feedForward(shape, make),
    ],
    outputNorm: 'token_embd_norm.weight',
    embeddingSpread: 1,
  };
}

const blueprints: Readonly<Record<TinyArchitecture, (shape: TinyShape) => Blueprint>> = {
  llama: (shape) => transformer(shape),
  qwen2: (shape) => transformer(shape, biases),
  qwen3: (shape) => transformer(shape, headNorms),
  gemma3,
  mamba,
  lfm2,
};
