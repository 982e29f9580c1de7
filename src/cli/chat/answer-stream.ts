/**
 * One answer of a server as parts, read from its event stream. Knows the shape of a chunk and
 * nothing of terminals; leaving the loop early, or aborting the signal, closes the connection.
 */

import { ParlanceError } from '../../contract/index.ts';
import { readEvents } from '../../event-stream/index.ts';
import {
  readError,
  request,
  toConnectionError,
  type ServerAddress,
} from '../client/server-client.ts';
import type { ChatMessage } from './conversation.ts';

export interface Question {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Sampling parameters, named as in the contract. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'finished'; readonly finishReason: string | null };

/**
 * Asks, and gives the answer as it comes; the last part is `finished`.
 * @throws ParlanceError with the server's message, also when it comes in mid-stream or when the
 *   stream breaks off; the signal's reason when it is aborted.
 */
export async function* streamAnswer(
  server: ServerAddress,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const { model, messages, parameters } = question;
  const answer = await request(server, {
    method: 'POST',
    path: '/v1/chat/completions',
    body: { ...parameters, model, messages, stream: true },
    signal,
  });
  let finishReason: string | null = null;
  for await (const data of eventsOf(server, answer, signal)) {
    if (data === '[DONE]') {
      yield { type: 'finished', finishReason };
      return;
    }
    const chunk = parseChunk(data);
    finishReason = chunk.finishReason ?? finishReason;
    yield* chunk.parts;
  }
  throw new ParlanceError(
    'upstream_failed',
    `The answer of ${server.url} broke off before its end.`,
  );
}

/** The data of each server-sent event. */
async function* eventsOf(
  server: ServerAddress,
  answer: Response,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    if (answer.body === null) return;
    for await (const events of readEvents(answer.body)) yield* events;
  } catch (cause) {
    signal.throwIfAborted();
    throw toConnectionError(server, cause);
  }
}

interface Chunk {
  readonly parts: readonly AnswerPart[];
  readonly finishReason: string | null;
}

/**
 * Reads one `chat.completion.chunk` of the first choice.
 * @throws ParlanceError the error that the event carries, or `upstream_failed` when it makes no sense
 */
export function parseChunk(data: string): Chunk {
  const error = readError(data);
  if (error !== null) throw error;
  const choice = toFirstChoice(data);
  const delta = choice?.delta;
  const parts: AnswerPart[] = [];
  if (typeof delta?.reasoning_content === 'string' && delta.reasoning_content !== '') {
    parts.push({ type: 'reasoning', text: delta.reasoning_content });
  }
  if (typeof delta?.content === 'string' && delta.content !== '') {
    parts.push({ type: 'text', text: delta.content });
  }
  return { parts, finishReason: choice?.finish_reason ?? null };
}

interface ChoiceChunk {
  readonly delta?: { readonly content?: unknown; readonly reasoning_content?: unknown };
  readonly finish_reason?: string | null;
}

function toFirstChoice(data: string): ChoiceChunk | undefined {
  try {
    const chunk = JSON.parse(data) as { choices?: readonly ChoiceChunk[] } | null;
    return chunk?.choices?.[0];
  } catch (cause) {
    throw new ParlanceError('upstream_failed', 'The server sent an event that is not JSON.', {
      cause,
    });
  }
}
