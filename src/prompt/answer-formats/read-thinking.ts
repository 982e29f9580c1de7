/** The step of the parser of answers inside a thinking block: all is thinking up to what closes it. Pure. */

import { silent, type ParseResult, type ParseState } from './answer-state.ts';
import { firstMatch } from './pattern.ts';

export function advanceThinking(
  state: ParseState,
  begun: boolean,
  final: boolean,
): ParseResult | null {
  const { rest, plan } = state;
  if (rest === '') return null;
  const { match, candidate } = firstMatch(plan.thinkingCloses, rest, 0, final);
  if (candidate !== null && match.found === 'yes') {
    return silent({
      ...state,
      rest: rest.slice(match.end),
      space: '',
      after: 'thinking',
      mode: { at: 'text' },
    });
  }
  if (match.found === 'more' && !final) return null;
  let end = 1;
  while (end < rest.length && !plan.thinkingCandidates.has(rest.charAt(end))) end++;
  const all = state.space + rest.slice(0, end);
  const shownEnd = all.trimEnd().length;
  const next = { ...state, rest: rest.slice(end), space: all.slice(shownEnd) };
  if (shownEnd === 0) return silent(next);
  const text = begun ? all.slice(0, shownEnd) : all.slice(0, shownEnd).replace(/^\s*\n/, '');
  return {
    state: { ...next, mode: { at: 'thinking', begun: true } },
    parts: [{ type: 'reasoning', text }],
  };
}
