/**
 * The sampler of one choice: logits in, one token out. Called by the scheduler for each choice that
 * decodes. Knows the order of operations (docs/sampling.md) and the choice's own state: tokens seen,
 * tokens generated, random stream. Pure but for that state; it never writes to the logits it is given.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Sampling } from '../protocol.ts';
import { bestToken } from './best-token.ts';
import { findCandidates, scratchCopy } from './candidates.ts';
import type { Candidates } from './candidates.ts';
import { isGreedy } from './greedy.ts';
import { createLogitEdits } from './logit-edits.ts';
import { createUniform } from './random.ts';
import { rawLogprobs } from './raw-logprobs.ts';
import type { Sampler, SamplerContext } from './sampler.ts';

/** Makes a sampler for a sampling that `checkSampling` has passed. */
export function createSampler(sampling: Sampling, context: SamplerContext): Sampler {
  const edits = createLogitEdits(sampling, context);
  const greedy = isGreedy(sampling);
  const uniform = greedy ? null : createUniform(sampling.seed, context.choice);

  /** The edited row and its best token. */
  const edit = (logits: Float32Array): { row: Float32Array; best: number } => {
    if (logits.length !== context.vocabSize) throw wrongLength(logits.length, context.vocabSize);
    if (!edits.active()) return usable(logits);
    const row = scratchCopy(logits);
    edits.apply(row, true);
    const best = bestToken(row);
    if (best >= 0 || !edits.masking()) return usable(row, best);
    // Only an end token is possible: ending early is better than choosing what is impossible.
    const unmasked = scratchCopy(logits);
    edits.apply(unmasked, false);
    return usable(unmasked);
  };

  return {
    sample: (logits) => {
      const { row, best } = edit(logits);
      const token = uniform === null ? best : draw(findCandidates(row, best, sampling), uniform());
      edits.count(token);
      if (sampling.topLogprobs === null) return { token, logprob: null, top: null };
      return { token, ...rawLogprobs(logits, token, sampling.topLogprobs) };
    },
    distribution: (logits) => {
      const { row, best } = edit(logits);
      if (greedy) return [{ token: best, probability: 1 }];
      const { ids, weights, size, total } = findCandidates(row, best, sampling);
      return Array.from({ length: size }, (_, i) => ({
        token: ids[i] as number,
        probability: (weights[i] as number) / total,
      }));
    },
  };
}

/** Inversion: the first token, in order of ID, at which the summed weights pass `uniform` x total. */
function draw({ ids, weights, size, total }: Candidates, uniform: number): number {
  const target = uniform * total;
  let sum = 0;
  for (let i = 0; i < size - 1; i++) {
    sum += weights[i] as number;
    if (sum > target) return ids[i] as number;
  }
  return ids[size - 1] as number;
}

function usable(
  row: Float32Array,
  best: number = bestToken(row),
): { row: Float32Array; best: number } {
  if (best >= 0) return { row, best };
  throw new ParlanceError(
    'internal',
    'The model and the bans of this request leave no token to choose. Ban fewer tokens, or check the weights file.',
  );
}

function wrongLength(length: number, vocabSize: number): ParlanceError {
  return new ParlanceError(
    'internal',
    `The model gave ${length} logits for a vocabulary of ${vocabSize} tokens.`,
  );
}
