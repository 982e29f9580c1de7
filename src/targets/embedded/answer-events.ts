/** The engine's steps as events of an answer: a state machine with a pure step. */

import type { ChoiceStep } from '../../engine/index.ts';
import type { AnswerEvent, Usage } from '../target.ts';

export interface AnswerState {
  readonly promptTokens: number;
  /** Generated tokens of each choice so far. */
  readonly tokens: readonly number[];
}

export const startAnswer = (promptTokens: number, choices: number): AnswerState => ({
  promptTokens,
  tokens: Array.from({ length: choices }, () => 0),
});

/** @returns the next state and what one engine step means to the client, usage last */
export function stepAnswer(
  state: AnswerState,
  choices: readonly ChoiceStep[],
): { state: AnswerState; events: AnswerEvent[] } {
  const tokens = [...state.tokens];
  const events: AnswerEvent[] = [];
  for (const step of choices) {
    tokens[step.choice] = step.tokens;
    if (step.text !== '' || step.logprobs !== undefined) {
      events.push({
        type: 'text',
        choice: step.choice,
        text: step.text,
        ...(step.logprobs === undefined ? {} : { logprobs: step.logprobs }),
      });
    }
    if (step.finish !== undefined) {
      events.push({ type: 'finish', choice: step.choice, ...step.finish });
    }
  }
  const next = { ...state, tokens };
  return { state: next, events: [...events, { type: 'usage', usage: usageOf(next) }] };
}

function usageOf(state: AnswerState): Usage {
  return {
    promptTokens: state.promptTokens,
    completionTokens: state.tokens.reduce((sum, one) => sum + one, 0),
    cachedTokens: 0,
    reasoningTokens: 0,
  };
}
