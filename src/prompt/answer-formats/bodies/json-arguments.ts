/**
 * Arguments written as JSON: they pass through as the model writes them. Some models, and templates that
 * quote twice, write the object inside a JSON string; then what is in the string passes through. Pure.
 */

import type { BodyStep } from './body.ts';
import { decodeJsonString, scanJson, scanStart, wholeEscapes, type JsonScan } from './json-scan.ts';

export interface JsonArguments {
  readonly phase: 'start' | 'value' | 'string';
  readonly scan: JsonScan;
  /** Read of the string, and not decoded yet. */
  readonly inside: string;
}

export const jsonArgumentsStart: JsonArguments = { phase: 'start', scan: scanStart, inside: '' };

/** Reads on from `from`. */
export function stepJsonArguments(
  state: JsonArguments,
  text: string,
  from: number,
): BodyStep<JsonArguments> {
  if (state.phase === 'start') {
    let at = from;
    while (at < text.length && /\s/.test(text.charAt(at))) at++;
    if (at === text.length) return { state, end: at, events: [], status: 'more' };
    const phase = text.charAt(at) === '"' ? 'string' : 'value';
    return stepJsonArguments({ ...state, phase }, text, at);
  }
  const { scan, end, status } = scanJson(state.scan, text, from);
  const read = text.slice(from, end);
  const next = status === 'open' ? 'more' : status;
  if (state.phase === 'value') {
    return { state: { ...state, scan }, end, events: piece(read), status: next };
  }
  // The quotes around the string are not part of it.
  const opened = state.scan.inString ? read : read.slice(1);
  const inside = state.inside + (status === 'done' ? opened.slice(0, -1) : opened);
  const whole = status === 'open' ? wholeEscapes(inside) : inside.length;
  return {
    state: { ...state, scan, inside: inside.slice(whole) },
    end,
    events: piece(decodeJsonString(inside.slice(0, whole))),
    status: next,
  };
}

const piece = (text: string): BodyStep<JsonArguments>['events'] =>
  text === '' ? [] : [{ type: 'arguments', text }];
