/**
 * The arrays of a llama_batch, outside JavaScript's heap for the life of the decoder: a typed array
 * may be moved or collected while the library still has its address. `llama-decoder.ts` owns one, and
 * nothing is allocated from one pass to the next.
 */

import koffi from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import type { Pointer } from './bind-library.ts';
import type { TokenRun } from './decoder.ts';

export type BatchMemory = ReturnType<typeof allocateBatch>;

/** Room for so many tokens. Writing past it would be silent: `fillBatch` checks. */
export function allocateBatch(tokens: number) {
  const allocate = (type: string, bytes: number) => {
    const pointer = koffi.alloc(type, tokens) as Pointer;
    return { pointer, memory: koffi.view(pointer, tokens * bytes) };
  };
  const token = allocate('int32_t', 4);
  const pos = allocate('int32_t', 4);
  const seq = allocate('int32_t', 4);
  const seqCount = allocate('int32_t', 4);
  const seqPointers = allocate('int64_t', 8);
  const output = allocate('int8_t', 1);
  new Int32Array(seqCount.memory).fill(1);
  const pointers = new BigInt64Array(seqPointers.memory);
  for (let i = 0; i < tokens; i += 1) pointers[i] = seq.pointer + BigInt(4 * i);
  return {
    token: new Int32Array(token.memory),
    pos: new Int32Array(pos.memory),
    seq: new Int32Array(seq.memory),
    output: new Int8Array(output.memory),
    room: tokens,
    struct: {
      n_tokens: 0,
      token: token.pointer,
      embd: null,
      pos: pos.pointer,
      n_seq_id: seqCount.pointer,
      seq_id: seqPointers.pointer,
      logits: output.pointer,
    },
    owned: [token, pos, seq, seqCount, seqPointers, output].map(({ pointer }) => pointer),
  };
}

/** Puts the runs into the batch, one after another. */
export function fillBatch(batch: BatchMemory, runs: readonly TokenRun[]): void {
  const { token, pos, seq, output, struct, room } = batch;
  let count = 0;
  for (const { slot, position, tokens, outputs } of runs) {
    const length = tokens.length;
    if (count + length > room) {
      throw new ParlanceError('internal', `More than ${room} tokens do not fit a pass.`);
    }
    for (let i = 0; i < length; i += 1) {
      token[count] = tokens[i] ?? 0;
      pos[count] = position + i;
      seq[count] = slot;
      output[count] = i < length - outputs ? 0 : 1;
      count += 1;
    }
  }
  struct.n_tokens = count;
}

export function freeBatch(batch: BatchMemory): void {
  for (const pointer of batch.owned) koffi.free(pointer);
}
