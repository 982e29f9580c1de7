/** What an answer says, streamed or whole, in one form that can be compared: all but IDs and times. */

import type { Chunk, Completion, ScoredToken } from '../../support/ask.ts';

export interface AnswerChoice {
  readonly text: string;
  readonly finish: string;
  readonly stop: string | number | null;
  /** Empty where none were asked for. */
  readonly logprobs: readonly ScoredToken[];
}

export interface Answer {
  readonly choices: readonly AnswerChoice[];
  /** Null in a stream without usage. */
  readonly tokens: number | null;
}

/** Tokens of the prompt that were not computed for it. A stream must have its usage. */
export function cachedOf(answer: Completion | readonly Chunk[]): number {
  const usage = 'choices' in answer ? answer.usage : answer.at(-1)?.usage;
  const { prompt_tokens_details: details } = usage as unknown as {
    prompt_tokens_details: { cached_tokens: number };
  };
  return details.cached_tokens;
}

export function toAnswer(answer: Completion | readonly Chunk[]): Answer {
  return 'choices' in answer ? fromWhole(answer) : fromChunks(answer);
}

function fromWhole({ choices, usage }: Completion): Answer {
  return {
    tokens: usage.completion_tokens,
    choices: choices
      .toSorted((a, b) => a.index - b.index)
      .map((choice) => ({
        text: choice.message.content,
        finish: choice.finish_reason,
        stop: choice.stop_reason ?? null,
        logprobs: choice.logprobs?.content ?? [],
      })),
  };
}

function fromChunks(chunks: readonly Chunk[]): Answer {
  const choices: { -readonly [K in keyof AnswerChoice]: AnswerChoice[K] }[] = [];
  for (const choice of chunks.flatMap((chunk) => chunk.choices)) {
    const found = (choices[choice.index] ??= { text: '', finish: '', stop: null, logprobs: [] });
    found.text += choice.delta.content ?? '';
    found.logprobs = [...found.logprobs, ...(choice.logprobs?.content ?? [])];
    if (choice.finish_reason === null) continue;
    found.finish += choice.finish_reason;
    found.stop = choice.stop_reason ?? null;
  }
  return { choices, tokens: chunks.at(-1)?.usage?.completion_tokens ?? null };
}
