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
      if (comesBefore(this.#waiting[middle] as Sequence, sequence)) low = middle + 1;
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
}

function comesBefore(one: Sequence, other: Sequence): boolean {
  const { priority, arrival } = one.request;
  const { request } = other;
  if (priority !== request.priority) return priority < request.priority;
  if (arrival !== request.arrival) return arrival < request.arrival;
  return one.index < other.index;
}

/**
 * The running sequence that gives its slot to one that waits: of those with a higher priority number
 * the one with the highest, then the youngest. Null where there is none. Pure.
 */
export function chooseVictim(running: readonly Sequence[], waiting: Sequence): Sequence | null {
  let victim: Sequence | null = null;
  for (const sequence of running) {
    if (sequence.request.driver.together) continue;
    if (sequence.request.priority <= waiting.request.priority) continue;
    if (victim === null || comesBefore(victim, sequence)) victim = sequence;
  }
  return victim;
}
