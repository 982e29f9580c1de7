/**
 * Arguments as an object with bare keys and quotes of the family's own: `{city:<|"|>Paris<|"|>,days:2}`.
 * Becomes JSON text as it comes. Pure.
 */

import type { BodyStep } from './body.ts';
import { quotedInside } from './parameter-value.ts';

export interface BareKeys {
  readonly quote: string;
  /** Open brackets, the innermost last. */
  readonly stack: string;
  readonly inString: boolean;
  /** A string between double quotes, as in JSON; read up to here and not passed on. */
  readonly json: string;
  /** A key is next. */
  readonly atKey: boolean;
}

export function bareKeysStart(quote: string): BareKeys {
  return { quote, stack: '', inString: false, json: '', atKey: false };
}

const python: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

interface Once {
  readonly state: BareKeys;
  readonly end: number;
  readonly text: string;
  readonly status: BodyStep<BareKeys>['status'];
}

export function stepBareKeys(start: BareKeys, text: string): BodyStep<BareKeys> {
  let state = start;
  let at = 0;
  let written = '';
  for (;;) {
    const once =
      state.json === ''
        ? state.inString
          ? inside(state, text, at)
          : outside(state, text, at)
        : jsonString(state, text, at);
    const stuck = once.end === at && once.state === state;
    ({ state } = once);
    at = once.end;
    written += once.text;
    if (once.status !== 'more' || stuck || at === text.length) {
      const events = written === '' ? [] : [{ type: 'arguments', text: written } as const];
      return { state, end: at, events, status: once.status };
    }
  }
}

function inside(state: BareKeys, text: string, from: number): Once {
  const close = text.indexOf(state.quote, from);
  if (close >= 0) {
    const inner = quotedInside(text.slice(from, close));
    const next = { ...state, inString: false };
    return { state: next, end: close + state.quote.length, text: `${inner}"`, status: 'more' };
  }
  let kept = Math.min(state.quote.length - 1, text.length - from);
  while (kept > 0 && !state.quote.startsWith(text.slice(text.length - kept))) kept--;
  const end = text.length - kept;
  return { state, end, text: quotedInside(text.slice(from, end)), status: 'more' };
}

/** Some models quote as JSON does; such a string is passed on when it is whole. */
function jsonString(state: BareKeys, text: string, from: number): Once {
  const all = state.json + text.slice(from);
  const whole = /^"(?:[^"\\]|\\[\s\S])*"/.exec(all)?.[0];
  if (whole === undefined) {
    return { state: { ...state, json: all }, end: text.length, text: '', status: 'more' };
  }
  const end = text.length - (all.length - whole.length);
  return { state: { ...state, json: '', atKey: false }, end, text: whole, status: 'more' };
}

const bare = /[^\s{}[\],:<"]+/y;

function outside(state: BareKeys, text: string, at: number): Once {
  const character = text.charAt(at);
  const go = (next: BareKeys, length: number, out: string): Once => ({
    state: next,
    end: at + length,
    text: out,
    status: 'more',
  });
  const stay: Once = { state, end: at, text: '', status: 'more' };
  if (at === text.length) return stay;
  if (text.startsWith(state.quote, at)) {
    return go({ ...state, inString: true, atKey: false }, state.quote.length, '"');
  }
  if (state.quote.startsWith(text.slice(at))) return stay;
  if (/\s/.test(character)) return go(state, 1, '');
  if (character === '"') return go({ ...state, json: character }, 1, '');
  // Templates write the object once more around arguments that are text already.
  if (character === '{' && state.atKey && state.stack === '{') return go(state, 1, '');
  if (character === '{' || character === '[') {
    return go({ ...state, stack: state.stack + character, atKey: character === '{' }, 1, character);
  }
  if (character === '}' || character === ']') return closeBracket(state, character, at);
  if (character === ',') return go({ ...state, atKey: state.stack.endsWith('{') }, 1, ', ');
  if (character === ':') return go({ ...state, atKey: false }, 1, ': ');
  return bareWord(state, text, at);
}

function closeBracket(state: BareKeys, character: string, at: number): Once {
  if (state.stack.at(-1) !== (character === '}' ? '{' : '[')) {
    return { state, end: at, text: '', status: 'broken' };
  }
  const stack = state.stack.slice(0, -1);
  const next = { ...state, stack, atKey: false };
  return { state: next, end: at + 1, text: character, status: stack === '' ? 'done' : 'more' };
}

/** A key, a number, or a word such as `true`; only whole ones are passed on. */
function bareWord(state: BareKeys, text: string, at: number): Once {
  bare.lastIndex = at;
  const found = bare.exec(text)?.[0] ?? '';
  if (found === '') return { state, end: at, text: '', status: 'broken' };
  if (at + found.length === text.length) return { state, end: at, text: '', status: 'more' };
  const written = state.atKey ? JSON.stringify(found) : wordToJson(found);
  return { state, end: at + found.length, text: written, status: 'more' };
}

function wordToJson(found: string): string {
  if (Object.hasOwn(python, found)) return python[found] ?? found;
  const plain = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(found);
  return plain ? found : JSON.stringify(found);
}
