/**
 * A running server, as `deploy`, `chat` and `doctor` see it: JSON in and out, and one stream. It
 * turns refusals and dead connections into catalogued errors with the server's own message.
 */

import { errorCatalogue, ParlanceError, stringifyJson, type Reason } from '../../contract/index.ts';

export const defaultUrl = 'http://127.0.0.1:8000';

export interface ServerAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: string | null;
}

export interface ServerRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Such as `/v1/models`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads what a user gives as `--url`: with or without a scheme, a final slash or `/v1`.
 * @throws ParlanceError `invalid_option`
 */
export function parseServerUrl(text: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new ParlanceError(
      'invalid_option',
      `--url: "${text}" is no address of a server; expected something like ${defaultUrl}.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/(\/v1)?\/*$/, '')}`;
}

/**
 * Sends one request and gives the answer when its status is a good one.
 * @throws ParlanceError with the server's message, or `upstream_failed` when nothing answers; the
 *   signal's reason when it is aborted.
 */
export async function request(server: ServerAddress, asked: ServerRequest): Promise<Response> {
  const answer = await send(server, asked);
  if (answer.ok) return answer;
  throw toServerError(await answer.text(), answer, server);
}

/** The same, with the answer's JSON. */
export async function requestJson(server: ServerAddress, asked: ServerRequest): Promise<unknown> {
  const answer = await request(server, asked);
  const text = await answer.text();
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ParlanceError('upstream_failed', notParlance(server, answer), { cause });
  }
}

async function send(server: ServerAddress, asked: ServerRequest): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
  if (server.key !== null) headers['authorization'] = `Bearer ${server.key}`;
  if (asked.body !== undefined) headers['content-type'] = 'application/json';
  try {
    return await fetch(`${server.url}${asked.path}`, {
      method: asked.method ?? 'GET',
      headers,
      redirect: 'error',
      ...(asked.body === undefined ? {} : { body: stringifyJson(asked.body) }),
      ...(asked.signal === undefined ? {} : { signal: asked.signal }),
    });
  } catch (cause) {
    asked.signal?.throwIfAborted();
    throw toConnectionError(server, cause);
  }
}

/** Why no answer came, or why it ended too early, in words. */
export function toConnectionError(server: ServerAddress, cause: unknown): ParlanceError {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const code = (inner as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ECONNREFUSED') {
    return new ParlanceError(
      'upstream_failed',
      `No server answers at ${server.url}. Start one with "parlance serve" (or npm start), or say where it is with --url.`,
      { cause },
    );
  }
  const why = code ?? (inner instanceof Error ? inner.message : String(inner));
  const message = `The connection to ${server.url} failed (${why}).`;
  return new ParlanceError('upstream_failed', message, { cause });
}

function toServerError(text: string, answer: Response, server: ServerAddress): ParlanceError {
  const found = readError(text);
  return found ?? new ParlanceError('upstream_failed', notParlance(server, answer));
}

/** The error in an answer or in an event of a stream; null when there is none. */
export function readError(text: string): ParlanceError | null {
  let body: { error?: { message?: unknown; reason?: unknown; code?: unknown } };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return null;
  }
  const { message, reason, code } = body?.error ?? {};
  if (typeof message !== 'string') return null;
  const known = typeof reason === 'string' && Object.hasOwn(errorCatalogue, reason);
  return new ParlanceError(
    known ? (reason as Reason) : 'upstream_failed',
    message,
    typeof code === 'number' ? { status: code } : {},
  );
}

function notParlance(server: ServerAddress, answer: Response): string {
  const type = answer.headers.get('content-type') ?? 'no content type';
  return `What answers at ${server.url} does not look like Parlance (HTTP ${answer.status}, ${type}).`;
}
