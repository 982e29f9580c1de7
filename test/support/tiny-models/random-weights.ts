/**
 * Random weights as tensors of a GGUF file: reproducible from a seed and the tensor's name, and the
 * same numbers whether they are stored as F32 or as Q8_0. Only the builders of this folder use it.
 */

import type { GgufTensor } from '../gguf-writer.ts';
import { createRandom } from '../random-numbers.ts';

export type WeightType = 'f32' | 'q8_0';

/** ggml's numbers of the types that are written here. */
const ggmlNumber = { f32: 0, q8_0: 8 } as const;

const blockWeights = 32;
const blockBytes = 34;

export interface MatrixOptions {
  readonly type: WeightType;
  readonly seed: number;
  /** Standard deviation of the weights. */
  readonly spread: number;
  /** Factor of a row's spread; 1 where it is not given. */
  readonly rowFactor?: (row: number) => number;
}

/**
 * A matrix of `rows` rows with `columns` weights each, in ggml's order (columns first). A weight is
 * an integer of -127..127, all equally probable, times a scale that binary16 can hold: exactly what a
 * block of Q8_0 stores. `columns` must be a multiple of 32 for `q8_0`.
 */
export function randomMatrix(
  name: string,
  [columns, rows]: readonly [columns: number, rows: number],
  options: MatrixOptions,
): GgufTensor {
  const random = createRandom(options.seed ^ hash(name));
  const integers = Int8Array.from(
    { length: columns * rows },
    () => Math.floor(random() * 255) - 127,
  );
  const scales = Array.from({ length: rows }, (_, row) =>
    toHalf((options.spread * (options.rowFactor?.(row) ?? 1)) / integerSpread),
  );
  const data = options.type === 'f32' ? toFloats(integers, scales) : toBlocks(integers, scales);
  return { name, type: ggmlNumber[options.type], dimensions: [columns, rows], data };
}

/** Standard deviation of an integer drawn from -127..127. */
const integerSpread = Math.sqrt((255 ** 2 - 1) / 12);

/** A vector or small matrix in F32 whose values are computed one by one; `random` gives [0, 1). */
export function floatTensor(
  name: string,
  dimensions: readonly number[],
  seed: number,
  value: (random: () => number, index: number) => number,
): GgufTensor {
  const random = createRandom(seed ^ hash(name));
  const length = dimensions.reduce((product, size) => product * size, 1);
  const data = Float32Array.from({ length }, (_, index) => value(random, index));
  return { name, type: ggmlNumber.f32, dimensions, data: new Uint8Array(data.buffer) };
}

interface Half {
  readonly bits: number;
  readonly value: number;
}

/** The binary16 nearest to a positive number between 2^-14 and 65504. */
function toHalf(number: number): Half {
  let exponent = Math.floor(Math.log2(number));
  let fraction = Math.round((number / 2 ** exponent - 1) * 1024);
  if (fraction === 1024) {
    exponent += 1;
    fraction = 0;
  }
  return {
    bits: ((exponent + 15) << 10) | fraction,
    value: (1 + fraction / 1024) * 2 ** exponent,
  };
}

function toFloats(integers: Int8Array, scales: readonly Half[]): Uint8Array {
  const columns = integers.length / scales.length;
  const floats = Float32Array.from(
    integers,
    (integer, index) => integer * (scales[Math.floor(index / columns)]?.value ?? 0),
  );
  return new Uint8Array(floats.buffer);
}

/** Blocks of 32 weights: a binary16 scale, then 32 signed bytes. */
function toBlocks(integers: Int8Array, scales: readonly Half[]): Uint8Array {
  const blocksInRow = integers.length / scales.length / blockWeights;
  const out = Buffer.alloc((integers.length / blockWeights) * blockBytes);
  for (let block = 0; block * blockWeights < integers.length; block += 1) {
    const at = block * blockBytes;
    out.writeUInt16LE(scales[Math.floor(block / blocksInRow)]?.bits ?? 0, at);
    const from = block * blockWeights;
    out.set(new Uint8Array(integers.buffer, from, blockWeights), at + 2);
  }
  return out;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) state = Math.imul(state ^ byte, 0x01000193);
  return state;
}
