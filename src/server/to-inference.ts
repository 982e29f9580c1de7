/** What the store keeps of a request that a target was asked to answer, from what its exchange knows. */

import type { ParlanceError } from '../contract/index.ts';
import type { Inference } from '../telemetry/index.ts';
import type { Exchange } from './exchange.ts';

export interface Ending {
  readonly failure: ParlanceError | null;
  readonly cancelled: boolean;
  /** As in the log line. */
  readonly status: number;
  readonly seconds: number;
}

/** Null where no target was asked: refused before, a dry run, or another route. */
export function toInference(exchange: Exchange, ending: Ending): Inference | null {
  const { record } = exchange;
  const { inference, usage } = record;
  if (inference === null) return null;
  const totalMs = Math.round(ending.seconds * 1000);
  const first = record.firstTokenSeconds;
  return {
    ...inference,
    requestId: exchange.id,
    created: Date.now() - totalMs,
    keyId: record.keyId,
    endpoint: record.route,
    model: record.model ?? '',
    target: record.target ?? '',
    status: ending.status,
    error: ending.failure?.reason ?? (ending.cancelled ? 'cancelled' : null),
    // Choices may end in any order, and some never.
    finishReasons: record.finishReasons.filter((reason) => reason !== undefined),
    promptTokens: usage?.promptTokens ?? null,
    completionTokens: usage?.completionTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    reasoningTokens: usage?.reasoningTokens ?? null,
    draftsVerified: usage?.drafts?.verified ?? null,
    draftsAccepted: usage?.drafts?.accepted ?? null,
    firstTokenMs: first === null ? null : Math.round(first * 1000),
    totalMs,
    receipt: record.receipt,
  };
}
