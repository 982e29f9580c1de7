/**
 * One streamed chat completion, as a client sees it: when each piece of text came, what it said, and
 * the usage that the server reports. Knows no server in particular.
 */

import { Agent, request } from 'undici';

import { readEvents } from '../../src/event-stream/index.ts';
import type { RunningServer } from './contenders/contender.ts';
import type { Message } from './prompts.ts';

export interface ChatOptions {
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  /** Also the two best tokens at each position. */
  readonly logprobs?: boolean;
  /** The model may end by itself; otherwise it goes on until `maxTokens`. */
  readonly mayEnd?: boolean;
  /** Further fields of the body. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Ends the request early; what came until then is returned. */
  readonly signal?: AbortSignal;
  /** Called with the time of each piece of text as it comes. */
  readonly onPiece?: (at: number) => void;
}

export interface TokenChoice {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
}

/** Times are of `performance.now()`. */
export interface ChatResult {
  readonly sentAt: number;
  /** When each piece of text came. */
  readonly times: readonly number[];
  readonly endedAt: number;
  readonly text: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly choices: readonly TokenChoice[];
}

interface WireChunk {
  readonly error?: { readonly message?: string };
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null };
    readonly logprobs?: {
      readonly content?:
        | readonly {
            readonly token: string;
            readonly logprob: number;
            readonly top_logprobs?: readonly { readonly token: string; readonly logprob: number }[];
          }[]
        | null;
    } | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  } | null;
}

const dispatcher = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });

/** Greedy. @throws Error with the server's answer when it refuses */
export async function streamChat(server: RunningServer, options: ChatOptions): Promise<ChatResult> {
  const reading = new Reading(options);
  try {
    const answer = await request(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(server, options)),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (answer.statusCode !== 200) {
      throw new Error(`${server.name}: ${answer.statusCode} ${await answer.body.text()}`);
    }
    for await (const events of readEvents(answer.body)) {
      for (const data of events) reading.take(data);
    }
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
  return reading.result();
}

function bodyOf(server: RunningServer, options: ChatOptions): Record<string, unknown> {
  return {
    model: server.model,
    messages: options.messages,
    temperature: 0,
    max_tokens: options.maxTokens,
    ...(options.mayEnd === true ? {} : server.untilLength(options.maxTokens)),
    stream: true,
    stream_options: { include_usage: true },
    ...(options.logprobs === true ? { logprobs: true, top_logprobs: 2 } : {}),
    ...options.extra,
  };
}

class Reading {
  readonly #onPiece: ((at: number) => void) | undefined;
  readonly #sentAt = performance.now();
  readonly #times: number[] = [];
  readonly #choices: TokenChoice[] = [];
  #text = '';
  #usage: NonNullable<WireChunk['usage']> | null = null;

  constructor({ onPiece }: ChatOptions) {
    this.#onPiece = onPiece;
  }

  take(data: string): void {
    if (data === '[DONE]') return;
    const at = performance.now();
    const chunk = JSON.parse(data) as WireChunk;
    if (chunk.error !== undefined) throw new Error(chunk.error.message ?? data);
    if (chunk.usage !== undefined && chunk.usage !== null) this.#usage = chunk.usage;
    const choice = chunk.choices?.[0];
    for (const one of choice?.logprobs?.content ?? []) {
      this.#choices.push({ token: one.token, logprob: one.logprob, top: one.top_logprobs ?? [] });
    }
    const piece = choice?.delta?.content;
    if (piece === undefined || piece === null || piece === '') return;
    this.#text += piece;
    this.#times.push(at);
    this.#onPiece?.(at);
  }

  result(): ChatResult {
    return {
      sentAt: this.#sentAt,
      times: this.#times,
      endedAt: performance.now(),
      text: this.#text,
      promptTokens: this.#usage?.prompt_tokens ?? Number.NaN,
      cachedTokens: this.#usage?.prompt_tokens_details?.cached_tokens ?? 0,
      completionTokens: this.#usage?.completion_tokens ?? this.#times.length,
      choices: this.#choices,
    };
  }
}

/** Milliseconds from sending to the first text. */
export const firstTokenMs = ({ times, sentAt }: ChatResult): number =>
  (times[0] ?? Number.NaN) - sentAt;

/** Milliseconds between pieces of text that follow each other. */
export const gapsOf = ({ times }: Pick<ChatResult, 'times'>): number[] =>
  times.slice(1).map((at, index) => at - (times[index] ?? at));

/**
 * Tokens a second while all streams decode: between the last stream's first piece and the first
 * stream's last. A piece that holds several tokens counts as its share of the stream's tokens.
 */
export function decodeRate(results: readonly ChatResult[]): number {
  const from = Math.max(...results.map(({ times }) => times[0] ?? Number.NaN));
  const to = Math.min(...results.map(({ times }) => times.at(-1) ?? Number.NaN));
  const tokens = results.map(({ times, completionTokens }) => {
    const pieces = times.filter((at) => at > from && at <= to).length;
    return (pieces * completionTokens) / times.length;
  });
  return (tokens.reduce((sum, one) => sum + one, 0) / (to - from)) * 1000;
}
