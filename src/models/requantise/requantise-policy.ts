/**
 * Which weights may run faster as Q8_0, and whether measured ones do. Pure. Never to fewer bits: a
 * file with tensors that Q8_0 would shorten stays as it is.
 */

import { ggmlTypes } from '../gguf/ggml-types.ts';

/** Tokens a second. */
export interface Speed {
  readonly prefill: number;
  readonly decode: number;
}

export interface WeightsFacts {
  readonly path: string;
  readonly fileBytes: number;
  /** ggml type number -> weights in tensors of more than one dimension. */
  readonly matrixWeights: ReadonlyMap<number, number>;
}

export type Candidate =
  | { readonly may: true; /** About, of the Q8_0 file. */ readonly targetBytes: number }
  | { readonly may: false; readonly why: string };

/**
 * Decoding reads all weights for every token, so of large weights Q8_0 is slower by what it is larger,
 * and the measurement would cost minutes to say so.
 */
export const largestSource = 1_500_000_000;

const bitsOf = (type: { blockBytes: number; blockWeights: number }): number =>
  (8 * type.blockBytes) / type.blockWeights;
const q8Bits = 8.5;

/** The library finds the parts of a model by their names. */
const partName = /-\d{5}-of-\d{5}\.gguf$/i;

/**
 * Whether trying Q8_0 makes sense for a file. Tensors of one dimension (norms, biases) are F32 in every
 * file and stay so.
 */
export function mayRequantise({ path, fileBytes, matrixWeights }: WeightsFacts): Candidate {
  if (partName.test(path)) return { may: false, why: 'the model is cut into several files' };
  if (fileBytes > largestSource) {
    return { may: false, why: 'weights of this size are bound by memory, where Q8_0 is slower' };
  }
  let grows = 0;
  for (const [type, weights] of matrixWeights) {
    const known = ggmlTypes.get(type);
    if (known === undefined)
      return { may: false, why: `it has tensors of the unknown type ${type}` };
    if (bitsOf(known) > q8Bits) {
      return { may: false, why: `it has ${known.name} tensors, which Q8_0 would shorten` };
    }
    grows += (weights * (q8Bits - bitsOf(known))) / 8;
  }
  if (grows === 0) return { may: false, why: 'it is Q8_0 already' };
  return { may: true, targetBytes: fileBytes + Math.ceil(grows) };
}

/** Prompts must be read this much faster, and text written about as fast as before. */
export const wantedPrefillGain = 1.25;
export const leastDecodeGain = 0.95;

export function isFaster(source: Speed, target: Speed): boolean {
  return (
    target.prefill >= wantedPrefillGain * source.prefill &&
    target.decode >= leastDecodeGain * source.decode
  );
}
