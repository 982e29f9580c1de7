/**
 * Reads the text of a model, piece by piece, into text, reasoning and tool calls. One machine for all
 * families: their data says what opens, parts and closes things. Pure: states are values.
 *
 * Whitespace: what stands between text and a call, around calls, and around a thinking block's text is
 * dropped; whitespace between two texts with a call between them stays. What looks like a call but is none
 * (another word behind the tag, a name that is no tool) stays text as it is.
 */

import type { AnswerPart } from './answer-part.ts';
import { planAnswer, type Mark, type ParseOptions } from './answer-plan.ts';
import {
  endOfText,
  silent,
  toolNamed,
  write,
  type ParseResult,
  type ParseState,
} from './answer-state.ts';
import { firstMatch, hasLead, skipSpace, type Captures } from './pattern.ts';
import { advanceBetween, advanceCall, advanceTail, openCall } from './read-call.ts';
import { advanceThinking } from './read-thinking.ts';

export type { ParseOptions } from './answer-plan.ts';
export type { ParseResult, ParseState } from './answer-state.ts';

export function startParse(options: ParseOptions): ParseState {
  return {
    plan: planAnswer(options),
    mode: options.thinking ? { at: 'thinking', begun: false } : { at: 'text' },
    rest: '',
    held: '',
    space: '',
    calls: 0,
    wrote: false,
    after: 'nothing',
  };
}

/** Reads on; `text` has the texts of special tokens in it (those of `specialTokensOf`). */
export function stepParse(state: ParseState, text: string): ParseResult {
  return run({ ...state, rest: state.rest + text }, false);
}

/** Nothing follows: what was held back becomes what it can be. A call that was cut off keeps what was read. */
export function endParse(state: ParseState): ParseResult {
  return run(state, true);
}

function run(start: ParseState, final: boolean): ParseResult {
  const parts: AnswerPart[] = [];
  let state = start;
  for (;;) {
    const next = advance(state, final);
    if (next === null) return { state, parts };
    ({ state } = next);
    for (const part of next.parts) append(parts, part);
  }
}

/** Neighbouring pieces of the same thing become one. */
function append(parts: AnswerPart[], part: AnswerPart): void {
  const last = parts.at(-1);
  if (part.type === 'tool_call_delta' && last?.type === part.type && last.index === part.index) {
    parts[parts.length - 1] = { ...last, arguments: last.arguments + part.arguments };
  } else if ((part.type === 'text' || part.type === 'reasoning') && last?.type === part.type) {
    parts[parts.length - 1] = { type: part.type, text: last.text + part.text };
  } else parts.push(part);
}

/** Does one thing; null where nothing can be done before more text comes. */
function advance(state: ParseState, final: boolean): ParseResult | null {
  switch (state.mode.at) {
    case 'text':
      return advanceText(state, final);
    case 'thinking':
      return advanceThinking(state, state.mode.begun, final);
    case 'call':
      return advanceCall(state, state.mode, final);
    case 'tail':
      return advanceTail(state, state.mode, final);
    case 'between':
      return advanceBetween(state, final);
  }
}

function advanceText(state: ParseState, final: boolean): ParseResult | null {
  const { rest, plan } = state;
  if (rest === '') return final ? endOfText(state) : null;
  // Whitespace goes first: what begins behind it may make it vanish.
  const spaces = skipSpace(rest, 0);
  if (spaces > 0 && (plan.calls || !state.wrote)) {
    return silent({
      ...state,
      space: state.space + rest.slice(0, spaces),
      rest: rest.slice(spaces),
    });
  }
  // So does what parts two calls, where it is not the beginning of text.
  if (state.after === 'call' && plan.separators.includes(rest.charAt(0))) {
    return silent({ ...state, space: state.space + rest.charAt(0), rest: rest.slice(1) });
  }
  const marked = advanceMark(state, final);
  if (marked !== 'none') return marked;
  let end = 1;
  while (end < rest.length && !plan.candidates.has(rest.charAt(end))) end++;
  return write({ ...state, rest: rest.slice(end) }, rest.slice(0, end));
}

/** Goes where the text leads if it begins with a mark; null where more text must tell. */
function advanceMark(state: ParseState, final: boolean): ParseResult | null | 'none' {
  let marks = state.plan.marks.filter((mark) => mayStandHere(mark, state));
  // A call of no tool is only that if nothing else fits.
  let unknown: ParseResult | null = null;
  for (;;) {
    const { match, candidate } = firstMatch(marks, state.rest, 0, final);
    if (match.found === 'more' && !final) return null;
    if (match.found !== 'yes' || candidate === null) return unknown ?? 'none';
    const entered = enter(state, candidate, match);
    const { name } = match.captures;
    if (name === undefined || toolNamed(state, name) !== null) return entered;
    if (hasLead(candidate.pattern)) unknown ??= entered;
    marks = marks.slice(marks.indexOf(candidate) + 1);
  }
}

function mayStandHere(mark: Mark, state: ParseState): boolean {
  if (mark.where === 'anywhere') return true;
  if (mark.where === 'after-call' && state.after === 'call') return true;
  return !state.wrote && state.after !== 'call' && state.after !== 'text';
}

/** Goes where the mark leads. */
function enter(
  state: ParseState,
  mark: Mark,
  match: { readonly end: number; readonly captures: Captures },
): ParseResult {
  const rest = state.rest.slice(match.end);
  if (mark.meaning.kind === 'noise') {
    return silent({ ...state, rest, space: state.wrote ? state.space : '' });
  }
  if (mark.meaning.kind === 'thinking') {
    return silent({ ...state, rest, space: '', mode: { at: 'thinking', begun: false } });
  }
  const { form, inGroup } = mark.meaning;
  const read = state.rest.slice(0, match.end);
  return openCall({ ...state, rest }, { form, inGroup, read, captures: match.captures });
}
