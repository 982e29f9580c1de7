/**
 * From a row of edited logits to the tokens that may be drawn and their weights: temperature, min_p,
 * top_k, top_p, in that order. Called by the sampler. Never sorts a vocabulary: tokens are counted in
 * bins by their distance from the best, and only the bin where a filter cuts is sorted. Owns one
 * workspace that all samplers of the process share, so a result holds until the next call.
 */

import { exponential } from './exponential.ts';

export interface CandidateRules {
  /** Above 0. */
  readonly temperature: number;
  readonly minP: number;
  /** 0 = off. */
  readonly topK: number;
  readonly topP: number;
}

/** Parallel arrays in order of token ID; only the first `size` entries count. */
export interface Candidates {
  readonly ids: Int32Array;
  /** e^((l - best) / T); a token's probability is its weight / `total`. */
  readonly weights: Float64Array;
  readonly size: number;
  readonly total: number;
}

const BINS = 2048;
/** A draw has 53 bits: what is below 2^-54 of the best cannot be drawn, and counts as nothing. */
const WIDEST_NATS = 54 * Math.LN2;
/** Keys hold 32 bits of logit above 21 bits of token ID: 53 bits, exact in a Float64. */
const ID_RANGE = 2 ** 21;

interface Workspace {
  readonly row: Float32Array;
  readonly ids: Int32Array;
  readonly weights: Float64Array;
  readonly keys: Float64Array;
}

/** One row on its way through the filters. */
interface Pass extends Workspace {
  readonly max: number;
  /** The lowest logit that may stay. */
  readonly floor: number;
  readonly perTemperature: number;
  readonly binsPerLogit: number;
}

/** A place in the order of tokens: best first, among equals the lower ID first. */
interface Cut {
  readonly bin: number;
  /** Key of the last token of that bin that stays. */
  readonly key: number;
}

const binCounts = new Int32Array(BINS + 1);
const binWeights = new Float64Array(BINS + 1);
const floatView = new Float32Array(1);
const bitView = new Int32Array(floatView.buffer);
let shared: Workspace | null = null;

function workspaceFor(size: number): Workspace {
  if (shared?.row.length !== size) {
    shared = {
      row: new Float32Array(size),
      ids: new Int32Array(size),
      weights: new Float64Array(size),
      keys: new Float64Array(size),
    };
  }
  return shared;
}

/** A copy of `logits` in the shared scratch row, free to be edited until the next call. */
export function scratchCopy(logits: Float32Array): Float32Array {
  const { row } = workspaceFor(logits.length);
  row.set(logits);
  return row;
}

/**
 * The tokens that may be drawn from `row`, which is a model's row or the scratch row, and is only
 * read. `best` is the index of its largest value, which is finite. At most 2^21 tokens.
 */
export function findCandidates(row: Float32Array, best: number, rules: CandidateRules): Candidates {
  const max = row[best] as number;
  const nats = rules.minP > 0 ? Math.min(WIDEST_NATS, -Math.log(rules.minP)) : WIDEST_NATS;
  const floor = max - rules.temperature * nats;
  const pass: Pass = {
    ...workspaceFor(row.length),
    row,
    max,
    floor,
    perTemperature: 1 / rules.temperature,
    binsPerLogit: floor < max ? BINS / (max - floor) : 0,
  };
  const limited = rules.topK > 0 && rules.topK < row.length;
  let size = limited ? gatherBest(pass, rules.topK) : gatherAll(pass);
  let total = weigh(pass, size);
  if (rules.topP < 1) {
    size = dropHopeless(pass, size, ((1 - rules.topP) * total) / size);
    size = keepUpTo(pass, size, findNucleus(pass, size, rules.topP * total));
    total = 0;
    for (let i = 0; i < size; i++) total += pass.weights[i] as number;
  }
  return { ids: pass.ids, weights: pass.weights, size, total };
}

function gatherAll({ row, floor, ids }: Pass): number {
  let size = 0;
  for (let id = 0; id < row.length; id++) {
    if ((row[id] as number) >= floor) ids[size++] = id;
  }
  return size;
}

/** Gathers the `count` best tokens at or above the floor. */
function gatherBest(pass: Pass, count: number): number {
  const { row, floor, ids } = pass;
  binCounts.fill(0);
  for (let id = 0; id < row.length; id++) {
    const logit = row[id] as number;
    if (logit < floor) continue;
    const bin = binOf(pass, logit);
    binCounts[bin] = (binCounts[bin] as number) + 1;
  }
  let bin = 0;
  let better = 0;
  while (bin < BINS && better + (binCounts[bin] as number) < count) {
    better += binCounts[bin] as number;
    bin++;
  }
  let size = 0;
  for (let id = 0; id < row.length; id++) {
    const logit = row[id] as number;
    if (logit >= floor && binOf(pass, logit) <= bin) ids[size++] = id;
  }
  if (size <= count) return size;
  const keys = sortedKeys(pass, size, bin);
  return keepUpTo(pass, size, { bin, key: keys[count - better - 1] as number });
}

/** Fills in the weights of the gathered tokens and returns their sum. */
function weigh({ row, ids, weights, max, perTemperature }: Pass, size: number): number {
  let total = 0;
  for (let i = 0; i < size; i++) {
    const weight = exponential(((row[ids[i] as number] as number) - max) * perTemperature);
    weights[i] = weight;
    total += weight;
  }
  return total;
}

/**
 * Drops tokens too light for any nucleus: each below an even share of the mass outside it, so all of
 * them together weigh less than that mass. Leaves the exact search few tokens to look at.
 */
function dropHopeless({ ids, weights }: Pass, size: number, evenShare: number): number {
  // Rounding in the sums must not drop one token too many.
  const lightest = evenShare * 0.999;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const weight = weights[i] as number;
    if (weight < lightest) continue;
    ids[kept] = ids[i] as number;
    weights[kept++] = weight;
  }
  return kept;
}

/** Where the fewest best tokens end whose weights reach `mass`; the best one is always in. */
function findNucleus(pass: Pass, size: number, mass: number): Cut {
  const { row, ids, weights, max, perTemperature } = pass;
  binWeights.fill(0);
  for (let i = 0; i < size; i++) {
    const bin = binOf(pass, row[ids[i] as number] as number);
    binWeights[bin] = (binWeights[bin] as number) + (weights[i] as number);
  }
  let bin = 0;
  let reached = 0;
  while (bin < BINS && reached + (binWeights[bin] as number) < mass) {
    reached += binWeights[bin] as number;
    bin++;
  }
  const keys = sortedKeys(pass, size, bin);
  for (const key of keys) {
    const logit = row[key % ID_RANGE] as number;
    reached += exponential((logit - max) * perTemperature);
    if (reached >= mass) return { bin, key };
  }
  return { bin, key: Infinity };
}

/** Keys of the gathered tokens of one bin, best first. */
function sortedKeys(pass: Pass, size: number, bin: number): Float64Array {
  const { row, ids, keys } = pass;
  let count = 0;
  for (let i = 0; i < size; i++) {
    const id = ids[i] as number;
    const logit = row[id] as number;
    if (binOf(pass, logit) === bin) keys[count++] = keyOf(logit, id);
  }
  return keys.subarray(0, count).sort();
}

/** Drops the gathered tokens behind the cut, weights and all, and returns how many stay, in order of ID as before. */
function keepUpTo(pass: Pass, size: number, cut: Cut): number {
  const { row, ids, weights } = pass;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const id = ids[i] as number;
    const logit = row[id] as number;
    const bin = binOf(pass, logit);
    if (bin > cut.bin || (bin === cut.bin && keyOf(logit, id) > cut.key)) continue;
    ids[kept] = id;
    weights[kept++] = weights[i] as number;
  }
  return kept;
}

function binOf(pass: Pass, logit: number): number {
  const bin = ((pass.max - logit) * pass.binsPerLogit) | 0;
  return bin < BINS ? bin : BINS;
}

/** A number that sorts tokens: higher logits first, then lower IDs. */
function keyOf(logit: number, id: number): number {
  // Adding 0 turns -0 into 0, which is the same logit but has other bits.
  floatView[0] = logit + 0;
  const pattern = bitView[0] as number;
  // A negative float's bits grow as it falls; a positive one's grow as it rises.
  const descending = pattern < 0 ? pattern >>> 0 : 0x7fffffff - pattern;
  return descending * ID_RANGE + id;
}
