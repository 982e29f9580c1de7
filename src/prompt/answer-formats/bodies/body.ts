/**
 * What reads the inside of a call: each way to write arguments has a state machine of this shape. The
 * parser of answers feeds it and knows nothing else of it. Types only.
 */

export type BodyEvent =
  /** The name is known now; arguments come after this. */
  | { readonly type: 'call'; readonly name: string; readonly id: string | null }
  /** A piece of the arguments' JSON text. */
  | { readonly type: 'arguments'; readonly text: string };

export interface BodyStep<State> {
  readonly state: State;
  /** Up to here the text was read; the rest is given again. */
  readonly end: number;
  readonly events: readonly BodyEvent[];
  /** `broken`: what follows `end` does not belong to a call. */
  readonly status: 'more' | 'done' | 'broken';
}
