/** Usage as the wire has it, and sums of it. */

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
  let drafts = { verified: 0, accepted: 0 };
  for (const part of parts) {
    sum = {
      promptTokens: sum.promptTokens + part.promptTokens,
      completionTokens: sum.completionTokens + part.completionTokens,
      cachedTokens: sum.cachedTokens + part.cachedTokens,
      reasoningTokens: sum.reasoningTokens + part.reasoningTokens,
    };
    drafts = {
      verified: drafts.verified + (part.drafts?.verified ?? 0),
      accepted: drafts.accepted + (part.drafts?.accepted ?? 0),
    };
  }
  return drafts.verified === 0 ? sum : { ...sum, drafts };
}
