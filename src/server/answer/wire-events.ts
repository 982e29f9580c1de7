/**
 * Reads the payloads of a wire answer back into events, where the client's route has another shape
 * than the target's answer: legacy completions over a target that passes bytes through.
 */

import { parseJson, ParlanceError } from '../../contract/index.ts';
import {
  usageInPayload,
  type AnswerEvent,
  type AnswerEvents,
  type FinishReason,
  type WireAnswer,
} from '../../targets/index.ts';

interface WireChoice {
  readonly index?: number;
  readonly delta?: { readonly content?: string | null };
  readonly message?: { readonly content?: string | null };
  readonly text?: string | null;
  readonly finish_reason?: FinishReason | null;
  readonly stop_reason?: string | number | null;
  readonly logprobs?: {
    readonly content?: readonly WireLogprob[] | null;
  } | null;
}

interface WireLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
  readonly top_logprobs?: readonly WireLogprob[];
}

const toLogprob = ({ token, logprob, bytes }: WireLogprob) => ({
  token,
  logprob,
  bytes: bytes ?? null,
});

function choiceEvents(choice: WireChoice): AnswerEvent[] {
  const index = choice.index ?? 0;
  const text = choice.delta?.content ?? choice.text ?? choice.message?.content ?? '';
  const scored = choice.logprobs?.content ?? [];
  const logprobs = scored.map((one) => ({
    ...toLogprob(one),
    top: (one.top_logprobs ?? []).map(toLogprob),
  }));
  const events: AnswerEvent[] = [];
  if (text !== '' || logprobs.length > 0) {
    const event = { type: 'text', choice: index, text } as const;
    events.push(logprobs.length > 0 ? { ...event, logprobs } : event);
  }
  const reason = choice.finish_reason ?? null;
  if (reason !== null) {
    events.push({
      type: 'finish',
      choice: index,
      reason,
      stopReason: choice.stop_reason ?? null,
    });
  }
  return events;
}

function choicesOf(payload: string): readonly WireChoice[] {
  const body = parseJson(payload) as { choices?: unknown } | null;
  if (Array.isArray(body?.choices)) return body.choices as WireChoice[];
  throw new ParlanceError('upstream_failed', 'The answer of the upstream has no `choices`.');
}

/** Events of one payload: a stream's chunk or the one JSON body. */
export function eventsOfPayload(payload: string): readonly AnswerEvent[] {
  const events = choicesOf(payload).flatMap(choiceEvents);
  const usage = usageInPayload(payload);
  return usage === null ? events : [...events, { type: 'usage', usage }];
}

export async function* eventsOfWire(answer: WireAnswer): AnswerEvents {
  for await (const payload of answer.payloads) yield eventsOfPayload(payload);
}
