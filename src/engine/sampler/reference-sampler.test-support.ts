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
  const topP = referenceTopP(input);
  if (topP < 1) {
    let mass = 0;
    let count = 0;
    do {
      mass += renormalised[count]!;
      count++;
      margin = Math.min(margin, Math.abs(mass - topP) + 1e-12);
    } while (mass < topP && count < kept.length);
    if (count < kept.length) {
      margin = Math.min(margin, logitMargin(logits[kept[count - 1]!]!, logits[kept[count]!]!));
    }
    kept = kept.slice(0, count);
  }
  const final = softmax(kept.map((id) => scaled[id]!));
  for (const [place, id] of kept.entries()) probabilities[id] = final[place]!;
  return { probabilities, margin };
}

/** p behind the output: p(t + 1) = p(0) behind a reset token, else max(p(t) x decay, min). */
export function referenceTopP({ sampling, output }: ReferenceInput): number {
  return output.reduce(
    (p, token) =>
      sampling.topPResetIds.includes(token)
        ? sampling.topP
        : Math.max(p * sampling.topPDecay, sampling.topPMin),
    sampling.topP,
  );
}

/** The text that tokens make, one character a byte: what is shown of each, spaces between included. */
export function referenceText({ sampling, context }: ReferenceInput, tokens: readonly number[]) {
  const { vocabulary } = context;
  let text = '';
  let afterSpecial = false;
  for (const token of tokens) {
    const named = sampling.stopTokenIds.includes(token);
    const ends = named || (vocabulary.eosIds.includes(token) && !sampling.ignoreEos);
    if (ends && !(named && sampling.includeStop)) continue;
    const bytes = vocabulary.piece(token, !sampling.skipSpecialTokens);
    const special =
      !sampling.skipSpecialTokens &&
      sampling.spacesBetweenSpecialTokens &&
      vocabulary.piece(token, false).length === 0 &&
      bytes.length > 0;
    if (special && afterSpecial) text += ' ';
    text += String.fromCharCode(...bytes);
    afterSpecial = special;
  }
  return text;
}

/** Whether a phrase ends in the text of the last of these tokens: all texts are looked through. */
export function referenceCompletes(
  input: ReferenceInput,
  tokens: readonly number[],
  before: string = referenceText(input, tokens.slice(0, -1)),
): boolean {
  const after = referenceText(input, tokens);
  return input.sampling.bad.some((phrase) => {
    const bytes = Buffer.from(phrase, 'utf8').toString('latin1');
    return after.indexOf(bytes, Math.max(0, before.length - bytes.length + 1)) >= 0;
  });
}

export function referenceLogits(input: ReferenceInput): number[] {
  const { logits, sampling, context, output } = input;
  const edited = Array.from(logits);
  for (const id of sampling.badTokenIds) edited[id] = -Infinity;
  if (sampling.bad.length > 0) {
    const before = referenceText(input, output);
    for (const id of edited.keys()) {
      if (referenceCompletes(input, [...output, id], before)) edited[id] = -Infinity;
    }
  }
  if (output.length < sampling.minTokens) {
    for (const id of [...context.vocabulary.eosIds, ...sampling.stopTokenIds]) {
      edited[id] = -Infinity;
    }
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
