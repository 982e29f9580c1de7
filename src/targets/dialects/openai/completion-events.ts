/**
 * The text-completion form of the dialect (`/completions`) as events: how raw prompts are answered
 * by an upstream whose chat route takes none. A state machine with a pure step; one JSON answer is
 * the same as a stream of one chunk.
 */

import type { AnswerEvent, FinishReason, Usage } from '../../target.ts';

interface CompletionChunk {
  readonly choices?: readonly {
    readonly index?: number;
    readonly text?: string;
    readonly finish_reason?: string | null;
    readonly stop_reason?: string | number | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  } | null;
}

/** Events of one payload (not `[DONE]`), usage last. */
export function completionEvents(payload: string): AnswerEvent[] {
  const chunk = JSON.parse(payload) as CompletionChunk;
  const events: AnswerEvent[] = [];
  for (const one of chunk.choices ?? []) {
    const choice = one.index ?? 0;
    if (one.text) events.push({ type: 'text', choice, text: one.text });
    if (!one.finish_reason) continue;
    const reason = finishReason(one.finish_reason);
    events.push({ type: 'finish', choice, reason, stopReason: one.stop_reason ?? null });
  }
  const usage = usageOf(chunk.usage);
  return usage === null ? events : [...events, { type: 'usage', usage }];
}

const finishReason = (word: string): FinishReason =>
  word === 'length' || word === 'content_filter' || word === 'tool_calls' ? word : 'stop';

/** Usage from the JSON of a `usage` field; null when it is none. */
export function parseUsage(text: string): Usage | null {
  try {
    return usageOf(JSON.parse(text) as CompletionChunk['usage']);
  } catch {
    return null;
  }
}

function usageOf(usage: CompletionChunk['usage']): Usage | null {
  if (!usage) return null;
  return {
    promptTokens: usage.prompt_tokens ?? 0,
    completionTokens: usage.completion_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}
