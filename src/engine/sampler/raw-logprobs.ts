/**
 * Log-probabilities as the contract wants them: log-softmax of the logits as the model gave them,
 * before bans, biases, penalties and temperature. Called by the sampler where they are needed, and by
 * beam search. Works in the shared workspace.
 */

import { keepBest } from './keep-best.ts';
import { kernels } from './kernels.ts';
import { leastOfBest } from './least-of-best.ts';
import type { RankedToken } from './sampler.ts';
import {
  blockCount,
  currentWorkspace,
  gatherFrom,
  loadRow,
  scanRow,
  sumWeights,
} from './workspace.ts';

const FLOOR = -9999;

/**
 * The log-probability of `token` and the `count` best tokens, best first, the lower ID first among
 * equals. Sums in Float64: l - max - ln(sum of e^(l - max)). Throws `internal` on a broken row.
 */
export function rawLogprobs(
  logits: Float32Array,
  token: number,
  count: number,
): { readonly logprob: number; readonly top: readonly RankedToken[] } {
  const { values, max } = scanRow(loadRow(logits));
  const { at } = currentWorkspace();
  const ids = bestIds(values, Math.min(count, values.length));
  // Where nothing is possible every token reads the floor.
  const anchor = max === -Infinity ? 0 : max;
  kernels.weigh(at.row, values.length, anchor, 1, at.weights);
  const normaliser = anchor + Math.log(sumWeights(values.length));
  const logprobOf = (id: number): number => Math.max((logits[id] ?? -Infinity) - normaliser, FLOOR);
  return {
    logprob: logprobOf(token),
    top: ids.map((id) => ({ token: id, logprob: logprobOf(id) })),
  };
}

/** The `count` best tokens of the row in the workspace, which was scanned. */
function bestIds(values: Float32Array, count: number): number[] {
  if (count === 0) return [];
  const { maxima, ids } = currentWorkspace();
  const blocks = blockCount(values.length);
  const floor = count <= blocks ? leastOfBest(maxima, blocks, count) : -Infinity;
  const size = keepBest(gatherFrom(values.length, floor), count);
  const best = Array.from(ids.subarray(0, size)).sort(
    (a, b) => (values[b] as number) - (values[a] as number) || a - b,
  );
  // Behind all that is possible come the impossible ones, in order of ID.
  for (let id = 0; id < values.length && best.length < count; id++) {
    if (values[id] === -Infinity) best.push(id);
  }
  return best;
}
