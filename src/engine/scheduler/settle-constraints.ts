/**
 * Takes in, before each pass, what the sessions of constraints have answered. Where others run, answers
 * are waited for a moment only: who still waits then takes no part in the pass, so a constraint that is
 * hard to follow holds up nobody but its own request. The scheduler calls it.
 */

import type { ActiveRequest, ToldStep } from './active-request.ts';
import type { Sequence } from './sequence.ts';

export interface SettleEvents {
  /** Tokens may have been appended to the sequence or taken back; it may be over. */
  settled(sequence: Sequence, told: readonly ToldStep[], generated: number): void;
  failed(sequence: Sequence, error: unknown): void;
}

/** For all answers of one step: where others run, and where nobody does. */
const briefWaitMs = 1;
const longWaitMs = 5;

/** `owners`: the sequences that have slots. */
export function settleConstraints(
  requests: readonly ActiveRequest[],
  owners: readonly Sequence[],
  events: SettleEvents,
): void {
  const waiting = requests.flatMap(({ sequences }) => sequences.filter(isWaiting));
  if (waiting.length === 0) return;
  const others = owners.some((one) => !waiting.includes(one));
  const until = performance.now() + (others ? briefWaitMs : longWaitMs);
  for (const sequence of waiting) {
    // Its request may have ended with another of its sequences.
    if (sequence.done) continue;
    try {
      settleOne(sequence, until, events);
    } catch (error) {
      events.failed(sequence, error);
    }
  }
}

const isWaiting = (sequence: Sequence): boolean =>
  !sequence.done && sequence.request.driver.constrained?.awaits(sequence) === true;

function settleOne(sequence: Sequence, until: number, events: SettleEvents): void {
  const before = sequence.tokens.length;
  const told: ToldStep[] = [];
  // A second question may follow the first one's answer: drafts.
  for (let turn = 0; turn < 2 && isWaiting(sequence); turn += 1) {
    const patience = Math.max(0, until - performance.now());
    told.push(...(sequence.request.driver.constrained?.settle(sequence, patience) ?? []));
  }
  events.settled(sequence, told, Math.max(0, sequence.tokens.length - before));
}
