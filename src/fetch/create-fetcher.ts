/**
 * The fetcher: what a request names by URL becomes bytes, or an error that says why not. Everybody who
 * needs a remote file comes here. It checks every address that it connects to, on every redirect; it
 * sends nothing but the question, and keeps what came for a while.
 */

import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { ParlanceError } from '../contract/errors.ts';
import { createBoundedCache } from './bounded-cache.ts';
import { createAddressCheck } from './check-address.ts';
import { readDataUrl } from './data-url.ts';
import { createGate } from './gate.ts';
import { FetchTrouble, literalOf, readBody, requestOnce, type Pinned } from './request-once.ts';

export interface FetcherOptions {
  /** Whether anything but data URLs is fetched. */
  readonly remote: boolean;
  /** Whether http is, beside https. */
  readonly allowHttp: boolean;
  /** Addresses and networks that may be fetched from though they are not public. */
  readonly allowPrivate: readonly string[];
  readonly maxBytes?: number;
  /** For one file, from the first question to its last byte, redirects included. */
  readonly maxMilliseconds?: number;
  readonly maxRedirects?: number;
  /** Files fetched at a time; further ones wait. */
  readonly maxConcurrent?: number;
  readonly cache?: { readonly maxBytes: number; readonly maxAgeMilliseconds: number };
  /** All addresses of a name; the system's own resolver when absent. */
  readonly resolve?: (name: string) => Promise<readonly { address: string; family: number }[]>;
}

export interface FetchWish {
  readonly signal: AbortSignal;
  /** Media types that are of use: `application/pdf`, `text/*`, or `*` for any. */
  readonly types: readonly string[];
  /** JSON path of the field that holds the URL, for errors. */
  readonly param: string;
}

export interface Fetched {
  readonly bytes: Buffer;
  /** Without parameters, in lower case; `application/octet-stream` where nothing is said. */
  readonly type: string;
  /** The last part of the URL's path, or null. */
  readonly name: string | null;
}

export interface Fetcher {
  /** Most bytes of one file. */
  readonly maxBytes: number;
  /**
   * @throws ParlanceError `invalid_file`, or the signal's reason
   */
  fetch(url: string, wish: FetchWish): Promise<Fetched>;
}

const unknownType = 'application/octet-stream';

interface Settings {
  readonly options: FetcherOptions;
  readonly maxBytes: number;
  readonly maxMilliseconds: number;
  readonly isAllowed: (address: string) => boolean;
  readonly resolve: NonNullable<FetcherOptions['resolve']>;
}

/** @throws ParlanceError `invalid_option` for an entry of `allowPrivate` that is no address */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { maxBytes = 20_000_000, maxMilliseconds = 20_000, maxConcurrent = 8 } = options;
  const settings: Settings = {
    options,
    maxBytes,
    maxMilliseconds,
    isAllowed: createAddressCheck(options.allowPrivate),
    resolve: options.resolve ?? ((name) => lookup(name, { all: true })),
  };
  const { maxBytes: cacheBytes, maxAgeMilliseconds } = options.cache ?? {
    maxBytes: 64_000_000,
    maxAgeMilliseconds: 300_000,
  };
  const cache = createBoundedCache<Fetched>({
    maxEntries: 256,
    maxSize: cacheBytes,
    maxAge: maxAgeMilliseconds,
  });
  const gate = createGate(maxConcurrent);
  return {
    maxBytes,
    async fetch(text, wish) {
      if (/^data:/i.test(text)) return fromDataUrl(text, maxBytes, wish);
      const url = parseUrl(text, wish.param, options);
      // The cache holds no URL: one may carry a signature.
      const key = createHash('sha256').update(url.href).digest('hex');
      const known = cache.get(key);
      if (known !== undefined) return ofWantedType(known, wish);
      await gate.enter(wish.signal);
      try {
        const fetched = await fetchRemote(url, wish, settings);
        cache.set(key, fetched, fetched.bytes.length);
        return fetched;
      } finally {
        gate.leave();
      }
    },
  };
}

function fromDataUrl(url: string, maxBytes: number, wish: FetchWish): Fetched {
  const read = readDataUrl(url, maxBytes);
  if ('problem' in read) throw refusal(`The data URL ${read.problem}.`, wish.param);
  return ofWantedType({ bytes: read.bytes, type: read.type ?? unknownType, name: null }, wish);
}

const refusal = (message: string, param: string, cause?: unknown): ParlanceError =>
  new ParlanceError('invalid_file', message, { param, cause });

/** Reads a URL and checks what can be told without the network. */
function parseUrl(text: string, param: string, options: FetcherOptions): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refusal(
      'This is neither a data URL nor an https URL. Send data:TYPE;base64,DATA.',
      param,
    );
  }
  if (!options.remote) {
    throw refusal(
      'Remote files are off. Start with --fetch-remote to have them fetched, or send a data URL.',
      param,
    );
  }
  checkScheme(url, param, options);
  url.hash = '';
  return url;
}

function checkScheme(url: URL, param: string, { allowHttp }: FetcherOptions): void {
  if (url.protocol === 'http:' && !allowHttp) {
    throw refusal('http is not fetched. Use https, or start with --fetch-http too.', param);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refusal('The file’s address leads to something other than https.', param);
  }
  if (url.username !== '' || url.password !== '') {
    throw refusal('The URL of a file may carry no user name and password.', param);
  }
}

async function fetchRemote(start: URL, wish: FetchWish, settings: Settings): Promise<Fetched> {
  const { maxMilliseconds } = settings;
  const late = new FetchTrouble(`it took longer than ${maxMilliseconds / 1000} s`);
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(late), maxMilliseconds);
  const signal = AbortSignal.any([wish.signal, clock.signal]);
  try {
    const { response, url } = await follow(start, { ...wish, signal }, settings);
    checkAnswer(response, wish);
    const bytes = await readBody(response, settings.maxBytes, signal);
    return { bytes, type: typeOf(response), name: nameOf(url) };
  } catch (error) {
    if (!(error instanceof FetchTrouble)) throw error;
    throw refusal(
      `The file at ${start.host} could not be fetched: ${error.message}.`,
      wish.param,
      error,
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Asks, and asks again where it is told to; each place is checked as the first one is. */
async function follow(
  start: URL,
  wish: FetchWish,
  settings: Settings,
): Promise<{ response: IncomingMessage; url: URL }> {
  const { maxRedirects = 3 } = settings.options;
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const addresses = await addressesOf(url, wish, settings);
    const response = await requestOnce(url, addresses, wish.signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      return { response, url };
    }
    response.destroy();
    const next = URL.parse(location, url.href);
    if (next === null) throw new FetchTrouble('it leads to something that is no URL');
    checkScheme(next, wish.param, settings.options);
    url = next;
  }
  throw new FetchTrouble(`it leads from one place to another more than ${maxRedirects} times`);
}

/** Every address that the host has must be allowed: which of them is taken is not ours to say. */
async function addressesOf(url: URL, wish: FetchWish, settings: Settings): Promise<Pinned[]> {
  const literal = literalOf(url);
  const found = literal === null ? await resolveName(url.hostname, wish, settings) : [literal];
  const isAllowed = found.every(({ address }) => settings.isAllowed(address));
  if (!isAllowed) {
    throw refusal(
      `${url.host} is not a public address, and files are fetched from public ones only. Send the file as a data URL.`,
      wish.param,
    );
  }
  return found;
}

async function resolveName(
  name: string,
  { signal }: FetchWish,
  { resolve }: Settings,
): Promise<Pinned[]> {
  const found = await orAbort(resolve(name), signal).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw new FetchTrouble('there is no such host', { cause: error });
  });
  if (found.length === 0) throw new FetchTrouble('there is no such host');
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** What cannot be stopped is at least not waited for. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function checkAnswer(response: IncomingMessage, wish: FetchWish): void {
  try {
    const status = response.statusCode ?? 0;
    if (status !== 200) throw new FetchTrouble(`the answer was ${status}`);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity')
      throw new FetchTrouble('it came compressed, which was not asked for');
    checkType(typeOf(response), wish);
  } catch (error) {
    response.destroy();
    throw error;
  }
}

const typeOf = (response: IncomingMessage): string =>
  response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() || unknownType;

function nameOf(url: URL): string | null {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last;
  }
}

function ofWantedType(fetched: Fetched, wish: FetchWish): Fetched {
  checkType(fetched.type, wish);
  return fetched;
}

function checkType(type: string, { types, param }: FetchWish): void {
  const isWanted = types.some(
    (wanted) =>
      wanted === '*' ||
      wanted === type ||
      (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1))),
  );
  if (isWanted) return;
  throw refusal(
    `The file is ${type.slice(0, 100)}; what can be read here is ${types.join(', ')}.`,
    param,
  );
}
