/** What ends a session, in words for its user. Both kinds of sessions call it. Pure. */

import { ParlanceError, type Reason } from '../../contract/errors.ts';

export function toFailure(error: unknown): { reason: Reason; message: string } {
  if (!(error instanceof ParlanceError)) {
    return { reason: 'internal', message: 'The constraint broke while it was followed.' };
  }
  if (error.reason !== 'invalid_constraint') {
    return { reason: error.reason, message: error.message };
  }
  // A limit that was passed while the text was written: the request was right, its answer is not to be had.
  return {
    reason: 'constraint_not_met',
    message: `The answer went beyond what its constraint allows the engine to follow. ${error.message}`,
  };
}
