/** Usage as the dialect writes it; the one place that reads it. */

import type { Usage } from '../../target.ts';
import { jsonEntries, jsonValue } from './json-entries.ts';

export interface WireUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
}

export function toUsage(usage: WireUsage | null | undefined): Usage | null {
  if (!usage) return null;
  return {
    promptTokens: usage.prompt_tokens ?? 0,
    completionTokens: usage.completion_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

/** Usage from the JSON of a `usage` field; null when it is none. */
export function parseUsage(text: string): Usage | null {
  try {
    return toUsage(JSON.parse(text) as WireUsage | null);
  } catch {
    return null;
  }
}

/** The usage of a payload that is otherwise not parsed, or null. */
export function usageInPayload(payload: string): Usage | null {
  if (!payload.includes('"usage"')) return null;
  const value = jsonValue(payload, jsonEntries(payload), 'usage');
  return value === null ? null : parseUsage(value);
}
