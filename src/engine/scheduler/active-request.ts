/**
 * Makes an accepted request ready to run: its limit and its choices. The scheduler calls it. Pure.
 */

import type { GenerateRequest } from '../protocol.ts';
import { isGreedy } from '../sampler/index.ts';
import { compileRules } from '../text/index.ts';
import type { Admission } from './admission.ts';
import { Sequence, type ActiveRequest } from './sequence.ts';

/** `admission` is that of the same request. */
export function createActiveRequest(
  id: number,
  request: GenerateRequest,
  admission: Admission,
): ActiveRequest {
  const { sampling } = request;
  const greedy = isGreedy(sampling);
  const { stop, includeStop, minTokens } = sampling;
  const sequences: Sequence[] = [];
  const active: ActiveRequest = {
    id,
    sampling,
    textRules: compileRules({ stop, includeStop, minTokens }),
    promptTokens: admission.promptTokens,
    maxTokens: admission.accepted.maxTokens,
    copies: greedy ? request.choices : 1,
    sequences,
  };
  const runs = greedy ? 1 : request.choices;
  for (let choice = 0; choice < runs; choice += 1) sequences.push(new Sequence(active, choice));
  return active;
}
