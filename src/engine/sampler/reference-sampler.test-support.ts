/**
 * The sampler once more, in Float64, as plain as the formulas of docs/sampling.md: whole arrays, full
 * sorts, no shortcuts. Tests compare the fast one with it; nothing else uses it.
 */

import { neutralSampling } from '../neutral-sampling.ts';
import type { Sampling } from '../protocol.ts';
import type { SamplerContext } from './sampler.ts';

export interface ReferenceInput {
  readonly logits: Float32Array;
  readonly sampling: Sampling;
  readonly context: SamplerContext;
  readonly output: readonly number[];
}

export interface ReferenceResult {
  readonly probabilities: number[];
  /**
   * How close a filter came to deciding otherwise, above 0: below 1e-3 rounding to Float32 may turn
   * it. Exact ties between tokens do not count, they have a rule.
   */
  readonly margin: number;
}

export const seededSampling: Sampling = { ...neutralSampling, seed: '1', defaultMaxTokens: 16 };

export function referenceDistribution(input: ReferenceInput): ReferenceResult {
  const { sampling } = input;
  const logits = referenceLogits(input);
  const order = logits.map((_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);
  const probabilities = logits.map(() => 0);
  if (sampling.temperature < 1e-5 || sampling.topK === 1) {
    probabilities[order[0]!] = 1;
    return { probabilities, margin: logitMargin(logits[order[0]!]!, logits[order[1]!]!) };
  }
  let margin = Infinity;
  const scaled = logits.map((logit) => logit / sampling.temperature);
  const full = softmax(scaled);
  const largest = full[order[0]!]!;
  let kept = order.filter((id) => full[id]! > 0 && full[id]! >= sampling.minP * largest);
  if (sampling.minP > 0) {
    for (const id of order) {
      if (full[id] === largest) continue;
      margin = Math.min(margin, Math.abs(full[id]! / (sampling.minP * largest) - 1) + 1e-12);
    }
  }
  if (sampling.topK > 0 && sampling.topK < kept.length) {
    const [last, next] = [kept[sampling.topK - 1]!, kept[sampling.topK]!];
    margin = Math.min(margin, logitMargin(logits[last]!, logits[next]!));
    kept = kept.slice(0, sampling.topK);
  }
  const renormalised = softmax(kept.map((id) => scaled[id]!));
  if (sampling.topP < 1) {
    let mass = 0;
    let count = 0;
    do {
      mass += renormalised[count]!;
      count++;
      margin = Math.min(margin, Math.abs(mass - sampling.topP) + 1e-12);
    } while (mass < sampling.topP && count < kept.length);
    if (count < kept.length) {
      margin = Math.min(margin, logitMargin(logits[kept[count - 1]!]!, logits[kept[count]!]!));
    }
    kept = kept.slice(0, count);
  }
  const final = softmax(kept.map((id) => scaled[id]!));
  for (const [place, id] of kept.entries()) probabilities[id] = final[place]!;
  return { probabilities, margin };
}

export function referenceLogits({ logits, sampling, context, output }: ReferenceInput): number[] {
  const edited = Array.from(logits);
  for (const id of sampling.badTokenIds) edited[id] = -Infinity;
  if (output.length < sampling.minTokens) {
    for (const id of [...context.eosIds, ...sampling.stopTokenIds]) edited[id] = -Infinity;
  }
  for (const [id, bias] of sampling.logitBias) edited[id] = edited[id]! + bias;
  const r = sampling.repetitionPenalty;
  for (const id of new Set([...context.promptTokens, ...output])) {
    if (r !== 1) edited[id] = edited[id]! > 0 ? edited[id]! / r : edited[id]! * r;
  }
  for (const id of new Set(output)) {
    const count = output.filter((other) => other === id).length;
    edited[id] = edited[id]! - sampling.frequencyPenalty * count;
    edited[id] = edited[id] - sampling.presencePenalty;
  }
  return edited;
}

export function referenceLogprobs(logits: Float32Array): number[] {
  const sorted = Array.from(logits);
  const max = Math.max(...sorted);
  const sum = sorted.reduce((total, logit) => total + Math.exp(logit - max), 0);
  return sorted.map((logit) => logit - max - Math.log(sum));
}

function softmax(values: readonly number[]): number[] {
  const max = Math.max(...values);
  const weights = values.map((value) => Math.exp(value - max));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function logitMargin(a: number, b: number): number {
  return a === b ? Infinity : Math.abs(a - b) * 10;
}
