/**
 * Arguments as those of a Python call, behind its opening bracket: `city='Paris', days=2)`. Becomes JSON
 * text argument by argument; values without a name get those of the function's schema in order. Pure.
 */

import type { BodyEvent, BodyStep } from './body.ts';
import { pythonToJson } from './python-literal.ts';

export interface PythonCall {
  /** The names that values without one get. */
  readonly names: readonly string[];
  readonly count: number;
  /** How far the argument that begins the rest was looked through. */
  readonly looked: Looked;
}

/** Counted from the beginning of an argument. */
interface Looked {
  readonly to: number;
  /** Open brackets and the open quote there. */
  readonly stack: string;
  readonly quote: string;
}

const notLooked: Looked = { to: 0, stack: '', quote: '' };

export const pythonCallStart = (names: readonly string[]): PythonCall => ({
  names,
  count: 0,
  looked: notLooked,
});

const keyword = /^\s*([^\W\d]\w*)\s*=(?!=)/u;

/** `final`: nothing follows the text. */
export function stepPythonCall(
  start: PythonCall,
  text: string,
  final: boolean,
): BodyStep<PythonCall> {
  const events: BodyEvent[] = [];
  let state = start;
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s,]/.test(text.charAt(at))) at++;
    if (at === text.length) return { state, end: at, events, status: 'more' };
    if (text.charAt(at) === ')') {
      events.push({ type: 'arguments', text: state.count === 0 ? '{}' : '}' });
      return { state, end: at + 1, events, status: 'done' };
    }
    const end = endOfArgument(text, at, final, state.looked);
    if (end === 'broken') return { state, end: at, events, status: 'broken' };
    if (typeof end === 'object') {
      const next = end === state.looked ? state : { ...state, looked: end };
      return { state: next, end: at, events, status: 'more' };
    }
    const name = keyword.exec(text.slice(at, end));
    const key = name?.[1] ?? state.names[state.count] ?? `arg${state.count}`;
    const source = text.slice(at + (name?.[0].length ?? 0), end).trim();
    const lead = `${state.count === 0 ? '{' : ', '}${JSON.stringify(key)}: `;
    events.push({ type: 'arguments', text: lead + literalToJson(source) });
    state = { ...state, count: state.count + 1, looked: notLooked };
    at = end;
  }
}

/** What is no literal is a string; so are texts whose quotes were not escaped. */
function literalToJson(source: string): string {
  const json = pythonToJson(source);
  if (json !== null) return json;
  const quote = source.charAt(0);
  const quoted = (quote === "'" || quote === '"') && source.length > 1 && source.endsWith(quote);
  return JSON.stringify(quoted ? source.slice(1, -1) : source);
}

/**
 * Where the argument that begins here ends: at a `,` or `)` outside brackets and quotes. How far it was
 * looked through where the end is not there yet.
 */
function endOfArgument(
  text: string,
  from: number,
  final: boolean,
  looked: Looked,
): number | 'broken' | Looked {
  let { stack, quote } = looked;
  let at = from + looked.to;
  for (; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\') {
        if (at + 1 === text.length) break;
        at++;
      } else if (character === quote) {
        const closed = closesString(text, at + 1, final);
        if (closed === 'more') break;
        if (closed) quote = '';
      }
    } else if (character === "'" || character === '"') {
      quote = character;
    } else if ('([{'.includes(character)) {
      stack += character;
    } else if (stack === '' && (character === ',' || character === ')')) {
      return at;
    } else if (')]}'.includes(character)) {
      if (stack === '') return 'broken';
      stack = stack.slice(0, -1);
    }
  }
  return at - from === looked.to ? looked : { to: at - from, stack, quote };
}

/** A quote that nothing follows which could follow a string belongs to the text (`'it's'`). */
function closesString(text: string, from: number, final: boolean): boolean | 'more' {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  if (at === text.length) return final ? true : 'more';
  return /[,)\]}:]/.test(text.charAt(at));
}
