/**
 * An upstream's refusal as one of our errors: its own message is kept, its status becomes one that
 * means the same to our client, and no key of ours is ever shown.
 */

import { ParlanceError, type ErrorType, type Reason } from '../../../contract/index.ts';

interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
  /** For messages: the upstream's origin. */
  readonly origin: string;
  readonly secret: string | null;
}

interface Mapped {
  readonly reason: Reason;
  readonly status: number;
  readonly type: ErrorType;
}

/** A 401 or 403 of the upstream is about our key, not the client's, so it is our 502. */
function map(status: number): Mapped {
  if (status === 429) return { reason: 'rate_limited', status: 429, type: 'rate_limit_error' };
  if (status === 503 || status === 529) {
    return { reason: 'upstream_refused', status: 503, type: 'overloaded_error' };
  }
  if (status === 408 || status === 504) {
    return { reason: 'upstream_timeout', status: 504, type: 'timeout_error' };
  }
  if (status === 413) return { reason: 'upstream_refused', status, type: 'invalid_request_error' };
  if (status === 400 || status === 422) {
    return { reason: 'upstream_refused', status: 400, type: 'invalid_request_error' };
  }
  return { reason: 'upstream_refused', status: 502, type: 'upstream_error' };
}

export function toUpstreamError(refusal: Refusal): ParlanceError {
  const { reason, status, type } = map(refusal.status);
  const words = scrub(messageOf(refusal.body), refusal.secret);
  const retryAfter =
    retrySeconds(refusal.retryAfter) ?? (status === 429 || status === 503 ? 5 : null);
  return new ParlanceError(
    reason,
    `The upstream at ${refusal.origin} answered ${refusal.status}${words === '' ? '.' : `: ${words}`}`,
    { status, type, ...paramOf(refusal.body), ...(retryAfter === null ? {} : { retryAfter }) },
  );
}

/** The field at fault, where the upstream names it: it is the client's own body. */
function paramOf(body: string): { param?: string } {
  try {
    const { error } = JSON.parse(body) as { error?: { param?: unknown } | null };
    return typeof error?.param === 'string' ? { param: error.param.slice(0, 200) } : {};
  } catch {
    return {};
  }
}

/** The message inside the usual error shapes, else the start of a short plain text. */
export function messageOf(body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return body.trimStart().startsWith('<') ? '' : body.trim().slice(0, 300);
  }
  return findMessage(parsed).slice(0, 2000);
}

function findMessage(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { error, message, detail } = value as Record<string, unknown>;
  for (const candidate of [error, message, detail]) {
    const found = findMessage(candidate);
    if (found !== '') return found;
  }
  return '';
}

const scrub = (text: string, secret: string | null): string =>
  secret === null || secret === '' ? text : text.replaceAll(secret, '***');

/** `retry-after` is a number of seconds or an HTTP date. */
function retrySeconds(header: string | undefined): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+(\.\d+)?$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}
