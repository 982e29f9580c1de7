/** How grammars are refused: what is wrong, where, and the name of the rule or construct. */

import { ParlanceError } from '../../contract/errors.ts';

export interface Position {
  readonly source: string;
  /** Index into it, in UTF-16 units. */
  readonly at: number;
}

/** @param keyword the rule or the construct that is at fault */
export function grammarError(
  { source, at }: Position,
  keyword: string,
  what: string,
): ParlanceError {
  const before = source.slice(0, at).split('\n');
  const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  return new ParlanceError('invalid_constraint', `The grammar is wrong at ${place}: ${what}.`, {
    keyword,
  });
}
