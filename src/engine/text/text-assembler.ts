/**
 * The text of one choice: token bytes in, text that may be shown out, with the log-probabilities that
 * belong to it. Called by the scheduler for each generated token. Holds text back only while it is
 * half a character or may become a stop string. A pure step over an immutable state, and a thin object
 * around it; positions count UTF-16 units from the start of the choice's text.
 */

import type { TokenLogprob } from '../protocol.ts';
import { compileStops, initialPositions, stepStops } from './stop-matcher.ts';
import type { StopPositions, StopTable } from './stop-matcher.ts';
import { decodeUtf8, emptyUtf8 } from './utf8-decoder.ts';
import type { Utf8State } from './utf8-decoder.ts';

export interface TextRules {
  readonly stop: readonly string[];
  /** The stop string that matched is part of the text; nothing behind it ever is. */
  readonly includeStop: boolean;
  /** Stop strings count when they end in this token (counted from 1) or a later one. */
  readonly minTokens: number;
}

export interface TextParts {
  /** Whole characters only. */
  readonly text: string;
  /** Of the tokens whose text is out by now, in order. */
  readonly logprobs: readonly TokenLogprob[];
  /** The stop string, in the step in which it was completed; the text is over then. */
  readonly matched: string | null;
}

export interface TextAssembler {
  /** One token's bytes, empty where it shows no text. After a match nothing comes out any more. */
  readonly push: (piece: Uint8Array, logprobs?: TokenLogprob) => TextParts;
  /** No token follows: gives out what was held for stop strings and drops half a character. */
  readonly end: () => TextParts;
}

export interface CompiledRules {
  readonly stops: StopTable;
  readonly includeStop: boolean;
  readonly minTokens: number;
}

export interface TextState {
  readonly utf8: Utf8State;
  readonly positions: StopPositions;
  /** Decoded text that is not out yet. */
  readonly held: string;
  /** Units that are out. */
  readonly released: number;
  /** Tokens pushed. */
  readonly tokens: number;
  readonly waiting: readonly WaitingLogprob[];
  readonly over: boolean;
}

interface WaitingLogprob {
  readonly logprob: TokenLogprob;
  /** Where its text begins. */
  readonly start: number;
  /** Where its text ends; null while its last byte belongs to a character that is not whole. */
  readonly end: number | null;
}

export type TextEvent =
  | {
      readonly type: 'token';
      readonly piece: Uint8Array;
      readonly logprob: TokenLogprob | undefined;
    }
  | { readonly type: 'end' };

const NOTHING: TextParts = { text: '', logprobs: [], matched: null };

/** An assembler of rules that several choices share. */
export function startText(compiled: CompiledRules): TextAssembler {
  let state = initialText(compiled);
  const step = (event: TextEvent): TextParts => {
    const next = stepText(compiled, state, event);
    state = next.state;
    return next.parts;
  };
  return {
    push: (piece, logprob) => step({ type: 'token', piece, logprob }),
    end: () => step({ type: 'end' }),
  };
}

export function compileRules(rules: TextRules): CompiledRules {
  const { stop, includeStop, minTokens } = rules;
  return { stops: compileStops(stop), includeStop, minTokens };
}

export function initialText(rules: CompiledRules): TextState {
  return {
    utf8: emptyUtf8,
    positions: initialPositions(rules.stops),
    held: '',
    released: 0,
    tokens: 0,
    waiting: [],
    over: false,
  };
}

/** One token, or the end. Pure: the same state and event give the same result. */
export function stepText(
  rules: CompiledRules,
  state: TextState,
  event: TextEvent,
): { readonly state: TextState; readonly parts: TextParts } {
  if (state.over) return { state, parts: NOTHING };
  return event.type === 'end' ? stepEnd(state) : stepToken(rules, state, event);
}

function stepEnd(state: TextState): { state: TextState; parts: TextParts } {
  return {
    state: { ...state, held: '', waiting: [], over: true },
    parts: {
      text: state.held,
      logprobs: state.waiting.map(({ logprob }) => logprob),
      matched: null,
    },
  };
}

function stepToken(
  rules: CompiledRules,
  state: TextState,
  { piece, logprob }: Extract<TextEvent, { type: 'token' }>,
): { state: TextState; parts: TextParts } {
  const decoded = decodeUtf8(state.utf8, piece);
  const tokens = state.tokens + 1;
  const start = state.released + state.held.length;
  const text = state.held + decoded.text;
  const whole = decoded.state.needed === 0;
  const waiting = settle(
    state.waiting,
    decoded.resolved === null ? null : start + decoded.resolved,
  );
  if (logprob !== undefined) {
    waiting.push({ logprob, start, end: whole ? start + decoded.text.length : null });
  }
  const { positions, pending, match } = stepStops(rules.stops, state.positions, {
    text: decoded.text,
    accept: tokens >= rules.minTokens,
  });
  const next = { ...state, utf8: decoded.state, positions, tokens };
  if (match !== null) {
    const matchEnd = start + match.end;
    const cut = rules.includeStop ? matchEnd : matchEnd - match.stop.length;
    return {
      state: { ...next, held: '', released: cut, waiting: [], over: true },
      parts: {
        text: text.slice(0, cut - state.released),
        logprobs: waiting.filter((token) => token.start < cut).map((token) => token.logprob),
        matched: match.stop,
      },
    };
  }
  const ready = text.length - pending;
  const released = state.released + ready;
  const out = countReleased(waiting, released);
  return {
    state: { ...next, held: text.slice(ready), released, waiting: waiting.slice(out) },
    parts: {
      text: text.slice(0, ready),
      logprobs: waiting.slice(0, out).map((token) => token.logprob),
      matched: null,
    },
  };
}

/** Gives the tokens that waited for a character their end, where that character is whole now. */
function settle(waiting: readonly WaitingLogprob[], end: number | null): WaitingLogprob[] {
  if (end === null) return waiting.slice();
  return waiting.map((token) => (token.end === null ? { ...token, end } : token));
}

function countReleased(waiting: readonly WaitingLogprob[], released: number): number {
  const first = waiting.findIndex(({ end }) => end === null || end > released);
  return first < 0 ? waiting.length : first;
}
