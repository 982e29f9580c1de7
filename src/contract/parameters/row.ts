/** What a row of the parameter table says of one field. Types only; the rows are in `table.ts`. */

import type { FieldName, WireRequest } from '../request/schema.ts';

/**
 * What a field is for. `parameter`: a target honours, emulates or refuses it, and the receipt says
 * which. `input`: the model, the prompt and the way of delivery. `recorded`: kept, never acted on.
 */
export type Role = 'input' | 'parameter' | 'recorded';

export type Group =
  | 'Input'
  | 'Length'
  | 'Sampling'
  | 'Stopping'
  | 'Output'
  | 'Structure'
  | 'Tools'
  | 'Service';

export interface Need {
  readonly field: FieldName;
  /** Whether the other field, as sent, is what this one needs. */
  readonly met: (request: WireRequest) => boolean;
  /** Completes the sentence "`x` needs …". */
  readonly what: string;
  /** Needed by a neutral value too. */
  readonly always?: true;
}

export interface ParameterRow<V> {
  readonly role: Role;
  readonly group: Group;
  /** What holds when the field is absent, for the reference page. */
  readonly default: string;
  /** Whether this value changes nothing, so that every target accepts it. */
  readonly neutral: (value: NonNullable<V>, request: WireRequest) => boolean;
  /** The neutral values, for the reference page. */
  readonly neutralText: string;
  /** Another field that means the same; this one is folded into it. */
  readonly synonymOf?: FieldName;
  readonly needs?: Need;
}

export type ParameterTable = {
  readonly [K in FieldName]-?: ParameterRow<WireRequest[K]>;
};
