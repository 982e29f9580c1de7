/**
 * Reads the text of a model, piece by piece, into text, reasoning and tool calls. One machine for all
 * families: their data says what opens, parts and closes things. Pure: states are values.
 *
 * Whitespace: what stands between text and a call, around calls, and around a thinking block's text is
 * dropped; whitespace between two texts with a call between them stays. What looks like a call but is none
 * (another word behind the tag, a name that is no tool) stays text as it is.
 */

import type { AnswerPart } from './answer-part.ts';
import {
  planAnswer,
  type AnswerPlan,
  type FormPlan,
  type Mark,
  type ParseOptions,
} from './answer-plan.ts';
import type { BodyEvent } from './bodies/body.ts';
import { startBody, stepBody, type Body } from './bodies/read-body.ts';
import { firstMatch, hasLead, matchPattern, skipSpace, type Captures } from './pattern.ts';

export type { ParseOptions } from './answer-plan.ts';

type Mode =
  | { readonly at: 'text' }
  | { readonly at: 'thinking'; readonly begun: boolean }
  | {
      readonly at: 'call';
      readonly form: FormPlan;
      readonly body: Body;
      /** Whether it calls a tool; null = the name is not known yet. */
      readonly known: boolean | null;
      readonly inGroup: boolean;
    }
  | {
      readonly at: 'tail';
      readonly form: FormPlan;
      readonly known: boolean;
      readonly inGroup: boolean;
    }
  /** In a group, behind a call. */
  | { readonly at: 'between' };

export interface ParseState {
  readonly plan: AnswerPlan;
  readonly mode: Mode;
  /** Not read yet. */
  readonly rest: string;
  /** Read since a call seemed to begin; text again if it is none. */
  readonly held: string;
  /** Whitespace that is part of the text only if text follows. */
  readonly space: string;
  /** Calls so far. */
  readonly calls: number;
  /** Some text was given out. */
  readonly wrote: boolean;
  /** What was read last: it decides what becomes of whitespace, and what may begin here. */
  readonly after: 'nothing' | 'text' | 'thinking' | 'call';
}

export interface ParseResult {
  readonly state: ParseState;
  readonly parts: readonly AnswerPart[];
}

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

const silent = (state: ParseState): ParseResult => ({ state, parts: [] });

/** Gives out text; whitespace at its end waits for what follows. */
function write(state: ParseState, text: string): ParseResult {
  const all = state.space + text;
  const end = state.plan.calls || state.after === 'thinking' ? all.trimEnd().length : all.length;
  const kept = { ...state, space: all.slice(end) };
  if (end === 0) return silent(kept);
  let shown = all.slice(0, end);
  if (state.after === 'thinking') shown = shown.replace(/^\s*\n/, '');
  else if (state.after === 'call' && !state.wrote) shown = shown.trimStart();
  return { state: { ...kept, wrote: true, after: 'text' }, parts: [{ type: 'text', text: shown }] };
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
  let marks = plan.marks.filter((mark) => mayStandHere(mark, state));
  for (;;) {
    const { match, candidate } = firstMatch(marks, rest, 0, final);
    if (match.found === 'more' && !final) return null;
    if (match.found !== 'yes' || candidate === null) break;
    const entered = enter(state, candidate, match);
    if (entered !== null) return entered;
    marks = marks.slice(marks.indexOf(candidate) + 1);
  }
  let end = 1;
  while (end < rest.length && !plan.candidates.has(rest.charAt(end))) end++;
  return write({ ...state, rest: rest.slice(end) }, rest.slice(0, end));
}

function mayStandHere(mark: Mark, state: ParseState): boolean {
  if (mark.where === 'anywhere') return true;
  if (mark.where === 'after-call' && state.after === 'call') return true;
  return !state.wrote && state.after !== 'call' && state.after !== 'text';
}

function endOfText(state: ParseState): ParseResult | null {
  if (state.space === '') return null;
  const shown = state.after === 'call' || state.after === 'thinking' ? '' : state.space;
  return {
    state: { ...state, space: '' },
    parts: shown === '' ? [] : [{ type: 'text', text: shown }],
  };
}

/** Goes where the mark leads; null where it is no mark after all. */
function enter(
  state: ParseState,
  mark: Mark,
  match: { readonly end: number; readonly captures: Captures },
): ParseResult | null {
  const rest = state.rest.slice(match.end);
  if (mark.meaning.kind === 'noise') return silent({ ...state, rest });
  if (mark.meaning.kind === 'thinking') {
    return silent({ ...state, rest, space: '', mode: { at: 'thinking', begun: false } });
  }
  const { form, inGroup } = mark.meaning;
  const read = state.rest.slice(0, match.end);
  const tool = toolNamed(state, match.captures.name);
  if (match.captures.name !== undefined && tool === null && !hasLead(mark.pattern)) return null;
  return openCall({ ...state, rest }, { form, inGroup, read, captures: match.captures });
}

/** The name under which a tool is known: some models write `name.call`. */
function toolNamed(state: ParseState, name: string | undefined): string | null {
  if (name === undefined) return null;
  if (state.plan.tools.has(name)) return name;
  const stem = name.replace(/\.call$/, '');
  return state.plan.tools.has(stem) ? stem : null;
}

/** The name in ids of the form `functions.name:0`. */
const nameInId = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : /^(?:functions\.)?([^:]+)(?::\d+)?$/.exec(id)?.[1];

function openCall(
  state: ParseState,
  call: {
    readonly form: FormPlan;
    readonly inGroup: boolean;
    readonly read: string;
    readonly captures: Captures;
  },
): ParseResult {
  const { form, inGroup, read, captures } = call;
  const inside = form.form.body.kind === 'object' || form.form.body.kind === 'keyed';
  const named = captures.name ?? nameInId(captures.id);
  const tool = toolNamed(state, named);
  const schema = tool === null ? null : (state.plan.tools.get(tool)?.parameters ?? null);
  const mode: Mode = {
    at: 'call',
    form,
    body: startBody(form.form.body, schema),
    known: inside ? null : tool !== null,
    inGroup,
  };
  if (inside) return silent({ ...state, held: read, mode });
  if (tool === null) return write({ ...state, mode }, read);
  return startCall({ ...state, mode }, tool, idOf(form, captures));
}

/** Kimi's id has the name and the index in it, all of which was read. */
function idOf(form: FormPlan, captures: Captures): string | null {
  if (captures.id !== undefined) return captures.id;
  const composed = form.form.head.includes('functions.«name»:«index»');
  return composed ? `functions.${captures.name ?? ''}:${captures.index ?? ''}` : null;
}

function startCall(state: ParseState, name: string, id: string | null): ParseResult {
  const index = state.calls;
  return {
    state: { ...state, calls: index + 1, held: '', space: '', after: 'call' },
    parts: [{ type: 'tool_call_start', index, id, name }],
  };
}

function advanceCall(
  state: ParseState,
  mode: Extract<Mode, { at: 'call' }>,
  final: boolean,
): ParseResult | null {
  if (state.rest === '' && !final) return null;
  const step = stepBody(mode.body, state.rest, final);
  const read = state.rest.slice(0, step.end);
  const stuck = step.end === 0 && step.events.length === 0 && step.status === 'more';
  if (stuck) return final ? cutOff(state, mode) : null;
  const parts: AnswerPart[] = [];
  let next: ParseState = {
    ...state,
    rest: state.rest.slice(step.end),
    held: mode.known === null ? state.held + read : '',
  };
  let known = mode.known;
  for (const event of step.events) {
    const told = tell(next, event, known);
    ({ state: next, known } = told);
    parts.push(...told.parts);
  }
  if (mode.known === false) {
    const shown = write(next, read);
    ({ state: next } = shown);
    parts.push(...shown.parts);
  }
  if (known === null && step.status !== 'more') return backToText(next);
  if (known === null || step.status === 'more') {
    return { state: { ...next, mode: { ...mode, body: step.state, known } }, parts };
  }
  const tail: Mode = { at: 'tail', form: mode.form, known, inGroup: mode.inGroup };
  return { state: { ...next, mode: tail }, parts };
}

/** What an event of a body means for the answer. */
function tell(
  state: ParseState,
  event: BodyEvent,
  known: boolean | null,
): ParseResult & { readonly known: boolean | null } {
  if (event.type === 'arguments') {
    if (known !== true) return { ...silent(state), known };
    const index = state.calls - 1;
    const part: AnswerPart = { type: 'tool_call_delta', index, arguments: event.text };
    return { state, parts: [part], known };
  }
  const tool = toolNamed(state, event.name);
  if (tool === null) {
    const shown = write({ ...state, held: '' }, state.held);
    return { ...shown, known: false };
  }
  // A plain number is a place in a list and no id.
  const id = event.id === null || /^\d{0,8}$/.test(event.id) ? null : event.id;
  return { ...startCall(state, tool, id), known: true };
}

/** It was no call: its first character is text, and the rest is read again. */
function backToText(state: ParseState): ParseResult {
  const all = state.held + state.rest;
  const first = String.fromCodePoint(all.codePointAt(0) ?? 0);
  return write(
    { ...state, held: '', mode: { at: 'text' }, rest: all.slice(first.length) },
    all === '' ? '' : first,
  );
}

function cutOff(state: ParseState, mode: Extract<Mode, { at: 'call' }>): ParseResult | null {
  if (mode.known === null) return state.held + state.rest === '' ? null : backToText(state);
  if (state.rest === '') return mode.known ? null : endOfText(state);
  if (mode.known) return silent({ ...state, rest: '' });
  return write({ ...state, rest: '' }, state.rest);
}

function advanceTail(
  state: ParseState,
  mode: Extract<Mode, { at: 'tail' }>,
  final: boolean,
): ParseResult | null {
  const at = skipSpace(state.rest, 0);
  const { match, candidate } = firstMatch(mode.form.tails, state.rest, at, final);
  if (match.found === 'more' && !final && mode.form.tails.length > 0) return null;
  const next: Mode = mode.inGroup ? { at: 'between' } : { at: 'text' };
  if (candidate !== null && match.found === 'yes') {
    const after = { ...state, rest: state.rest.slice(match.end), mode: next };
    return mode.known ? silent(after) : write(after, state.rest.slice(0, match.end));
  }
  // A closing tag that was cut off belongs to its call.
  if (match.found === 'more' && mode.known) return silent({ ...state, rest: '', mode: next });
  return silent({ ...state, mode: next });
}

function advanceBetween(state: ParseState, final: boolean): ParseResult | null {
  let at = 0;
  while (at < state.rest.length && /[\s,;]/.test(state.rest.charAt(at))) at++;
  if (at === state.rest.length && !final) return null;
  const { plan } = state;
  const toText: ParseState = { ...state, mode: { at: 'text' } };
  const closed = firstMatch(plan.groupCloses, state.rest, at, final).match;
  if (closed.found === 'yes') return silent({ ...toText, rest: state.rest.slice(closed.end) });
  if (closed.found === 'more') return final ? silent({ ...toText, rest: '' }) : null;
  for (const form of plan.grouped) {
    for (const { pattern } of form.heads) {
      const match = matchPattern(pattern, state.rest, at, final);
      if (match.found === 'more' && !final) return null;
      const captures: Captures = match.found === 'yes' ? match.captures : {};
      const named = captures.name === undefined || toolNamed(state, captures.name) !== null;
      if (match.found === 'yes' && (named || hasLead(pattern)) && at < state.rest.length) {
        const read = state.rest.slice(0, match.end);
        const rest = state.rest.slice(match.end);
        return openCall({ ...state, rest }, { form, inGroup: true, read, captures });
      }
    }
  }
  return silent(toText);
}

function advanceThinking(state: ParseState, begun: boolean, final: boolean): ParseResult | null {
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
