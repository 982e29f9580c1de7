/**
 * Reads a target's events as what they mean, checks each finished choice, and ends the target's work when
 * nothing of it is wanted any more. Targets that return text wrap their events in it.
 */

import type { AnswerEvent, AnswerEvents } from '../target.ts';
import { isOver, startReading, stepReading, type ReadingPlan } from './answer-reader.ts';
import { checkAnswer, type AnswerCheck } from './check-answer.ts';

export interface Reading {
  readonly plan: ReadingPlan;
  readonly check: AnswerCheck | null;
  /** Told once for each choice that was cut off. */
  readonly onIncomplete: (why: string) => void;
  /** Every choice is over, though the target may still be at work. */
  readonly onOver: () => void;
}

/** @throws whatever the target throws, and ParlanceError `constraint_not_met` */
export async function* readAnswer(
  source: AnswerEvents,
  { plan, check, onIncomplete, onOver }: Reading,
): AnswerEvents & AsyncGenerator<readonly AnswerEvent[]> {
  let state = startReading(plan);
  for await (const batch of source) {
    const told: AnswerEvent[] = [];
    for (const event of batch) {
      const next = stepReading(plan, state, event);
      state = next.state;
      told.push(...next.events);
    }
    // Who is told that a choice has finished is told so of one that is as asked for.
    for (const one of told) {
      const choice = one.type === 'finish' ? state.choices[one.choice] : undefined;
      if (check === null || one.type !== 'finish' || choice === undefined) continue;
      const why = await checkAnswer(check, choice, one);
      if (why !== null) onIncomplete(why);
    }
    if (told.length > 0) yield told;
    if (isOver(state)) break;
  }
  onOver();
}
