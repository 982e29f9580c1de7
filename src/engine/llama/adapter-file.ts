/**
 * Checks an adapter's file before the library sees it: where a value has a type that it does not
 * expect, or matrices do not go together, the library ends the process. `adapters.ts` calls it; what
 * is left to the library is whether the adapter fits the model.
 */

import { ParlanceError } from '../../contract/errors.ts';
import {
  ggufFloat,
  ggufString,
  HeaderDefect,
  readHeader,
  type Header,
  type HeaderTensor,
} from './read-header.ts';

/** ggml_type -> weights and bytes of a block, for those that adapters are made of. */
const adapterTypes: ReadonlyMap<number, readonly [weights: number, bytes: number]> = new Map([
  [0, [1, 4]],
  [1, [1, 2]],
  [8, [32, 34]],
  [30, [1, 2]],
]);

/** Throws `invalid_adapter` with what is wrong. */
export function checkAdapterFile(path: string): void {
  const problem = findProblem(path);
  if (problem === null) return;
  throw new ParlanceError('invalid_adapter', `The adapter's file ${path} ${problem}.`);
}

function findProblem(path: string): string | null {
  let header: Header;
  try {
    header = readHeader(path);
  } catch (error) {
    if (error instanceof HeaderDefect) return error.message;
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
  }
  return findWrongValue(header) ?? findWrongTensor(header);
}

function findWrongValue({ values }: Header): string | null {
  const text = (key: string): string | null => {
    const found = values.get(key);
    return found?.type === ggufString ? String(found.value) : null;
  };
  if (text('general.type') !== 'adapter') return 'is not an adapter (its general.type says so)';
  if (text('adapter.type') !== 'lora') return 'is an adapter of another kind than LoRA';
  if (text('general.architecture') === null) return 'does not name the architecture it is for';
  const alpha = values.get('adapter.lora.alpha');
  if (alpha !== undefined && alpha.type !== ggufFloat) return 'has an alpha that is no number';
  if (values.has('adapter.alora.invocation_tokens')) {
    return 'is an activated LoRA, which acts on parts of a prompt only; that is not supported';
  }
  return null;
}

function findWrongTensor({ tensors, weightsAt, fileBytes }: Header): string | null {
  if (tensors.length === 0) return 'has no tensors';
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  for (const tensor of tensors) {
    const { name, dimensions, offset } = tensor;
    const pair = /^(?<base>.+)\.lora_(?<half>[ab])$/.exec(name)?.groups;
    if (pair?.['base'] === 'token_embd.weight') {
      // Where the output uses the same table the library ends the process.
      return 'changes the table of embeddings, which is not supported';
    }
    if (pair === undefined) return `has a tensor "${name}" that is no part of a LoRA`;
    if (dimensions.length !== 2 || dimensions.some((length) => length < 1)) {
      return `has a tensor "${name}" that is no matrix`;
    }
    const bytes = bytesOf(tensor);
    if (bytes === null) return `has a tensor "${name}" of a type that adapters cannot have`;
    if (weightsAt + offset + bytes > fileBytes)
      return 'is truncated: its weights are not all there';
    const other = byName.get(`${pair['base']}.lora_${pair['half'] === 'a' ? 'b' : 'a'}`);
    if (other === undefined) return `has only one of the two matrices of "${pair['base']}"`;
    if (pair['half'] === 'a' && dimensions[1] !== other.dimensions[0]) {
      return `has two matrices of "${pair['base']}" that do not go together`;
    }
  }
  return null;
}

function bytesOf({ type, dimensions }: HeaderTensor): number | null {
  const block = adapterTypes.get(type);
  if (block === undefined || (dimensions[0] ?? 0) % block[0] !== 0) return null;
  return (dimensions.reduce((product, length) => product * length, 1) / block[0]) * block[1];
}
