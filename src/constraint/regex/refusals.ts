/**
 * The words for regexes that cannot be taken: malformed ones, with the place, and constructs that no
 * machine of linear time can follow.
 */

import { ParlanceError } from '../../contract/errors.ts';

/** The regex at fault and a place in it, as code units from 0. */
export interface Place {
  readonly pattern: string;
  readonly at: number;
}

export function malformed(place: Place, what: string): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `The regex is malformed at character ${place.at + 1} (${excerpt(place)}): ${what}.`,
    { keyword: 'pattern' },
  );
}

export function tooLong(place: Place, what: string): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `The regex asks for too much at character ${place.at + 1} (${excerpt(place)}): ${what}. Make the counts smaller.`,
    { keyword: 'pattern' },
  );
}

export function refused(place: Place, construct: string, instead: string): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `The regex has ${/^[aeiou]/.test(construct) ? 'an' : 'a'} ${construct} at character ${place.at + 1} (${excerpt(place)}), which is not supported. ${instead}`,
    { keyword: construct },
  );
}

function excerpt(place: Place): string {
  const rest = place.pattern.slice(place.at, place.at + 12);
  if (rest === '') return 'its end';
  return `\`${rest}${place.at + 12 < place.pattern.length ? '…' : ''}\``;
}
