/**
 * One upstream over HTTP: a pool of connections, one call at a time per request. An aborted signal
 * closes the upstream's socket, which is how an upstream learns that nobody listens any more.
 */

import { Pool } from 'undici';
import { ParlanceError } from '../../contract/index.ts';
import { toUpstreamError } from '../dialects/openai/index.ts';

export interface UpstreamOptions {
  /** As the official SDK takes it, with the version path: `http://10.0.0.5:8000/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

export interface UpstreamAnswer {
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  /** For an answer that nobody will read: without it the answer keeps its connection. */
  discard(): void;
  /** Ends the connection of an answer that is being read. */
  close(): void;
}

/** What an upstream said no with, in its answer or in the middle of a stream. */
interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

export interface Upstream {
  readonly origin: string;
  /** @throws ParlanceError for an upstream that refuses, cannot be reached or is too slow */
  post(path: string, body: string, signal: AbortSignal): Promise<UpstreamAnswer>;
  /** The refusal as our error, without the key. */
  toError(refusal: Refusal): ParlanceError;
  close(): Promise<void>;
}

const connectTimeout = 10_000;
/** Long prompts are computed before the first byte: minutes, not seconds. */
const firstByteTimeout = 600_000;
const betweenBytesTimeout = 300_000;
/** Of a refusal only the message is shown; a gateway's error page may be of any length. */
const refusalBytes = 64 * 1024;

export function createUpstream(options: UpstreamOptions): Upstream {
  const url = new URL(options.baseUrl);
  const prefix = url.pathname.replace(/\/+$/, '');
  const pool = new Pool(url.origin, {
    connect: { timeout: connectTimeout },
    headersTimeout: firstByteTimeout,
    bodyTimeout: betweenBytesTimeout,
    pipelining: 1,
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };
  const toError = (refusal: Refusal): ParlanceError =>
    toUpstreamError({ ...refusal, origin: url.origin, secret: options.apiKey });
  return {
    origin: url.origin,
    toError,
    close: () => pool.destroy(),
    async post(path, body, signal) {
      try {
        const answer = await pool.request({
          method: 'POST',
          path: prefix + path,
          headers,
          body,
          signal,
        });
        // Whoever reads is told by the read; a body that was closed has nobody to tell.
        answer.body.on('error', () => {});
        const retryAfter = [answer.headers['retry-after']].flat()[0];
        if (answer.statusCode >= 400) {
          const text = await readStart(answer.body, refusalBytes);
          throw toError({ status: answer.statusCode, body: text, retryAfter });
        }
        return {
          contentType: String(answer.headers['content-type'] ?? ''),
          body: readBody(answer.body, url.origin, signal),
          text: () => readText(answer.body, url.origin, signal),
          discard: () => void answer.body.dump().catch(() => {}),
          close: () => void answer.body.destroy(),
        };
      } catch (error) {
        throw toFailure(error, url.origin, signal);
      }
    },
  };
}

/** Leaving the loop closes the connection: the rest would have to be read to use it again. */
async function readStart(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most).toString('utf8');
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  origin: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toFailure(error, origin, signal);
  }
}

async function readText(
  body: { text(): Promise<string> },
  origin: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await body.text();
  } catch (error) {
    throw toFailure(error, origin, signal);
  }
}

function toFailure(error: unknown, origin: string, signal: AbortSignal): unknown {
  if (error instanceof ParlanceError || signal.aborted) return error;
  const code = (error as { code?: string }).code ?? '';
  const timeout = /TIMEOUT/.test(code);
  const words = timeout ? 'did not answer in time' : 'could not be reached, or broke off';
  return new ParlanceError(
    timeout ? 'upstream_timeout' : 'upstream_failed',
    `The upstream at ${origin} ${words}${code === '' ? '' : ` (${code})`}. Check that it runs and that base_url is right.`,
    { cause: error },
  );
}
