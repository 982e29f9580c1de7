/** From a collected answer to the one JSON body that a client without `stream` gets. */

import { headFields, type AnswerHead, type AnswerShape } from './answer-head.ts';
import type { Collected, CollectedChoice } from './collect.ts';
import { toWireHandover } from './wire-handover.ts';
import { codePoints, toChatLogprobs, toTextLogprobs } from './wire-logprobs.ts';
import { toWireUsage } from './wire-usage.ts';

export interface BodyPlan {
  readonly shape: AnswerShape;
  readonly head: AnswerHead;
  /** Whether log probabilities were asked for; else they are null. */
  readonly logprobs: boolean;
}

function messageOf(choice: CollectedChoice): Record<string, unknown> {
  const calls = choice.toolCalls.filter((call) => call !== undefined);
  return {
    role: 'assistant',
    content: choice.text === '' && calls.length > 0 ? null : choice.text,
    refusal: null,
    ...(choice.reasoning === '' ? {} : { reasoning_content: choice.reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: text }) => ({
            id,
            type: 'function',
            function: { name, arguments: text },
          })),
        }),
  };
}

function logprobsOf(choice: CollectedChoice, plan: BodyPlan): unknown {
  if (!plan.logprobs) return null;
  if (plan.shape !== 'text') return toChatLogprobs(choice.logprobs);
  return toTextLogprobs(choice.logprobs, codePoints(choice.unscoredText)).logprobs;
}

function choiceOf(choice: CollectedChoice, plan: BodyPlan): Record<string, unknown> {
  const message = plan.shape === 'text' ? {} : { message: messageOf(choice) };
  const text = plan.shape === 'chat' ? {} : { text: choice.text };
  const handed = choice.finish?.handed ?? null;
  return {
    index: choice.index,
    ...message,
    ...text,
    logprobs: logprobsOf(choice, plan),
    finish_reason: choice.finish?.reason ?? null,
    stop_reason: choice.finish?.stopReason ?? null,
    ...(handed === null ? {} : { disaggregated_params: toWireHandover(handed) }),
  };
}

export function toAnswerBody(collected: Collected, plan: BodyPlan): Record<string, unknown> {
  const { usage } = collected;
  return {
    ...headFields(plan.shape, 'body', plan.head),
    choices: collected.choices.map((choice) => choiceOf(choice, plan)),
    usage: usage === null ? null : toWireUsage(usage),
  };
}
