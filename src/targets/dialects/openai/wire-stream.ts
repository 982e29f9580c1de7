/**
 * An upstream's stream of chat chunks on its way to the client: a state machine with a pure step.
 * Chunks keep their bytes; `id` and `model` become ours, and usage, which many servers send in a
 * chunk of its own, is folded into the last finish chunk. Nothing is parsed but what must be read.
 */

import type { Identity } from '../../target.ts';
import { identityEdits } from './identity-edits.ts';
import { editJson, jsonEntries, jsonValue, type JsonEntry } from './json-entries.ts';

export interface WireStreamOptions {
  readonly identity: Identity;
  readonly includeUsage: boolean;
  readonly continuousUsage: boolean;
}

export interface WireStreamState {
  /** The newest finish chunk, kept back because usage may still come. */
  readonly held: string | null;
  /** Choices that have finished: a stream that ends before all of them did was cut. */
  readonly finished: number;
  readonly done: boolean;
  /** The JSON of the newest usage that was kept from the client. */
  readonly unshown: string | null;
}

export type WireStreamStep =
  | { readonly kind: 'chunks'; readonly state: WireStreamState; readonly chunks: readonly string[] }
  /** The upstream reported an error inside its stream; `error` is its JSON. */
  | { readonly kind: 'error'; readonly error: string };

export const startWireStream: WireStreamState = {
  held: null,
  finished: 0,
  done: false,
  unshown: null,
};

const finishes = /"finish_reason"\s*:\s*"/g;

/** @param payload one `data:` payload, `[DONE]` included */
export function stepWireStream(
  state: WireStreamState,
  payload: string,
  options: WireStreamOptions,
): WireStreamStep {
  if (payload.trim() === '[DONE]') {
    return chunks({ ...state, held: null, done: true }, state.held);
  }
  const entries = jsonEntries(payload);
  const error = jsonValue(payload, entries, 'error');
  if (error !== null) return { kind: 'error', error };
  const choices = jsonValue(payload, entries, 'choices');
  const usage = jsonValue(payload, entries, 'usage');
  if (choices === null || /^\[\s*\]$/.test(choices)) {
    if (usage === null) return chunks(state);
    if (!options.includeUsage || state.held === null) return chunks({ ...state, unshown: usage });
    return chunks({ ...state, held: null }, editJson(state.held, new Map([['usage', usage]])));
  }
  const finished = choices.match(finishes)?.length ?? 0;
  const finish = finished > 0;
  const keepUsage = usage !== null && (options.continuousUsage || (options.includeUsage && finish));
  const chunk = ownChunk(payload, entries, keepUsage, options.identity);
  const unshown = keepUsage ? state.unshown : (usage ?? state.unshown);
  if (!finish) return chunks({ ...state, unshown, held: null }, state.held, chunk);
  const next = { ...state, unshown, held: chunk, finished: state.finished + finished };
  return chunks(next, state.held);
}

function chunks(state: WireStreamState, ...made: (string | null)[]): WireStreamStep {
  return { kind: 'chunks', state, chunks: made.filter((chunk) => chunk !== null) };
}

function ownChunk(
  payload: string,
  entries: readonly JsonEntry[],
  keepUsage: boolean,
  identity: Identity,
): string {
  const edits = identityEdits(identity);
  if (!keepUsage && entries.some((entry) => entry.key === 'usage')) edits.set('usage', null);
  return editJson(payload, edits);
}
