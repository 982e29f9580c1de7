/**
 * Sequences that wait for a slot, in the order in which they get one: lower priority numbers first,
 * then who came first. A sequence that gave up its slot comes back to where it was.
 */

import type { ActiveRequest } from './active-request.ts';
import type { Sequence } from './sequence.ts';

export class WaitingQueue {
  #waiting: Sequence[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  has(sequence: Sequence): boolean {
    return this.#waiting.includes(sequence);
  }

  add(sequence: Sequence): void {
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (inOrder(this.#waiting[middle] as Sequence, sequence) < 0) low = middle + 1;
      else high = middle;
    }
    this.#waiting.splice(low, 0, sequence);
  }

  remove(sequence: Sequence): void {
    const place = this.#waiting.indexOf(sequence);
    if (place >= 0) this.#waiting.splice(place, 1);
  }

  removeAll(request: ActiveRequest): void {
    this.#waiting = this.#waiting.filter((sequence) => sequence.request !== request);
  }

  /** First come first; a copy, so that it may change meanwhile. */
  list(): readonly Sequence[] {
    return [...this.#waiting];
  }

  /** At most `count` of them, as a copy too. */
  first(count: number): readonly Sequence[] {
    return this.#waiting.slice(0, count);
  }
}

/** Less than 0 where `one` comes before `other`; a comparison for sorting. */
export function inOrder(one: Sequence, other: Sequence): number {
  const [a, b] = [one.request, other.request];
  return a.priority - b.priority || a.arrival - b.arrival || one.index - other.index;
}

/**
 * The running sequences that give their slots to one that waits, `count` of them: of those with a higher
 * priority number the ones with the highest, then the youngest. Null where there are not so many: none
 * is to stop in vain. Pure.
 */
export function chooseVictims(
  running: readonly Sequence[],
  waiting: Sequence,
  count: number,
): readonly Sequence[] | null {
  const { priority } = waiting.request;
  const possible = running.filter(
    ({ request }) => !request.driver.together && request.priority > priority,
  );
  if (possible.length < count) return null;
  return possible.toSorted((one, other) => inOrder(other, one)).slice(0, count);
}
