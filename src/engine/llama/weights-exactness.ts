/**
 * Whether results can be the same bits whatever else runs beside a request, as far as the weights
 * decide it. Pure. The kernels of some types add in another order when a pass has more columns. What
 * holds was found by experiment (llama.cpp v0.5.0; the kernels for x64, Haswell, Skylake-X, Ice Lake and
 * Zen 4; prompts in pieces of 1 to 256 tokens, alone and in company), see
 * docs/decisions/0013-where-bits-repeat.md. `llama-model.ts` asks before it loads a file.
 */

import type { Ability } from '../protocol.ts';
import type { HeaderTensor } from './read-header.ts';

export interface Kernels {
  /** Let the library rearrange weights for faster prompts. */
  readonly repack: boolean;
  readonly exact: Ability;
}

const names: ReadonlyMap<number, string> = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [10, 'Q2_K'],
  [11, 'Q3_K'],
  [12, 'Q4_K'],
  [20, 'IQ4_NL'],
  [23, 'IQ4_XS'],
  [30, 'BF16'],
]);

/** ggml_type: Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q5_K Q6_K TQ1_0 TQ2_0 are exact either way. */
const exactAlways = [2, 3, 6, 7, 8, 13, 14, 34, 35];
const exactRepacked: ReadonlySet<number> = new Set([...exactAlways, 20]);
const exactAsStored: ReadonlySet<number> = new Set([...exactAlways, 10, 11, 12]);

/** Architectures with a recurrent part for which it was tried. */
const exactRecurrent: ReadonlySet<string> = new Set(['mamba', 'lfm2']);

/** Matrices that no product is made of, so that their type does not matter. */
const noProduct = /(?:norm|bias|conv1d\.weight|conv\.weight|ssm_a|ssm_d|rope_freqs\.weight)$/;

export interface WeightsQuestion {
  /** Null where the file's own list is not to be had. */
  readonly tensors: readonly HeaderTensor[] | null;
  readonly architecture: string;
  readonly processor: NodeJS.Architecture;
  /** Asked for (true), not wanted (false), or wanted where it costs nothing (null). */
  readonly deterministic: boolean | null;
}

export function chooseKernels(question: WeightsQuestion): Kernels {
  const off = (why: string): Kernels => ({ repack: true, exact: { on: false, why } });
  const { tensors, processor, deterministic } = question;
  if (deterministic === false) return off('it was switched off');
  if (processor !== 'x64') return off(`it was never tried on a processor of type ${processor}`);
  if (tensors === null) return off('the file does not tell the types of all its weights');
  const asRepacked = findInexact(tensors, exactRepacked);
  if (asRepacked === null) return { repack: true, exact: { on: true, why: null } };
  const asStored = findInexact(tensors, exactAsStored);
  if (asStored !== null) return off(`its weights are of a type that cannot give it (${asStored})`);
  if (deterministic === true) return { repack: false, exact: { on: true, why: null } };
  return off(
    `its weights (${asRepacked}) give it only with slower prompts; "deterministic": true asks for that`,
  );
}

/** Null: a recurrent part of this architecture is known to be exact. */
export function findRecurrentProblem(architecture: string): string | null {
  if (exactRecurrent.has(architecture)) return null;
  return `it was never tried with a recurrent model of the architecture ${architecture}`;
}

/** The first matrix of a type that is not among the exact ones, with that type. */
function findInexact(tensors: readonly HeaderTensor[], exact: ReadonlySet<number>): string | null {
  const isTied = tensors.every(({ name }) => name !== 'output.weight');
  for (const { name, type, dimensions } of tensors) {
    const isMatrix = dimensions.filter((length) => length > 1).length >= 2;
    const isTable =
      (name === 'token_embd.weight' && !isTied) || name === 'per_layer_token_embd.weight';
    if (!isMatrix || isTable || noProduct.test(name) || exact.has(type)) continue;
    return `${name} is ${names.get(type) ?? `ggml type ${type}`}`;
  }
  return null;
}
