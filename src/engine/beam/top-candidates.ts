/**
 * A row of logits to the candidates of one beam. Called by the scheduler for each live beam; reads the
 * row only.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Candidate } from './beam-search.ts';

/**
 * The `count` best allowed tokens of a row, best first, the lower ID first among equals; fewer where
 * fewer are allowed or possible (a logit of -Infinity is not). `isAllowed` null allows all; it is asked
 * only about tokens that would be taken. Log-probabilities are of the row as the model gave it,
 * l - max - ln(sum of e^(l - max)) in Float64: a ban takes a token out of the choice and leaves the
 * others' as they are. Throws `internal` where the row holds a NaN or +Infinity, or nothing but -Infinity.
 */
export function topCandidates(
  logits: Float32Array,
  count: number,
  isAllowed: ((token: number) => boolean) | null,
): Candidate[] {
  const best: number[] = [];
  let entry = -Infinity;
  let max = -Infinity;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] as number;
    if (logit > max) max = logit;
    if (logit <= entry || (isAllowed !== null && !isAllowed(token))) continue;
    insertRanked(best, token, logits);
    if (best.length > count) best.pop();
    if (best.length === count) entry = logits[best.at(-1) ?? -1] ?? Infinity;
  }
  const normaliser = logSumOfRow(logits, max);
  return best.map((token) => ({ token, logprob: (logits[token] as number) - normaliser }));
}

/** NaN, +Infinity and an empty row make the sum NaN, so one check at the end finds them all. */
function logSumOfRow(logits: Float32Array, max: number): number {
  let sum = 0;
  for (let token = 0; token < logits.length; token++) {
    sum += Math.exp((logits[token] as number) - max);
  }
  if (sum >= 1) return max + Math.log(sum);
  throw new ParlanceError(
    'internal',
    'The model gave no usable numbers, so nothing can be chosen. Its weights file may be damaged: fetch it again, or try another file of the same model.',
  );
}

/** Puts a token, higher than all before it, behind the last one that is at least as good. */
function insertRanked(tokens: number[], token: number, logits: Float32Array): void {
  const logit = logits[token] as number;
  let place = tokens.length;
  while (place > 0 && (logits[tokens[place - 1] as number] as number) < logit) place--;
  tokens.splice(place, 0, token);
}
