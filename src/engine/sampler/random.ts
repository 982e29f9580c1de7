/**
 * The random numbers of one choice: a stream of uniform draws made from the request's seed and the
 * index of the choice. Called by the sampler. A seed gives the same stream on every machine.
 */

import { randomBytes } from 'node:crypto';

/** Gives a uniform number in [0, 1) with 53 random bits; each call advances the stream. */
export type Uniform = () => number;

const GOLDEN = 0x9e3779b97f4a7c15n;

/**
 * The stream of one choice. `seed` is a signed 64-bit integer in decimal, null for an unpredictable
 * one. Choice 0 is the stream of the seed itself, so it draws the same whatever n is.
 *
 * xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), its
 * state filled by splitmix64 (Steele, Lea and Flood, 2014) as its authors advise.
 */
export function createUniform(seed: string | null, choice: number): Uniform {
  const start = seed === null ? randomBytes(8).readBigUInt64LE() : BigInt(seed);
  let counter = BigInt.asUintN(64, start ^ mix(BigInt(choice) * GOLDEN));
  const nextSeed = (): bigint => {
    counter = BigInt.asUintN(64, counter + GOLDEN);
    return mix(counter);
  };
  const [low, high] = [nextSeed(), nextSeed()];
  const state = new Int32Array(
    [low, low >> 32n, high, high >> 32n].map((word) => Number(BigInt.asIntN(32, word))),
  );
  return () => {
    const upper = nextWord(state) >>> 5;
    const lower = nextWord(state) >>> 6;
    return (upper * 2 ** 26 + lower) / 2 ** 53;
  };
}

/** The output function of splitmix64; 0 stays 0. */
function mix(value: bigint): bigint {
  let mixed = BigInt.asUintN(64, value);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}

/** One step of xoshiro128**: 32 random bits, and the state moves on. */
function nextWord(state: Int32Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = state;
  const word = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9);
  const c1 = c ^ a;
  const d1 = d ^ b;
  state[0] = a ^ d1;
  state[1] = b ^ c1;
  state[2] = c1 ^ (b << 9);
  state[3] = rotateLeft(d1, 11);
  return word;
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
