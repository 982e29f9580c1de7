/**
 * How fast weights files are on this machine: loads them side by side as the engine would and times
 * short passes in turn, so that a machine that slows down does so for all of them. Only the short
 * process of `requantise-main.ts` calls it; it blocks.
 */

import { defaultEngineOptions } from './client/engine.ts';
import type { Decoder } from './llama/decoder.ts';
import { openLibrary } from './llama/library.ts';
import { loadModel } from './llama/llama-model.ts';
import { openDecoder } from './open-decoder.ts';
import { toSpeeds, type SpeedSample, type WeightsSpeed } from './speed-samples.ts';

/** Short, so that some of them find the machine quiet. */
const prefillTokens = 64;
const decodeTokens = 4;
/** Rounds over all files at the least and at the most; between them the first clear answer ends it. */
const fewestRounds = 4;
const mostRounds = 100;
const context = 512;

/** One file each; `null` where other programs disturbed the passes too much. */
export function measureWeights(
  paths: readonly string[],
  threads: number,
  budgetMs: number,
): (WeightsSpeed | null)[] {
  const decoders = paths.map((path) => open(path, threads));
  const samples: SpeedSample[] = [];
  const begin = performance.now();
  const isLate = (): boolean => performance.now() - begin > budgetMs;
  for (let round = 0; round < mostRounds; round += 1) {
    for (const [file, decoder] of decoders.entries()) {
      if (isLate()) break;
      // The first pass of a file touches memory for the first time.
      const taken = takeSamples(decoder, file);
      if (round > 0) samples.push(...taken);
    }
    const speeds = toSpeeds(samples, paths.length, threads);
    if (isLate() || (round >= fewestRounds && speeds.every((speed) => speed !== null))) break;
  }
  const speeds = toSpeeds(samples, paths.length, threads);
  for (const decoder of decoders) decoder.close();
  return speeds;
}

function open(path: string, threads: number): Decoder {
  const options = { ...defaultEngineOptions, slots: 1, context, threads, gpuLayers: 0 };
  const library = openLibrary();
  const model = loadModel(library, path, () => {});
  return openDecoder(library, model, options).decoder;
}

/** A prompt of one pass and two pieces of decoding, from an empty slot. */
function takeSamples(decoder: Decoder, file: number): SpeedSample[] {
  const { size } = decoder.vocabulary;
  const token = (position: number): number => (position * 7919) % size;
  let position = 0;
  const pass = (tokens: number): void => {
    const ids = Array.from({ length: tokens }, (_, index) => token(position + index));
    decoder.decode([{ slot: 0, position, tokens: ids, outputs: 1 }], null);
    position += tokens;
  };
  const time = (kind: SpeedSample['kind'], tokens: number, work: () => void): SpeedSample => {
    const cpu = process.cpuUsage();
    const begin = performance.now();
    work();
    const wallMs = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    return { file, kind, tokens, wallMs, cpuMs: (user + system) / 1000 };
  };
  const generate = (): void => {
    for (let index = 0; index < decodeTokens; index += 1) pass(1);
  };
  decoder.seqRemove(0, 0);
  return [
    time('prefill', prefillTokens, () => pass(prefillTokens)),
    time('decode', decodeTokens, generate),
    time('decode', decodeTokens, generate),
  ];
}
