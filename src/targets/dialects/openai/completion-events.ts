/**
 * The text-completion form of the dialect (`/completions`) as events: how raw prompts are answered
 * by an upstream whose chat route takes none. A state machine with a pure step; one JSON answer is
 * the same as a stream of one chunk.
 */

import type { AnswerEvent, FinishReason } from '../../target.ts';
import { toUsage, type WireUsage } from './usage.ts';

interface CompletionChunk {
  readonly choices?: readonly {
    readonly index?: number;
    readonly text?: string;
    readonly finish_reason?: string | null;
    readonly stop_reason?: string | number | null;
  }[];
  readonly usage?: WireUsage | null;
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
  const usage = toUsage(chunk.usage);
  return usage === null ? events : [...events, { type: 'usage', usage }];
}

const finishReason = (word: string): FinishReason =>
  word === 'length' || word === 'content_filter' || word === 'tool_calls' ? word : 'stop';
