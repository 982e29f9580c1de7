/**
 * What a driver told of a request's choices, as the engine's messages have it: with the request's ID, and
 * once with the number of prompt tokens that were there already. The scheduler calls it.
 */

import type { ChoiceStep } from '../protocol.ts';
import type { ActiveRequest, ToldStep } from './active-request.ts';

export function toSteps(request: ActiveRequest, told: readonly ToldStep[]): ChoiceStep[] {
  const isOver = request.sequences.every(({ done }) => done);
  // What is forced may be told before the prompt has a slot, and may be the whole answer.
  const cachedTokens = request.cachedTokens ?? (isOver ? request.promptTokens.length : null);
  return told.map((step) => {
    if (request.told || cachedTokens === null) return { id: request.id, ...step };
    request.told = true;
    return { id: request.id, ...step, cachedTokens };
  });
}
