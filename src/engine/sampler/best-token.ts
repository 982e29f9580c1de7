/**
 * The one pass over a row of logits that finds its best token and proves the row usable. Called by
 * the sampler and the raw log-probabilities; reads only.
 */

import { ParlanceError } from '../../contract/errors.ts';

/**
 * Index of the largest value, the lowest index where several are equal; -1 when every value is
 * -Infinity. Throws `internal` where the row holds a NaN or +Infinity.
 */
export function bestToken(values: Float32Array): number {
  let best = -1;
  let bestValue = -Infinity;
  const length = values.length;
  for (let id = 0; id < length; id++) {
    const value = values[id] as number;
    // NaN fails every comparison, so one branch catches both a better value and a broken row.
    if (value <= bestValue) continue;
    if (!(value < Infinity)) throw unusable(id);
    best = id;
    bestValue = value;
  }
  return best;
}

function unusable(id: number): ParlanceError {
  return new ParlanceError(
    'internal',
    `The model gave no usable number for token ${id}, so nothing can be chosen. Its weights file may be damaged: fetch it again, or try another file of the same model.`,
  );
}
