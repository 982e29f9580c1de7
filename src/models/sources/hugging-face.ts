/**
 * Weights from Hugging Face, or a mirror that speaks the same (`HF_ENDPOINT`). Asks for the file's
 * SHA-256 first, goes on where an earlier attempt stopped, and checks the whole before it counts.
 */

import { dirname } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import type { HuggingFaceFile } from '../catalogue.ts';
import { checkRoom } from '../home-folder.ts';
import { PartialFile } from '../partial-file.ts';
import { createMeter } from '../progress.ts';
import {
  createHttpClient,
  describeNetworkError,
  header,
  type HttpAnswer,
  type HttpClient,
} from './http-client.ts';
import { CutShort, SourceFailure, type FetchContext, type Fetched, type Source } from './source.ts';

const label = 'Hugging Face';

export function huggingFaceSource(file: HuggingFaceFile): Source {
  return { label, fetch: async (context) => await fetchFromHub(file, context) };
}

/** What the hub says about a file before a byte of it is fetched. */
interface Announced {
  readonly sha256: string | null;
  /** A strong one, else null. */
  readonly etag: string | null;
  readonly bytes: number | null;
}

interface Download {
  readonly client: HttpClient;
  readonly context: FetchContext;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly announced: Announced;
  readonly file: HuggingFaceFile;
}

async function fetchFromHub(file: HuggingFaceFile, context: FetchContext): Promise<Fetched> {
  const { env, signal } = context;
  signal.throwIfAborted();
  if (/^(1|true|yes|on)$/i.test(env['HF_HUB_OFFLINE'] ?? '')) {
    throw new SourceFailure('HF_HUB_OFFLINE is set');
  }
  const url = fileUrl(file, env['HF_ENDPOINT']);
  const token = env['HF_TOKEN']?.trim();
  const headers: Record<string, string> = {
    'user-agent': 'parlance',
    'accept-encoding': 'identity',
  };
  if (token !== undefined && token !== '') headers['authorization'] = `Bearer ${token}`;
  const client = await createHttpClient(env, context.limits);
  try {
    const announced = await announce(client, { url, headers, signal, file, context });
    return await download({ client, context, url, headers, announced, file });
  } catch (error) {
    throw toFailure(error, url.host, context);
  } finally {
    await client.close();
  }
}

function fileUrl(file: HuggingFaceFile, endpoint: string | undefined): URL {
  const base =
    endpoint === undefined || endpoint.trim() === '' ? 'https://huggingface.co' : endpoint.trim();
  const path = [file.repo, 'resolve', file.revision, file.file]
    .join('/')
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  const url = URL.parse(`${base.replace(/\/+$/, '')}/${path}`);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new SourceFailure('HF_ENDPOINT is not an http or https address');
}

async function announce(
  client: HttpClient,
  asked: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly file: HuggingFaceFile;
    readonly context: FetchContext;
  },
): Promise<Announced> {
  const { url, headers, signal, file, context } = asked;
  const isEnough = (found: HttpAnswer['headers']): boolean => found['x-linked-etag'] !== undefined;
  const answer = await client.request({ method: 'HEAD', url, headers, signal, isEnough });
  answer.body.on('error', () => {}).destroy();
  if (answer.status >= 400) throw new SourceFailure(describeStatus(answer, file));
  const linked = /^"?([0-9a-f]{64})"?$/.exec(header(answer, 'x-linked-etag') ?? '')?.[1] ?? null;
  const etag = header(answer, 'etag');
  const size = Number(
    header(answer, 'x-linked-size') ?? header(answer, 'content-length') ?? Number.NaN,
  );
  if (context.sha256 !== null && linked !== null && linked !== context.sha256) {
    throw new SourceFailure(
      `it has another file under this name (SHA-256 ${linked}, expected ${context.sha256})`,
    );
  }
  return {
    sha256: context.sha256 ?? linked,
    etag: etag !== null && etag.startsWith('"') ? etag : null,
    bytes: Number.isSafeInteger(size) && size > 0 ? size : context.bytes,
  };
}

function describeStatus(answer: HttpAnswer, file: HuggingFaceFile): string {
  const repo = `${answer.url.origin}/${file.repo}`;
  switch (answer.status) {
    case 401:
      return `401: ${file.repo} does not exist, is private, or wants its licence accepted first; open ${repo}, then set HF_TOKEN`;
    case 403:
      return `403: the HF_TOKEN in use has no access to ${file.repo}; ask for it at ${repo}`;
    case 404:
      return `404: ${file.repo} has no ${file.file} at revision ${file.revision}`;
    case 429: {
      const wait = header(answer, 'retry-after');
      return `429: too many requests${wait === null ? '' : `, try again in ${wait} s`}; with HF_TOKEN set the limit is higher`;
    }
    default:
      return `${answer.url.host} answered ${answer.status}`;
  }
}

async function download(job: Download): Promise<Fetched> {
  const { context, announced } = job;
  const identity = announced.sha256 ?? announced.etag;
  const partial = await PartialFile.claim(context.target, identity, context.disk);
  let finished = false;
  try {
    const check = createMeter(
      { source: label, phase: 'verify', totalBytes: announced.bytes },
      context.onProgress,
    );
    await partial.rehash((bytes) => {
      context.signal.throwIfAborted();
      check.at(bytes);
    });
    const missing = Math.max(0, (announced.bytes ?? 0) - partial.bytes);
    await checkRoom(context.disk, dirname(context.target), missing);
    await downloadRest(job, partial);
    const fetched = { sha256: partial.digest(), bytes: partial.bytes };
    await partial.finish();
    finished = true;
    return fetched;
  } finally {
    if (!finished) await partial.release();
  }
}

/** Fetches until the hash is right; bytes that an earlier run left are given up once when it is not. */
async function downloadRest(job: Download, partial: PartialFile): Promise<void> {
  const resumed = partial.bytes > 0;
  await downloadAll(job, partial);
  if (isWhole(job, partial)) return;
  const wrong = partial.digest();
  await partial.restart();
  if (resumed) {
    await downloadAll(job, partial);
    if (isWhole(job, partial)) return;
    await partial.restart();
  }
  throw new SourceFailure(
    `what came has the SHA-256 ${wrong}, expected ${job.announced.sha256}; it was deleted`,
  );
}

function isWhole(job: Download, partial: PartialFile): boolean {
  return job.announced.sha256 === null || partial.digest() === job.announced.sha256;
}

/** Goes on after cuts, as long as attempts bring bytes. */
async function downloadAll(job: Download, partial: PartialFile): Promise<void> {
  const { context, announced } = job;
  let emptyAttempts = 0;
  for (;;) {
    const before = partial.bytes;
    try {
      await downloadOnce(job, partial);
      if (announced.bytes === null || partial.bytes === announced.bytes) return;
      if (partial.bytes > announced.bytes) await partial.restart();
      throw new SourceFailure(
        `the connection ended at byte ${partial.bytes} of ${announced.bytes}`,
      );
    } catch (error) {
      context.signal.throwIfAborted();
      emptyAttempts = partial.bytes > before ? 0 : emptyAttempts + 1;
      if (error instanceof ParlanceError || emptyAttempts >= context.limits.emptyAttempts)
        throw error;
      if (!isCut(error)) throw error;
      await pause(context.limits.retryMs, context.signal);
    }
  }
}

function isCut(error: unknown): boolean {
  return error instanceof CutShort || !(error instanceof SourceFailure);
}

async function downloadOnce(job: Download, partial: PartialFile): Promise<void> {
  const { client, context, url, announced } = job;
  if (announced.bytes !== null && partial.bytes === announced.bytes) return;
  const headers: Record<string, string> = { ...job.headers };
  if (partial.bytes > 0) {
    headers['range'] = `bytes=${partial.bytes}-`;
    if (announced.sha256 === null && announced.etag !== null) headers['if-range'] = announced.etag;
  }
  const answer = await client.request({ method: 'GET', url, headers, signal: context.signal });
  try {
    await acceptRange(answer, partial, job);
    const meter = createMeter(
      { source: label, phase: 'download', totalBytes: announced.bytes },
      context.onProgress,
    );
    meter.at(partial.bytes);
    for await (const chunk of answer.body) {
      await partial.append(chunk as Uint8Array);
      meter.at(partial.bytes);
    }
  } finally {
    answer.body.on('error', () => {}).destroy();
  }
}

/** Lines the partial up with what the server sends: a part goes on, a whole begins anew. */
async function acceptRange(answer: HttpAnswer, partial: PartialFile, job: Download): Promise<void> {
  if (answer.status === 206) {
    const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header(answer, 'content-range') ?? '');
    const total = match?.[2] === '*' ? job.announced.bytes : Number(match?.[2]);
    if (Number(match?.[1]) === partial.bytes && total === job.announced.bytes) return;
    await partial.restart();
    throw new CutShort('the connection ended because the server sent another part than asked for');
  }
  if (answer.status === 200) {
    if (partial.bytes > 0) await partial.restart();
    return;
  }
  if (answer.status === 416) {
    await partial.restart();
    throw new CutShort('the connection ended because the file has become shorter');
  }
  throw new SourceFailure(describeStatus(answer, job.file));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: sleep } = await import('node:timers/promises');
  await sleep(ms, undefined, { signal });
}

function toFailure(error: unknown, host: string, context: FetchContext): unknown {
  if (context.signal.aborted) return context.signal.reason;
  if (error instanceof ParlanceError || error instanceof SourceFailure) return error;
  const words = describeNetworkError(error, host, context.limits);
  if (words === null) return error;
  return new SourceFailure(words, { cause: error });
}
