/** The engine's steps as events of an answer: a state machine with a pure step. */

import type { ChoiceStep } from '../../engine/index.ts';
import type { AnswerEvent, DraftCount, HandedContext, Usage } from '../target.ts';

export interface AnswerState {
  readonly promptTokens: number;
  /** Generated tokens of each choice so far. */
  readonly tokens: readonly number[];
  /** Generated tokens of choices that are not told. */
  readonly untoldTokens: number;
  readonly cachedTokens: number;
  /** Of the choices that have ended. */
  readonly drafts: DraftCount;
}

export const startAnswer = (promptTokens: number, choices: number): AnswerState => ({
  promptTokens,
  tokens: Array.from({ length: choices }, () => 0),
  untoldTokens: 0,
  cachedTokens: 0,
  drafts: { verified: 0, accepted: 0 },
});

export type HeldContext = NonNullable<ChoiceStep['context']>;

/**
 * @param hand what the client is told of a context that is held for it
 * @returns the next state and what one engine step means to the client, usage last
 */
export function stepAnswer(
  state: AnswerState,
  choices: readonly ChoiceStep[],
  hand: (held: HeldContext) => HandedContext,
): { state: AnswerState; events: AnswerEvent[] } {
  const tokens = [...state.tokens];
  let { untoldTokens, cachedTokens, drafts } = state;
  const events: AnswerEvent[] = [];
  for (const step of choices) {
    tokens[step.choice] = step.tokens;
    untoldTokens = step.untoldTokens ?? untoldTokens;
    cachedTokens = step.cachedTokens ?? cachedTokens;
    if (step.drafts !== undefined) drafts = addDrafts(drafts, step.drafts);
    if (step.text !== '' || step.logprobs !== undefined) {
      events.push({
        type: 'text',
        choice: step.choice,
        text: step.text,
        tokens: step.tokens,
        ...(step.logprobs === undefined ? {} : { logprobs: step.logprobs }),
      });
    }
    if (step.finish !== undefined) {
      const handed = step.context === undefined ? {} : { handed: hand(step.context) };
      events.push({ type: 'finish', choice: step.choice, ...step.finish, ...handed });
    }
  }
  const next = { ...state, tokens, untoldTokens, cachedTokens, drafts };
  return { state: next, events: [...events, { type: 'usage', usage: usageOf(next) }] };
}

function usageOf(state: AnswerState): Usage {
  return {
    promptTokens: state.promptTokens,
    completionTokens: state.tokens.reduce((sum, one) => sum + one, state.untoldTokens),
    cachedTokens: state.cachedTokens,
    reasoningTokens: 0,
    ...(state.drafts.verified === 0 ? {} : { drafts: state.drafts }),
  };
}

const addDrafts = (one: DraftCount, other: DraftCount): DraftCount => ({
  verified: one.verified + other.verified,
  accepted: one.accepted + other.accepted,
});
