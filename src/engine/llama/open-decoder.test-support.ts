/** Opens a decoder on a weights file, for tests of the real library. */

import assert from 'node:assert/strict';

import type { Decoder, TokenRun } from './decoder.ts';
import { openLibrary } from './library.ts';
import { createLlamaDecoder, type DecoderOptions } from './llama-decoder.ts';
import { loadModel } from './llama-model.ts';

export const testOptions: DecoderOptions = {
  slots: 3,
  context: 1024,
  kvType: 'q8_0/f16',
  threads: 2,
  threadsFixed: false,
  batchTokens: 256,
  maxDraftTokens: 4,
  keepWholeWindow: true,
};

export function openDecoder(path: string, options: Partial<DecoderOptions> = {}): Decoder {
  const library = openLibrary();
  const model = loadModel(library, path, () => {});
  return createLlamaDecoder(library, model, { ...testOptions, ...options });
}

export function testModel(): string {
  const path = process.env['PARLANCE_TEST_MODEL'];
  assert.ok(path, 'set PARLANCE_TEST_MODEL to the file of the default model');
  return path;
}

/** Appends tokens to a slot in passes of at most `chunk`; returns a copy of the last logits. */
export function append(
  decoder: Decoder,
  slot: number,
  tokens: readonly number[],
  chunk = 256,
): Float32Array {
  for (let start = 0; start < tokens.length; start += chunk) {
    const piece = tokens.slice(start, start + chunk);
    decodeAll(decoder, [{ slot, position: decoder.seqLength(slot), tokens: piece, outputs: 1 }]);
  }
  return decoder.logits(0, 0).slice();
}

export function decodeAll(decoder: Decoder, runs: readonly TokenRun[]): void {
  assert.equal(decoder.decode(runs, null), 0);
}

/** The same tokens at each run: a walk through the vocabulary. */
export function someTokens(decoder: Decoder, count: number, seed = 1): number[] {
  const { size } = decoder.vocabulary;
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % size;
  });
}
