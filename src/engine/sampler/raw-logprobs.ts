/**
 * Log-probabilities as the contract wants them: log-softmax of the logits as the model gave them,
 * before bans, biases, penalties and temperature. Called by the sampler, only when asked for.
 */

import { bestToken } from './best-token.ts';
import { exponential } from './exponential.ts';
import type { RankedToken } from './sampler.ts';

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
  const best = bestToken(logits);
  const max = logits[best] ?? 0;
  const ids: number[] = [];
  let entry = -Infinity;
  let sum = 0;
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id] as number;
    sum += exponential(logit - max);
    if (ids.length < count || logit > entry) {
      insertRanked(ids, id, logits);
      if (ids.length > count) ids.pop();
      entry = ids.length < count ? -Infinity : (logits[ids.at(-1) ?? -1] ?? Infinity);
    }
  }
  const normaliser = max + Math.log(sum);
  const logprobOf = (id: number): number => Math.max((logits[id] ?? -Infinity) - normaliser, FLOOR);
  return {
    logprob: logprobOf(token),
    top: ids.map((id) => ({ token: id, logprob: logprobOf(id) })),
  };
}

/** Puts an ID, higher than all before it, behind the last one that is at least as good. */
function insertRanked(ids: number[], id: number, logits: Float32Array): void {
  const logit = logits[id] as number;
  let place = ids.length;
  while (place > 0 && (logits[ids[place - 1] as number] as number) < logit) place--;
  ids.splice(place, 0, id);
}
