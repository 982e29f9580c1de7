/** What both generating routes do before a target runs: read, resolve, admit, warn, plan. */

import { hash, randomUUIDv7 } from 'node:crypto';

import {
  admit,
  annotate,
  parseUnsupportedMode,
  type Admitted,
  type ChatRequest,
  type Receipt,
  type UnsupportedMode,
} from '../../contract/index.ts';
import type { Target } from '../../targets/index.ts';
import type { AnswerHead, AnswerShape } from '../answer/answer-head.ts';
import type { Exchange } from '../exchange.ts';
import { checkMediaType } from '../http/media-type.ts';

export interface RequestBody {
  readonly text: string;
  readonly unsupported: UnsupportedMode;
}

/** @throws ParlanceError when the headers or the body are not what the route reads */
export async function readRequest(exchange: Exchange): Promise<RequestBody> {
  const { headers } = exchange.request;
  checkMediaType(headers, 'when present');
  const mode = headers['x-parlance-unsupported'];
  const unsupported = parseUnsupportedMode(Array.isArray(mode) ? mode.join(', ') : mode);
  return { text: await exchange.readText(), unsupported };
}

/** @throws ParlanceError `unsupported_parameter` */
export function admitTo(exchange: Exchange, request: ChatRequest, target: Target): Admitted {
  const admitted = admit(request, target.capabilities, target.name);
  const dropped = admitted.receipt.filter((line) => line.fate === 'dropped');
  if (request.unsupported !== 'warn' || dropped.length === 0) return admitted;
  const names = dropped.map((line) => line.name.slice(0, 64));
  const { log } = exchange.services;
  log.warn({ id: exchange.id, target: target.name, dropped: names }, 'parameters were dropped');
  const safe = names.map((name) => name.replaceAll(/[^\x21-\x7e]|["\\]/g, '_')).join(', ');
  exchange.response.setHeader('warning', `299 parlance "dropped: ${safe.slice(0, 1000)}"`);
  return admitted;
}

/** The same model and version give the same fingerprint. */
function fingerprintOf(version: string, target: Target): string {
  return `fp_${hash('sha256', `${version}\n${target.name}`).slice(0, 10)}`;
}

/** A chat answer always belongs to an episode, a raw prompt's only when one was given. */
function episodeOf(shape: AnswerShape, { recorded }: ChatRequest): string | null {
  switch (shape) {
    case 'chat':
      return recorded.episodeId ?? randomUUIDv7();
    case 'prompt':
      return recorded.episodeId;
    case 'text':
      return null;
  }
}

export function createHead(
  exchange: Exchange,
  shape: AnswerShape,
  { request, target }: { readonly request: ChatRequest; readonly target: Target },
): AnswerHead {
  return {
    id: shape === 'chat' ? randomUUIDv7() : `cmpl-${randomUUIDv7()}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    episodeId: episodeOf(shape, request),
    fingerprint: fingerprintOf(exchange.services.version, target),
  };
}

export interface Planned {
  readonly target: Target;
  readonly request: ChatRequest;
  readonly receipt: Receipt;
  readonly head: AnswerHead;
}

/** Answers a `dry_run`. */
export async function sendPlan(exchange: Exchange, planned: Planned): Promise<void> {
  const { target, request, head, receipt } = planned;
  const plan = await target.plan({ request, identity: head, signal: exchange.signal });
  exchange.sendJson(200, {
    object: 'chat.completion.plan',
    model: request.model,
    target: plan.target,
    prompt: plan.prompt,
    prompt_tokens: plan.promptTokens,
    max_tokens: plan.maxTokens,
    receipt: annotate(receipt, plan.notes, request),
  });
}
