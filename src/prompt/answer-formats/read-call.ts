/**
 * The steps of the parser of answers inside a call, behind it, and between the calls of a group. Pure.
 */

import type { AnswerPart } from './answer-part.ts';
import type { FormPlan } from './answer-plan.ts';
import {
  endOfText,
  silent,
  toolNamed,
  write,
  type Mode,
  type ParseResult,
  type ParseState,
} from './answer-state.ts';
import type { BodyEvent } from './bodies/body.ts';
import { startBody, stepBody } from './bodies/read-body.ts';
import { firstMatch, hasLead, matchPattern, skipSpace, type Captures } from './pattern.ts';

/** The name in ids of the form `functions.name:0`. */
const nameInId = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : /^(?:functions\.)?([^:]+)(?::\d+)?$/.exec(id)?.[1];

export function openCall(
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

export function advanceCall(
  state: ParseState,
  mode: Extract<Mode, { at: 'call' }>,
  final: boolean,
): ParseResult | null {
  if (state.rest === '' && !final) return null;
  const step = stepBody(mode.body, state.rest, final);
  const read = state.rest.slice(0, step.end);
  const idle = step.end === 0 && step.events.length === 0 && step.status === 'more';
  // A Python argument is looked through before any of it is taken.
  const stuck = idle && (step.state === mode.body || mode.body.kind !== 'python');
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

export function advanceTail(
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

export function advanceBetween(state: ParseState, final: boolean): ParseResult | null {
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
