/**
 * The sampler of one choice: logits in, one token out. Called by the scheduler for each choice that
 * decodes. Knows the order of operations (docs/sampling.md) and the choice's own state: tokens seen,
 * tokens generated, phrases begun, top_p, random stream. Pure but for that state; it never writes to
 * the logits it is given.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Sampling } from '../protocol.ts';
import { drawCandidate, findCandidates } from './candidates.ts';
import { createDynamicTopP } from './dynamic-top-p.ts';
import { isGreedy } from './greedy.ts';
import { createLogitEdits } from './logit-edits.ts';
import { createUniform } from './random.ts';
import { rawLogprobs } from './raw-logprobs.ts';
import { applyAllowed } from './apply-allowed.ts';
import type { Allowed, Sampled, Sampler, SamplerContext } from './sampler.ts';
import { loadRow, scanRow, type ScannedRow } from './workspace.ts';

/** Makes a sampler for a sampling that `checkSampling` has passed. */
export function createSampler(sampling: Sampling, context: SamplerContext): Sampler {
  const { size: vocabSize } = context.vocabulary;
  const edits = createLogitEdits(sampling, context);
  const topP = createDynamicTopP(sampling);
  const uniform = isGreedy(sampling) ? null : createUniform(sampling.seed, context.choice);

  /** The edited row, in the workspace. */
  const edit = (logits: Float32Array, allowed?: Allowed): ScannedRow => {
    if (logits.length !== vocabSize) throw wrongLength(logits.length, vocabSize);
    const row = loadRow(logits);
    if (allowed !== undefined) applyAllowed(row.values, allowed);
    if (!edits.active()) return usable(scanRow(row), allowed);
    edits.apply(row.values, true);
    const scanned = scanRow(row);
    if (scanned.best >= 0 || !edits.masking()) return usable(scanned, allowed);
    // Only an end token is possible: ending early is better than choosing what is impossible.
    const unmasked = loadRow(logits);
    if (allowed !== undefined) applyAllowed(unmasked.values, allowed);
    edits.apply(unmasked.values, false);
    return usable(scanRow(unmasked), allowed);
  };
  const candidates = (row: ScannedRow) => findCandidates(row, sampling, topP.current());
  const count = (token: number): void => {
    edits.count(token);
    topP.count(token);
  };

  return {
    sample: (logits, allowed) => {
      const row = edit(logits, allowed);
      const token = uniform === null ? row.best : drawCandidate(candidates(row), uniform());
      count(token);
      return describe(token, logits, sampling.topLogprobs, context.needLogprob);
    },
    force: (token, logits) => {
      count(token);
      if (logits === null) return { token, logprob: null, top: null };
      return describe(token, logits, sampling.topLogprobs, context.needLogprob);
    },
    skip: (token) => {
      uniform?.();
      count(token);
    },
    distribution: (logits) => {
      const row = edit(logits);
      if (uniform === null) return [{ token: row.best, probability: 1 }];
      const { ids, weights, size, total } = candidates(row);
      return Array.from({ length: size }, (_, i) => ({
        token: ids[i] as number,
        probability: (weights[i] as number) / total,
      }));
    },
  };
}

function describe(
  token: number,
  logits: Float32Array,
  topLogprobs: number | null,
  needLogprob: boolean,
): Sampled {
  if (topLogprobs === null && !needLogprob) return { token, logprob: null, top: null };
  const { logprob, top } = rawLogprobs(logits, token, topLogprobs ?? 0);
  return { token, logprob, top: topLogprobs === null ? null : top };
}

function usable(row: ScannedRow, allowed?: Allowed): ScannedRow {
  if (row.best >= 0) return row;
  if (allowed !== undefined) {
    throw new ParlanceError(
      'constraint_not_met',
      'The constraint and the bans of this request leave no token to choose. Ban fewer tokens, or loosen the constraint.',
    );
  }
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
