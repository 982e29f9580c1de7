/**
 * Stop strings in what the answer says, where only that is looked at: not in reasoning, not in the
 * arguments of calls. The answer reader steps it. Pure.
 */

import { compileStops, initialPositions, stepStops } from '../../engine/index.ts';
import type { StopPositions, StopTable } from '../../engine/index.ts';

export interface ContentStops {
  readonly table: StopTable;
  /** The stop string that matched is part of the text. */
  readonly include: boolean;
  /** Stop strings that end before this token do not count. */
  readonly minTokens: number;
}

export interface StopState {
  readonly positions: StopPositions;
  /** May be the beginning of a stop string. */
  readonly held: string;
}

export interface StopResult {
  readonly state: StopState;
  readonly text: string;
  readonly matched: string | null;
}

export const toContentStops = (
  stop: readonly string[],
  include: boolean,
  minTokens: number,
): ContentStops => ({ table: compileStops(stop), include, minTokens });

export const startStops = ({ table }: ContentStops): StopState => ({
  positions: initialPositions(table),
  held: '',
});

/** `tokens`: how many the choice has so far. */
export function stepContentStops(
  stops: ContentStops,
  state: StopState,
  { text, tokens }: { readonly text: string; readonly tokens: number },
): StopResult {
  const accept = tokens >= stops.minTokens;
  const { positions, pending, match } = stepStops(stops.table, state.positions, { text, accept });
  const whole = state.held + text;
  if (match !== null) {
    const end = state.held.length + match.end;
    const cut = stops.include ? end : end - match.stop.length;
    return { state: { positions, held: '' }, text: whole.slice(0, cut), matched: match.stop };
  }
  const ready = whole.length - pending;
  return {
    state: { positions, held: whole.slice(ready) },
    text: whole.slice(0, ready),
    matched: null,
  };
}
