/**
 * Where in the predicted answer a generation is. Called by the drafter for requests with a prediction.
 * It follows the prediction token by token; where the generation leaves it, it waits until the last
 * tokens generated occur in it again, and goes on behind them.
 */

import { createNgramTable } from './ngram-table.ts';
import { createTokenList } from './token-list.ts';
import type { TokenList } from './token-list.ts';

export interface PredictionCursor {
  /**
   * How many tokens in a row agree; 0 where the prediction has nothing to say. At the very start it
   * counts as if `longestRun` had agreed.
   */
  readonly agreed: number;
  /** The token last pushed to `generated`. */
  append(token: number): void;
  /** At most `most` tokens that come next. */
  draft(most: number): number[];
}

/** Occurrences of one run that are looked at, to find the next one behind where it was left. */
const mostOccurrences = 64;

/**
 * `context` is the sequence: the prompt as it is now, and what is generated, which is pushed to it
 * before `append` is called. Runs are of `runLengths` tokens, longest first.
 */
export function createPredictionCursor(
  predicted: ArrayLike<number>,
  context: TokenList,
  runLengths: readonly number[],
): PredictionCursor {
  const prediction = createTokenList(predicted);
  const promptTokens = context.length;
  // Noted from the back, so that a table has the first occurrence and `next` leads to later ones.
  const tables = runLengths.map((n) => {
    const table = createNgramTable(prediction, n);
    const next = new Int32Array(prediction.length).fill(-1);
    for (let end = prediction.length - 1; end >= 0; end--) next[end] = table.note(end);
    return { table, next };
  });
  let expected = 0;
  let agreed = runLengths[0] ?? 0;

  const isAtEnd = (): boolean => expected >= prediction.length;

  /** Behind the first occurrence at or behind where it was left, or else the first of all. */
  const findAgain = (left: number): void => {
    const end = context.length - 1;
    for (const { table, next } of tables) {
      if (end - table.n + 1 < promptTokens) continue;
      const first = table.find(context, end);
      if (first === -1) continue;
      let at = first;
      for (let looked = 0; at !== -1 && at < left && looked < mostOccurrences; looked++) {
        at = next[at] as number;
      }
      expected = (at >= left ? at : first) + 1;
      agreed = table.n;
      return;
    }
  };

  return {
    get agreed() {
      return isAtEnd() ? 0 : agreed;
    },
    append: (token) => {
      if (agreed > 0 && !isAtEnd() && prediction.at(expected) === token) {
        expected++;
        agreed++;
        return;
      }
      agreed = 0;
      findAgain(expected);
    },
    draft: (most) => {
      if (agreed === 0) return [];
      const count = Math.max(0, Math.min(most, prediction.length - expected));
      return Array.from({ length: count }, (_, index) => prediction.at(expected + index));
    },
  };
}
