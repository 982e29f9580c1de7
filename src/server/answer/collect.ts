/** Folds the events of an answer into its choices, for answers that are sent as one JSON body. */

import type {
  AnswerEvent,
  FinishReason,
  HandedContext,
  TokenLogprob,
  Usage,
} from '../../targets/index.ts';

export interface CollectedToolCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

interface Finish {
  readonly reason: FinishReason;
  readonly stopReason: string | number | null;
  readonly handed: HandedContext | null;
}

export interface CollectedChoice {
  readonly index: number;
  text: string;
  reasoning: string;
  readonly toolCalls: CollectedToolCall[];
  readonly logprobs: TokenLogprob[];
  /** Text that came before the first log probability: an echoed prompt. */
  unscoredText: string;
  finish: Finish | null;
}

export interface Collected {
  readonly choices: readonly CollectedChoice[];
  usage: Usage | null;
}

export function emptyCollection(choices: number): Collected {
  const empty = (index: number): CollectedChoice => ({
    index,
    text: '',
    reasoning: '',
    toolCalls: [],
    logprobs: [],
    unscoredText: '',
    finish: null,
  });
  return { choices: Array.from({ length: choices }, (_, index) => empty(index)), usage: null };
}

/** Adds events to a collection; those of choices that nobody asked for are left out. */
export function collect(into: Collected, events: readonly AnswerEvent[]): void {
  for (const event of events) {
    if (event.type === 'usage') {
      into.usage = event.usage;
      continue;
    }
    const choice = into.choices[event.choice];
    if (choice !== undefined) collectChoice(choice, event);
  }
}

function collectChoice(
  choice: CollectedChoice,
  event: Exclude<AnswerEvent, { type: 'usage' }>,
): void {
  switch (event.type) {
    case 'text':
      choice.text += event.text;
      choice.logprobs.push(...(event.logprobs ?? []));
      if (choice.logprobs.length === 0) choice.unscoredText += event.text;
      break;
    case 'reasoning':
      choice.reasoning += event.text;
      break;
    case 'tool_call_start':
      choice.toolCalls[event.index] = { id: event.id, name: event.name, arguments: '' };
      break;
    case 'tool_call_delta': {
      const call = choice.toolCalls[event.index];
      if (call !== undefined) call.arguments += event.arguments;
      break;
    }
    case 'finish':
      choice.finish = {
        reason: event.reason,
        stopReason: event.stopReason,
        handed: event.handed ?? null,
      };
  }
}

export const isCollected = (collected: Collected): boolean =>
  collected.choices.every((choice) => choice.finish !== null);
