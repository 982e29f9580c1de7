/** Asks a server over HTTP as a plain client does, and reads JSON and event streams. For tests. */

import assert from 'node:assert/strict';

export const model = 'smollm2-135m';

/** Answered rightly by the test model when it decodes greedily. */
export const franceQuestion = "What's the capital of France? Answer in one sentence.";

export type Json = Record<string, unknown>;
export type Headers = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Body {
  readonly [field: string]: unknown;
}

export interface AskOptions {
  readonly headers?: Headers;
  readonly signal?: AbortSignal;
}

/** A chat body that is valid with nothing added. */
export const chatBody = (extra: Body = {}): Body => ({
  model,
  messages: [{ role: 'user', content: franceQuestion }],
  temperature: 0,
  max_tokens: 24,
  ...extra,
});

export function send(
  url: string,
  body: Body | string,
  { headers = {}, signal }: AskOptions = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

export async function post(
  url: string,
  body: Body | string,
  options: AskOptions = {},
): Promise<Reply> {
  return toReply(await send(url, body, options));
}

export async function get(url: string, headers: Headers = {}): Promise<Reply> {
  return toReply(await fetch(url, { headers }));
}

export async function remove(url: string, headers: Headers = {}): Promise<Reply> {
  return toReply(await fetch(url, { method: 'DELETE', headers }));
}

async function toReply(response: Response): Promise<Reply> {
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
}

export const chatUrl = (server: { readonly url: string }): string =>
  `${server.url}/v1/chat/completions`;

export const jsonOf = <T = Json>({ text }: Pick<Reply, 'text'>): T => JSON.parse(text) as T;

export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly code: number;
  readonly param: string | null;
  readonly reason: string;
}

/** The error of a reply; that it has the one shape, and its status inside, is checked here. */
export function errorOf(reply: Reply): WireError {
  assert.match(reply.headers['content-type'] ?? '', /^application\/json/, reply.text);
  assert.match(reply.headers['x-request-id'] ?? '', /^[\x21-\x7e]{1,128}$/);
  const body = jsonOf<{ error: WireError }>(reply);
  assert.deepEqual(Object.keys(body), ['error']);
  checkErrorShape(body.error);
  assert.equal(body.error.code, reply.status);
  return body.error;
}

export function checkErrorShape(error: WireError): void {
  assert.deepEqual(Object.keys(error).toSorted(), ['code', 'message', 'param', 'reason', 'type']);
  assert.ok(error.message.length > 0);
  assert.doesNotMatch(error.message, /\n\s+at |<html/i);
}

/** `name=fate` pairs of the receipt header, without the notes that may follow in brackets. */
export function receiptOf({ headers }: Pick<Reply, 'headers'>): Record<string, string> {
  const lines = (headers['x-parlance-receipt'] ?? '').split('; ').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', fate = ''] = line.split('=');
      return [name, fate.replace(/ \(.*\)$/, '')];
    }),
  );
}

export interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly role?: string; readonly content?: string };
    readonly text?: string;
    readonly finish_reason: string | null;
    readonly stop_reason?: string | number | null;
    readonly logprobs?: { readonly content: readonly ScoredToken[] } | null;
  }[];
  readonly usage?: Usage | null;
  readonly error?: WireError;
}

export interface ScoredToken {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly { readonly token: string; readonly logprob: number }[];
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface Completion {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: { readonly role: string; readonly content: string };
    readonly text?: string;
    readonly finish_reason: string;
    readonly stop_reason: string | number | null;
    readonly logprobs: { readonly content: readonly ScoredToken[] } | null;
  }[];
  readonly usage: Usage;
}

/** The payloads of an event stream: comments are left out, `[DONE]` stays. */
export function payloadsOf(stream: string): string[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

/** The chunks of a stream that ended well. */
export function chunksOf(stream: string): Chunk[] {
  const payloads = payloadsOf(stream);
  assert.equal(payloads.at(-1), '[DONE]', stream.slice(-300));
  return payloads.slice(0, -1).map((payload) => JSON.parse(payload) as Chunk);
}

/** The text of one choice. */
export function joined(chunks: readonly Chunk[], index = 0): string {
  return chunks
    .flatMap((chunk) => chunk.choices)
    .filter((choice) => choice.index === index)
    .map((choice) => choice.text ?? choice.delta.content ?? '')
    .join('');
}

/** Asks without stream; anything but 200 fails the test. */
export async function complete(
  server: { readonly url: string },
  extra: Body = {},
): Promise<Completion> {
  const reply = await post(chatUrl(server), chatBody(extra));
  assert.equal(reply.status, 200, reply.text);
  return jsonOf<Completion>(reply);
}

/** Asks with stream; anything but a stream that ends well fails the test. */
export async function stream(server: { readonly url: string }, extra: Body = {}): Promise<Chunk[]> {
  const reply = await post(chatUrl(server), chatBody({ ...extra, stream: true }));
  assert.equal(reply.status, 200, reply.text);
  return chunksOf(reply.text);
}

export const textOf = (completion: Completion): string =>
  completion.choices[0]?.message.content ?? '';

/** One value of `/metrics`; 0 when it is not there yet. */
export async function metric(server: { readonly url: string }, name: string): Promise<number> {
  const { text } = await get(`${server.url}/metrics`);
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
