/**
 * From a row of edited logits to the tokens that may be drawn and their weights: temperature, min_p,
 * top_k, top_p, in that order. Called by the sampler. Never sorts a vocabulary: tokens are summed in
 * bins by their distance from the best, and only the bin where a filter cuts is looked into. Works in
 * the shared workspace, so a result holds until the next row is loaded.
 */

import { keepBest, keepUpTo } from './keep-best.ts';
import { kernels } from './kernels.ts';
import { leastOfBest } from './least-of-best.ts';
import {
  blockCount,
  currentWorkspace,
  gatherFrom,
  GROUP,
  sumWeights,
  type ScannedRow,
} from './workspace.ts';

export interface CandidateRules {
  /** Above 0. */
  readonly temperature: number;
  readonly minP: number;
  /** 0 = off. */
  readonly topK: number;
}

/** Parallel arrays in order of token ID; only the first `size` entries count. */
export interface Candidates {
  readonly ids: Int32Array;
  /** e^((l - best) / T); a token's probability is its weight / `total`. */
  readonly weights: Float64Array;
  readonly size: number;
  readonly total: number;
}

/** A draw has 53 bits: what is below 2^-54 of the best cannot be drawn, and counts as nothing. */
const WIDEST_NATS = 54 * Math.LN2;
/** Up to this top_k a look at the largest value of each block finds a floor for the k best. */
const SMALL_TOP_K = 128;

/**
 * The tokens that may be drawn from the row in the workspace, of which at least one is possible.
 * At most 2^21 tokens.
 */
export function findCandidates(
  { values, max }: ScannedRow,
  rules: CandidateRules,
  topP: number,
): Candidates {
  const { at, ids, weights } = currentWorkspace();
  let size = gatherFrom(values.length, floorOf(max, values.length, rules));
  if (rules.topK > 0) size = keepBest(size, rules.topK);
  kernels.weigh(at.logits, size, max, 1 / rules.temperature, at.weights);
  let total = sumWeights(size);
  if (topP < 1) {
    const lightest = hopelessBelow(topP, total, size);
    size = kernels.keepHeavy(at.ids, at.logits, at.weights, size, lightest);
    size = keepUpTo(size, topP * total);
    total = sumWeights(size);
  }
  return { ids, weights, size, total };
}

/** Inversion: the token at which the summed weights pass `uniform` (in [0, 1)) x total. */
export function drawCandidate({ ids, weights, size, total }: Candidates, uniform: number): number {
  const { at, place } = currentWorkspace();
  const target = uniform * total;
  let reached = kernels.sum(at.weights, size, target, at.place);
  const group = place.whole[0] as number;
  const last = Math.min(group + GROUP, size) - 1;
  for (let i = group; i < last; i++) {
    reached += weights[i] as number;
    if (reached > target) return ids[i] as number;
  }
  return ids[last] as number;
}

/** The lowest logit that may stay, as a Float32. */
function floorOf(max: number, length: number, { temperature, minP, topK }: CandidateRules): number {
  const nats = minP > 0 ? Math.min(WIDEST_NATS, -Math.log(minP)) : WIDEST_NATS;
  const floor = roundUp(max - temperature * nats);
  const blocks = blockCount(length);
  if (topK === 0 || topK > SMALL_TOP_K || topK > blocks) return floor;
  return Math.max(floor, leastOfBest(currentWorkspace().maxima, blocks, topK));
}

const asFloat = new Float32Array(1);
const asBits = new Int32Array(asFloat.buffer);

/** The lowest Float32 that is not below `value`, which is below what a Float32 can hold. */
function roundUp(value: number): number {
  asFloat[0] = value;
  const rounded = asFloat[0];
  if (rounded >= value) return rounded;
  // One step up: a negative number's bits grow as it falls.
  asBits[0] = (asBits[0] as number) + (rounded < 0 ? -1 : 1);
  return asFloat[0];
}

/**
 * A weight too light for any nucleus: below an even share of the mass outside it, so all such tokens
 * together weigh less than that mass. Rounding in the sums must not drop one token too many.
 */
function hopelessBelow(topP: number, total: number, size: number): number {
  return (((1 - topP) * total) / size) * 0.999;
}
