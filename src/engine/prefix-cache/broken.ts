/** The error for what can only be a bug of this folder or of its caller. */

import { ParlanceError } from '../../contract/errors.ts';

export function broken(what: string): ParlanceError {
  return new ParlanceError('internal', `The prefix cache is broken: ${what}.`);
}
