/**
 * The compiled passes of `kernels.wat` and their memory. The sampler's workspace calls them; nothing
 * else knows that they are WebAssembly. One instance serves all samplers of the process.
 */

import { readFileSync } from 'node:fs';

import { assembleWat } from './assemble-wat.ts';

/** What each does is said in `kernels.wat`. Pointers are in bytes, counts in elements. */
export interface Kernels {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  blockMaxima(row: number, end: number, maxima: number): number;
  gather(
    ...args: readonly [
      row: number,
      end: number,
      maxima: number,
      floor: number,
      ids: number,
      logits: number,
    ]
  ): number;
  weigh(
    ...args: readonly [logits: number, count: number, max: number, rate: number, weights: number]
  ): void;
  sum(weights: number, count: number, target: number, place: number): number;
  keepHeavy(
    ...args: readonly [ids: number, logits: number, weights: number, count: number, least: number]
  ): number;
  keepBest(
    ...args: readonly [
      ids: number,
      logits: number,
      weights: number,
      count: number,
      cut: number,
      lastId: number,
    ]
  ): number;
  range(logits: number, count: number, place: number): void;
  fillBins(
    ...args: readonly [
      logits: number,
      weights: number,
      count: number,
      high: number,
      scale: number,
      lastBin: number,
      bins: number,
    ]
  ): void;
  takeBin(
    ...args: readonly [
      ids: number,
      logits: number,
      weights: number,
      count: number,
      high: number,
      scale: number,
      lastBin: number,
      wanted: number,
      toIds: number,
      toLogits: number,
      toWeights: number,
    ]
  ): number;
}

/** The part of the global object that TypeScript's library without a browser does not describe. */
interface WebAssemblyHost {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: unknown };
  };
}

function instantiate(): Kernels {
  const { WebAssembly } = globalThis as unknown as WebAssemblyHost;
  const text = readFileSync(new URL('./kernels.wat', import.meta.url), 'utf8');
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assembleWat(text)));
  const compiled = exports as Kernels;
  writeShuffles(new Uint8Array(compiled.memory.buffer));
  writeRoots(new BigInt64Array(compiled.memory.buffer, 1024, 64));
  return compiled;
}

/** For each mask of lanes, the bytes of its lanes, first lane first; `kernels.wat` says where they lie. */
function writeShuffles(memory: Uint8Array): void {
  for (const { at, lanes } of [
    { at: 512, lanes: 4 },
    { at: 768, lanes: 2 },
  ]) {
    const laneBytes = 16 / lanes;
    for (let mask = 0; mask < 2 ** lanes; mask++) {
      let end = at + mask * 16;
      for (let byte = 0; byte < 16; byte++) {
        if ((mask >> Math.floor(byte / laneBytes)) & 1) memory[end++] = byte;
      }
    }
  }
}

/** The bits of 2^(j / 64), j from 0 to 63, each less j << 46; of square roots, which are the same everywhere. */
function writeRoots(memory: BigInt64Array): void {
  const root = new Float64Array(1);
  const bits = new BigInt64Array(root.buffer);
  for (let j = 0; j < 64; j++) {
    let power = 1;
    for (let factor = 2, bit = 64; bit > 1; bit /= 2) {
      factor = Math.sqrt(factor);
      if (j & (bit / 2)) power *= factor;
    }
    root[0] = power;
    memory[j] = (bits[0] ?? 0n) - (BigInt(j) << 46n);
  }
}

export const kernels: Kernels = instantiate();
