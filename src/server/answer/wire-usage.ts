/** Usage as the wire has it, sums of it, and how it is read from bytes that are passed on. */

import type { Usage } from '../../targets/index.ts';

export function toWireUsage(usage: Usage): Record<string, unknown> {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

const none: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };

export function addUsage(parts: readonly Usage[]): Usage {
  let sum = none;
  for (const part of parts) {
    sum = {
      promptTokens: sum.promptTokens + part.promptTokens,
      completionTokens: sum.completionTokens + part.completionTokens,
      cachedTokens: sum.cachedTokens + part.cachedTokens,
      reasoningTokens: sum.reasoningTokens + part.reasoningTokens,
    };
  }
  return sum;
}

const start = /"usage"\s*:\s*\{/g;

function count(text: string, field: string): number | null {
  const found = new RegExp(`"${field}"\\s*:\\s*(\\d+)`).exec(text);
  return found === null ? null : Number(found[1]);
}

/**
 * The usage inside a payload that is otherwise not parsed, or null. Reads from the last `usage`
 * object on, since the text of an answer may hold the same words (there they are escaped).
 */
export function usageInPayload(payload: string): Usage | null {
  if (!payload.includes('"usage"')) return null;
  const last = [...payload.matchAll(start)].at(-1);
  if (last === undefined) return null;
  const text = payload.slice(last.index);
  const promptTokens = count(text, 'prompt_tokens');
  if (promptTokens === null) return null;
  return {
    promptTokens,
    completionTokens: count(text, 'completion_tokens') ?? 0,
    cachedTokens: count(text, 'cached_tokens') ?? 0,
    reasoningTokens: count(text, 'reasoning_tokens') ?? 0,
  };
}
