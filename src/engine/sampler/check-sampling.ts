/**
 * What can be wrong with a sampling for one vocabulary. Admission asks before a request is accepted, so
 * that a sampler never meets an ID that is not there.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Sampling } from '../protocol.ts';

/** Throws `invalid_token_id` that names the parameter and the first ID that is no token. */
export function checkTokenIds(param: string, ids: readonly number[], vocabSize: number): void {
  const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < vocabSize));
  if (wrong === undefined) return;
  throw new ParlanceError(
    'invalid_token_id',
    `${param}: ${wrong} is not a token of this model; its token IDs are 0 to ${vocabSize - 1}.`,
    { param },
  );
}

/** Throws `invalid_token_id`, and `invalid_value` where `badTokenIds` leaves no token or a phrase is empty. */
export function checkSampling(sampling: Sampling, vocabSize: number): void {
  const biased = sampling.logitBias.map(([id]) => id);
  checkTokenIds('logit_bias', biased, vocabSize);
  checkTokenIds('bad_token_ids', sampling.badTokenIds, vocabSize);
  checkTokenIds('stop_token_ids', sampling.stopTokenIds, vocabSize);
  checkTokenIds('top_p_reset_ids', sampling.topPResetIds, vocabSize);
  if (sampling.bad.includes('')) {
    throw new ParlanceError(
      'invalid_value',
      'bad: an empty phrase is in every text; leave it out, or give it at least one character.',
      { param: 'bad' },
    );
  }
  if (new Set(sampling.badTokenIds).size < vocabSize) return;
  throw new ParlanceError(
    'invalid_value',
    'bad_token_ids: every token of the model is banned; leave at least one',
    { param: 'bad_token_ids' },
  );
}
