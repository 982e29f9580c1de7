/**
 * Arguments written as one element each (`<parameter=city>Paris</parameter>`). Becomes JSON text piece by
 * piece: strings as they come, everything else when its element is closed. Pure.
 */

import { compilePattern, matchPattern, type Pattern } from '../pattern.ts';
import type { ParameterLayout } from '../tool-format.ts';
import type { BodyEvent, BodyStep } from './body.ts';
import { elementToJson } from './nested-elements.ts';
import { propertySchema, typesOf, type Types } from './parameter-types.ts';
import { isString, quotedInside, valueToJson } from './parameter-value.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What does not change while a call is read. */
interface Plan {
  readonly layout: ParameterLayout;
  readonly open: Pattern;
  readonly schema: Schema | null;
}

export interface Parameters {
  readonly plan: Plan;
  readonly phase: 'next' | 'value';
  readonly key: string;
  readonly types: Types;
  /** What closes the present element. */
  readonly close: string;
  /** Of the present value: read, and not passed on. */
  readonly raw: string;
  /** The value's first character was looked at. */
  readonly begun: boolean;
  /** Parameters so far. */
  readonly count: number;
}

const cdataOpen = '<![CDATA[';
const cdataClose = ']]>';

export function parametersStart(layout: ParameterLayout, schema: Schema | null): Parameters {
  return {
    plan: { layout, open: compilePattern(layout.open), schema },
    phase: 'next',
    key: '',
    types: null,
    close: '',
    raw: '',
    begun: false,
    count: 0,
  };
}

/** `final`: nothing follows the text. */
export function stepParameters(
  start: Parameters,
  text: string,
  final: boolean,
): BodyStep<Parameters> {
  const events: BodyEvent[] = [];
  let state = start;
  let at = 0;
  for (;;) {
    const step =
      state.phase === 'next' ? openNext(state, text, at, final) : readValue(state, text, at);
    events.push(...step.events);
    const same = step.end === at && step.state.phase === state.phase;
    ({ state } = step);
    at = step.end;
    if (step.status !== 'more' || same || (at === text.length && state.phase === 'value')) {
      return { ...step, events };
    }
  }
}

const argument = (text: string): readonly BodyEvent[] =>
  text === '' ? [] : [{ type: 'arguments', text }];

function openNext(
  state: Parameters,
  text: string,
  from: number,
  final: boolean,
): BodyStep<Parameters> {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  const match = matchPattern(state.plan.open, text, at, final);
  if (match.found === 'more') return { state, end: from, events: [], status: 'more' };
  if (match.found !== 'yes') {
    return { state, end: from, events: argument(state.count === 0 ? '{}' : '}'), status: 'done' };
  }
  const key = match.captures.key ?? '';
  const types = typesHere(state.plan, key, match.captures.type);
  const lead = `${state.count === 0 ? '{' : ', '}${JSON.stringify(key)}: ${isString(types) ? '"' : ''}`;
  const next: Parameters = {
    ...state,
    phase: 'value',
    key,
    types,
    close: state.plan.layout.close.replace('«key»', key),
    raw: '',
    begun: false,
    count: state.count + 1,
  };
  return { state: next, end: match.end, events: argument(lead), status: 'more' };
}

/** The types of a parameter: what the element says of it wins over the schema. */
function typesHere(plan: Plan, key: string, said: string | undefined): Types {
  const known = typesOf(plan.schema, key);
  if (said === undefined || plan.layout.types === null) return known;
  if (said === 'true' || said === 'string') return new Set(['string']);
  // Whatever else it is, a string it is not.
  return known !== null && !known.has('string')
    ? known
    : new Set(['number', 'boolean', 'null', 'object', 'array']);
}

function readValue(start: Parameters, text: string, from: number): BodyStep<Parameters> {
  const state = begin({ ...start, raw: start.raw + text.slice(from) });
  if (state === null) {
    return {
      state: { ...start, raw: start.raw + text.slice(from) },
      end: text.length,
      events: [],
      status: 'more',
    };
  }
  const { lines } = state.plan.layout;
  const found = state.raw.indexOf(state.close);
  if (found < 0) return pass(state, text.length);
  const value = state.raw.slice(0, found);
  const inner = lines && value.endsWith('\n') ? value.slice(0, -1) : value;
  const left = state.raw.length - found - state.close.length;
  const end = text.length - left;
  return {
    state: { ...state, phase: 'next', raw: '' },
    end,
    events: argument(whole(state, inner)),
    status: 'more',
  };
}

/** Looks at how a value begins; null where there is too little of it. */
function begin(state: Parameters): Parameters | null {
  if (state.begun) return state;
  const { lines, cdata } = state.plan.layout;
  if (lines && state.raw === '') return null;
  const raw = lines && state.raw.startsWith('\n') ? state.raw.slice(1) : state.raw;
  if (cdata && raw.startsWith(cdataOpen)) {
    const close = cdataClose + state.close;
    return { ...state, raw: raw.slice(cdataOpen.length), close, begun: true, types: state.types };
  }
  if (cdata && cdataOpen.startsWith(raw)) return null;
  return { ...state, raw, begun: true };
}

/** Passes on what is certain of a string, and keeps the rest. */
function pass(state: Parameters, end: number): BodyStep<Parameters> {
  if (!isString(state.types)) return { state, end, events: [], status: 'more' };
  const kept = openEnd(state.raw, state.close, state.plan.layout.lines);
  const certain = state.raw.slice(0, state.raw.length - kept);
  return {
    state: { ...state, raw: state.raw.slice(certain.length) },
    end,
    events: argument(quotedInside(certain)),
    status: 'more',
  };
}

/** How many of the last characters may belong to what closes the value. */
function openEnd(raw: string, close: string, lines: boolean): number {
  const closers = lines ? [`\n${close}`, close] : [close];
  let kept = 0;
  for (const closer of closers) {
    for (let length = Math.min(closer.length, raw.length); length > kept; length--) {
      if (raw.endsWith(closer.slice(0, length))) kept = length;
    }
  }
  return kept;
}

/** The rest of the value, with what closes it in JSON. */
function whole(state: Parameters, inner: string): string {
  if (isString(state.types)) return `${quotedInside(inner)}"`;
  const { layout, schema } = state.plan;
  if (state.close.startsWith(cdataClose)) return JSON.stringify(inner);
  if (layout.nested === null) return valueToJson(inner, state.types);
  return elementToJson(inner, layout.nested, schema, propertySchema(schema, state.key));
}
