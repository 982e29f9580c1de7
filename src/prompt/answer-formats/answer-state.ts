/**
 * Where the parser of answers is: values that its steps make from each other, and what the steps of text,
 * thinking and calls share. Pure.
 */

import type { AnswerPart } from './answer-part.ts';
import type { AnswerPlan, FormPlan } from './answer-plan.ts';
import type { Body } from './bodies/read-body.ts';

export type Mode =
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

export const silent = (state: ParseState): ParseResult => ({ state, parts: [] });

/** Gives out text; whitespace at its end waits for what follows. */
export function write(state: ParseState, text: string): ParseResult {
  const all = state.space + text;
  const end = state.plan.calls || state.after === 'thinking' ? all.trimEnd().length : all.length;
  const kept = { ...state, space: all.slice(end) };
  if (end === 0) return silent(kept);
  let shown = all.slice(0, end);
  if (state.after === 'thinking') shown = shown.replace(/^\s*\n/, '');
  else if (state.after === 'call' && !state.wrote) shown = shown.trimStart();
  return { state: { ...kept, wrote: true, after: 'text' }, parts: [{ type: 'text', text: shown }] };
}

/** The name under which a tool is known: some models write `name.call`. */
export function toolNamed(state: ParseState, name: string | undefined): string | null {
  if (name === undefined) return null;
  if (state.plan.tools.has(name)) return name;
  const stem = name.replace(/\.call$/, '');
  return state.plan.tools.has(stem) ? stem : null;
}

/** What becomes of whitespace at the end. */
export function endOfText(state: ParseState): ParseResult | null {
  if (state.space === '') return null;
  const shown = state.after === 'call' || state.after === 'thinking' ? '' : state.space;
  return {
    state: { ...state, space: '' },
    parts: shown === '' ? [] : [{ type: 'text', text: shown }],
  };
}
