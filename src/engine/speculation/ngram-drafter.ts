/**
 * Guesses of the next tokens from what is there already: the end of the sequence occurred before, and
 * what followed it then may follow again (prompt lookup), or the request brought a prediction. The
 * scheduler keeps one for each sequence that may speculate.
 *
 * A guess can cost time and nothing else. The scheduler computes the drafted tokens in one pass, draws
 * every token from its own row of logits exactly as it would without drafts, one random draw each, and
 * takes drafts only as far as they equal what was drawn. So the distribution of the output is the one
 * of plain sampling, and where the logits do not depend on how tokens are grouped into passes, so are
 * its bits.
 */

import { createNgramTable } from './ngram-table.ts';
import { createPredictionCursor } from './prediction-cursor.ts';
import { createTokenList } from './token-list.ts';

export interface NgramDrafter {
  /** A token that was generated; drafts that were not taken are never told. */
  append(token: number): void;
  /** At most `most` tokens that may come next, the nearest first; none where nothing is known. */
  draft(most: number): readonly number[];
}

/** Longest first. One token alone says too little of what follows it. */
const runLengths = [4, 3, 2];

/**
 * `tokens`: the sequence so far, prompt and all; `prediction`: what the answer is expected to be. The
 * prediction is preferred while the generation follows it at least as long as the sequence's own end
 * occurred before. `append` takes constant time on average; memory is about 60 bytes a token.
 */
export function createNgramDrafter(
  tokens: ArrayLike<number>,
  prediction: ArrayLike<number> | null,
): NgramDrafter {
  const context = createTokenList(tokens);
  const tables = runLengths.map((n) => createNgramTable(context, n));
  const cursor =
    prediction === null ? null : createPredictionCursor(prediction, context, runLengths);
  /** Where the longest run at the end of the sequence ended the last time before, and its length. */
  let match = { end: -1, length: 0 };

  const noteEnd = (end: number): void => {
    match = { end: -1, length: 0 };
    for (const table of tables) {
      const before = table.note(end);
      if (before !== -1 && match.length === 0) match = { end: before, length: table.n };
    }
  };
  for (let end = 0; end < context.length; end++) noteEnd(end);

  /** Past the end of the sequence its own draft goes on, as repetitions do. */
  const draftFromContext = (most: number): number[] => {
    const draft: number[] = [];
    if (match.length === 0) return draft;
    for (let index = match.end + 1; draft.length < most; index++) {
      const own = index - context.length;
      draft.push(own < 0 ? context.at(index) : (draft[own] as number));
    }
    return draft;
  };

  return {
    append: (token) => {
      context.push(token);
      noteEnd(context.length - 1);
      cursor?.append(token);
    },
    draft: (most) =>
      cursor !== null && cursor.agreed > 0 && cursor.agreed >= match.length
        ? cursor.draft(most)
        : draftFromContext(most),
  };
}
