/**
 * Where a filter cuts: among the tokens in the workspace, best first, the one at which their weights
 * reach a mass. Called by the filters and the log-probabilities. Selection without sorting everything:
 * weights are summed in bins by logit, and the bin where the mass is reached is looked into alone,
 * until it is small.
 */

import { kernels } from './kernels.ts';
import { BINS, currentWorkspace, type Workspace } from './workspace.ts';

/** A place in the order of tokens: best first, among equals the lower ID first. */
interface Cut {
  readonly logit: number;
  readonly id: number;
}

/** So few are sorted. */
const SORTABLE = 128;
/** Keys hold 32 bits of logit above 21 bits of position: 53 bits, exact in a Float64. */
const POSITIONS = 2 ** 21;

/** Tokens that are looked at, in order of ID: all in the workspace, or those copied out of it. */
interface Group {
  readonly ids: Int32Array;
  readonly logits: Float32Array;
  readonly weights: Float64Array;
  readonly idsAt: number;
  readonly logitsAt: number;
  readonly weightsAt: number;
}

interface Binning {
  readonly high: number;
  readonly binsPerLogit: number;
}

const keys = new Float64Array(SORTABLE);
const floatView = new Float32Array(1);
const bitView = new Int32Array(floatView.buffer);

/** Keeps the fewest best of `size` tokens whose weights reach `mass`, and always the best one. */
export function keepUpTo(size: number, mass: number): number {
  const { at } = currentWorkspace();
  const { logit, id } = findCut(size, mass);
  return kernels.keepBest(at.ids, at.logits, at.weights, size, logit, id);
}

/** Keeps the `count` best of `size` tokens; their weights are lost. */
export function keepBest(size: number, count: number): number {
  if (size <= count) return size;
  // They are the fewest whose weights reach the count where each weighs 1.
  currentWorkspace().weights.fill(1, 0, size);
  return keepUpTo(size, count);
}

/**
 * The last of the fewest best tokens whose weights reach `mass`: the best one where the mass is 0, the
 * last of all where it is not reached. `size` is 1 to 2^21.
 */
function findCut(size: number, mass: number): Cut {
  const workspace = currentWorkspace();
  let group = everything(workspace);
  let count = size;
  let missing = mass;
  for (;;) {
    const { low, high } = rangeOf(group, count, workspace);
    if (low === high) return cutOfEqual(group, count, missing);
    if (count <= SORTABLE) return walkSorted(group, count, missing);
    const binning = { high, binsPerLogit: BINS / (high - low) };
    const { bin, before } = findBin(group, count, binning, missing);
    missing -= before;
    count = copyOut(group, count, binning, bin);
    group = something(workspace);
  }
}

function everything({ ids, logits, weights, at }: Workspace): Group {
  return {
    ids,
    logits,
    weights,
    idsAt: at.ids,
    logitsAt: at.logits,
    weightsAt: at.weights,
  };
}

function something({ someIds, someLogits, someWeights, at }: Workspace): Group {
  return {
    ids: someIds,
    logits: someLogits,
    weights: someWeights,
    idsAt: at.someIds,
    logitsAt: at.someLogits,
    weightsAt: at.someWeights,
  };
}

function rangeOf(group: Group, count: number, { at, place }: Workspace) {
  group.logits.fill(group.logits[0] as number, count, count + 3);
  kernels.range(group.logitsAt, count, at.place);
  const { floats } = place;
  return { low: Math.min(...floats.subarray(0, 4)), high: Math.max(...floats.subarray(4, 8)) };
}

/** The bin in which the mass is reached (the last that is not empty where it is not), and the sum before. */
function findBin(group: Group, count: number, { high, binsPerLogit }: Binning, mass: number) {
  const { at, bins } = currentWorkspace();
  bins.fill(0);
  const { logitsAt, weightsAt, weights } = group;
  weights.fill(0, count, count + 3);
  kernels.fillBins(logitsAt, weightsAt, count, high, binsPerLogit, BINS - 1, at.bins);
  let reached = 0;
  let found = { bin: 0, before: 0 };
  for (let bin = 0; bin < BINS; bin++) {
    const sums = bin * 4;
    const weight = bins[sums]! + bins[sums + 1]! + (bins[sums + 2]! + bins[sums + 3]!);
    if (weight === 0) continue;
    found = { bin, before: reached };
    reached += weight;
    if (reached >= mass) break;
  }
  return found;
}

/** Copies the tokens of one bin to where small groups lie; `group` may be there already. */
function copyOut(group: Group, count: number, { high, binsPerLogit }: Binning, bin: number) {
  const { at } = currentWorkspace();
  return kernels.takeBin(
    group.idsAt,
    group.logitsAt,
    group.weightsAt,
    count,
    high,
    binsPerLogit,
    BINS - 1,
    bin,
    at.someIds,
    at.someLogits,
    at.someWeights,
  );
}

/** Equal logits lie in order of ID and weigh the same. */
function cutOfEqual({ ids, logits, weights }: Group, count: number, mass: number): Cut {
  const needed = Math.ceil(mass / (weights[0] as number));
  const last = Math.min(Math.max(needed, 1), count) - 1;
  return { logit: logits[last] as number, id: ids[last] as number };
}

function walkSorted({ ids, logits, weights }: Group, count: number, mass: number): Cut {
  for (let i = 0; i < count; i++) keys[i] = keyOf(logits[i] as number, i);
  let reached = 0;
  let position = 0;
  for (const key of keys.subarray(0, count).sort()) {
    position = key % POSITIONS;
    reached += weights[position] as number;
    if (reached >= mass) break;
  }
  return { logit: logits[position] as number, id: ids[position] as number };
}

/** A number that sorts tokens: higher logits first, then lower positions. */
function keyOf(logit: number, position: number): number {
  // Adding 0 turns -0 into 0, which is the same logit but has other bits.
  floatView[0] = logit + 0;
  const pattern = bitView[0] as number;
  // A negative float's bits grow as it falls; a positive one's grow as it rises.
  const descending = pattern < 0 ? pattern >>> 0 : 0x7fffffff - pattern;
  return descending * POSITIONS + position;
}
