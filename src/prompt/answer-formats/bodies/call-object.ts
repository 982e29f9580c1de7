/**
 * A call as one JSON object: `{"name": "f", "arguments": {...}}` in whatever order and under whatever names
 * models use for the members, or `{"f": {...}}`. The arguments' text is passed on as it is written. Pure.
 */

import type { BodyEvent, BodyStep } from './body.ts';
import { jsonArgumentsStart, stepJsonArguments, type JsonArguments } from './json-arguments.ts';
import { decodeJsonString, scanJson, scanStart, type JsonScan } from './json-scan.ts';

export interface CallObject {
  /** The only member's key is the name of the function. */
  readonly keyed: boolean;
  readonly phase: 'open' | 'key' | 'colon' | 'value' | 'skip' | 'arguments' | 'next';
  /** Objects around the one that is read (`{"function": {...}}`). */
  readonly depth: number;
  readonly scan: JsonScan;
  /** What was read of the present key, or of a value that is kept. */
  readonly raw: string;
  readonly key: string;
  readonly name: string | null;
  readonly id: string | null;
  readonly arguments: JsonArguments;
  /** Arguments that came before the name. */
  readonly early: string;
}

const nameKeys = new Set(['name', 'tool_name', 'function_name']);
const argumentKeys = new Set(['arguments', 'parameters', 'args']);
const idKeys = new Set(['id', 'tool_call_id', 'call_id']);

export function callObjectStart(keyed: boolean): CallObject {
  return {
    keyed,
    phase: 'open',
    depth: 0,
    scan: scanStart,
    raw: '',
    key: '',
    name: null,
    id: null,
    arguments: jsonArgumentsStart,
    early: '',
  };
}

export function stepCallObject(start: CallObject, text: string): BodyStep<CallObject> {
  const events: BodyEvent[] = [];
  let state = start;
  let at = 0;
  for (;;) {
    const step = stepOnce(state, text, at);
    events.push(...step.events);
    ({ state } = step);
    at = step.end;
    if (step.status !== 'more') return { ...step, events };
    if (at === text.length) return { ...step, events };
  }
}

/** Reads up to the end of one thing; `more` also where only this thing is at its end. */
function stepOnce(state: CallObject, text: string, from: number): BodyStep<CallObject> {
  if (state.phase === 'arguments') return stepArguments(state, text, from);
  if (state.phase === 'skip') return stepKept(state, text, from);
  let at = from;
  if (state.phase === 'key' && state.raw !== '') return stepKept(state, text, from);
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  if (at === text.length) return to(state, at);
  return stepMark(state, text, at);
}

const to = (
  state: CallObject,
  end: number,
  status: BodyStep<CallObject>['status'] = 'more',
  events: readonly BodyEvent[] = [],
): BodyStep<CallObject> => ({ state, end, status, events });

/** At a character that is no whitespace, between keys and values. */
function stepMark(state: CallObject, text: string, at: number): BodyStep<CallObject> {
  const character = text.charAt(at);
  switch (state.phase) {
    case 'open':
      return character === '{' ? to({ ...state, phase: 'key' }, at + 1) : to(state, at, 'broken');
    case 'key':
      if (character === '"') return stepKept({ ...state, scan: scanStart }, text, at);
      return character === '}' ? close(state, at) : to(state, at, 'broken');
    case 'colon':
      return character === ':' ? to({ ...state, phase: 'value' }, at + 1) : to(state, at, 'broken');
    case 'next':
      if (character === ',') return to({ ...state, phase: 'key' }, at + 1);
      return character === '}' ? close(state, at) : to(state, at, 'broken');
    default:
      return stepValue(state, text, at);
  }
}

function close(state: CallObject, at: number): BodyStep<CallObject> {
  if (state.depth > 0) return to({ ...state, depth: state.depth - 1, phase: 'next' }, at + 1);
  return to(state, at + 1, state.name === null ? 'broken' : 'done');
}

function stepValue(state: CallObject, text: string, at: number): BodyStep<CallObject> {
  if (state.keyed && state.name === null) {
    const named = { ...state, name: state.key, phase: 'arguments' } as const;
    return to(named, at, 'more', [{ type: 'call', name: state.key, id: null }]);
  }
  if (argumentKeys.has(state.key)) return to({ ...state, phase: 'arguments' }, at);
  if (state.key === 'function' && text.charAt(at) === '{') {
    return to({ ...state, depth: state.depth + 1, phase: 'key' }, at + 1);
  }
  return stepKept({ ...state, phase: 'skip', scan: scanStart }, text, at);
}

/** A key, or a value that is not the arguments. */
function stepKept(state: CallObject, text: string, from: number): BodyStep<CallObject> {
  const { scan, end, status } = scanJson(state.scan, text, from);
  const raw = state.raw + text.slice(from, end);
  if (status === 'open') return to({ ...state, scan, raw }, end);
  if (status === 'broken') return to(state, end, 'broken');
  const cleared = { ...state, scan: scanStart, raw: '' };
  const value = raw.startsWith('"') ? decodeJsonString(raw.slice(1, -1)) : raw.trim();
  if (state.phase === 'key') return to({ ...cleared, key: value, phase: 'colon' }, end);
  const next: CallObject = { ...cleared, phase: 'next' };
  if (idKeys.has(state.key)) return to({ ...next, id: value }, end);
  // `{"function": "f"}` names it too.
  if (nameKeys.has(state.key) || (state.key === 'function' && state.name === null)) {
    return named(next, value, end);
  }
  return to(next, end);
}

function named(state: CallObject, name: string, end: number): BodyStep<CallObject> {
  if (state.name !== null) return to(state, end);
  const events: BodyEvent[] = [{ type: 'call', name, id: state.id }];
  if (state.early !== '') events.push({ type: 'arguments', text: state.early });
  return to({ ...state, name, early: '' }, end, 'more', events);
}

function stepArguments(state: CallObject, text: string, from: number): BodyStep<CallObject> {
  const step = stepJsonArguments(state.arguments, text, from);
  const next: CallObject = { ...state, arguments: step.state };
  const after: CallObject =
    step.status === 'done' ? { ...next, phase: 'next', arguments: jsonArgumentsStart } : next;
  const status = step.status === 'broken' ? 'broken' : 'more';
  if (state.name !== null) return to(after, step.end, status, step.events);
  const read = step.events.map((event) => (event.type === 'arguments' ? event.text : '')).join('');
  return to({ ...after, early: state.early + read }, step.end, status);
}
