/**
 * Whether every sequence is where it should be, once. The scheduler's tests ask after every step.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { ActiveRequest } from './active-request.ts';
import type { Sequence } from './sequence.ts';
import type { WaitingQueue } from './waiting-queue.ts';

/** Throws `internal` where a sequence is lost, held twice, or held by a request that has ended. */
export function checkBooks(
  requests: ReadonlyMap<number, ActiveRequest>,
  holders: readonly Sequence[],
  queue: WaitingQueue,
): void {
  const owners = new Set(holders);
  const queued = new Set(queue.list());
  const alive = [...requests.values()].flatMap(({ sequences }) =>
    sequences.filter(({ done }) => !done),
  );
  const isKept = (one: Sequence): boolean =>
    owners.has(one) !== queued.has(one) || (one.idle && one.slot === null);
  const balanced =
    queued.size === queue.size &&
    alive.every(isKept) &&
    [...owners, ...queued].every((one) => requests.get(one.request.id) === one.request) &&
    [...owners].every((one) => one.slot !== null && !one.done);
  if (!balanced) throw new ParlanceError('internal', 'The scheduler lost count of its sequences.');
}
