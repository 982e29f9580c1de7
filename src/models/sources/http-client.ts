/**
 * HTTP as the sources need it: proxies from the environment, short patience, redirects by hand so
 * that a token never reaches another host. Failures are told in words (`SourceFailure`).
 */

import type { Readable } from 'node:stream';

import { SourceFailure, type Environment, type FetchLimits } from './source.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  /** The address that answered, after redirects. */
  readonly url: URL;
}

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Stops at a redirect that already says what is wanted. */
  readonly isEnough?: (headers: HttpAnswer['headers']) => boolean;
}

export interface HttpClient {
  request(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

const maxRedirects = 6;

/** The client is loaded only here, because most starts fetch nothing. */
export async function createHttpClient(env: Environment, limits: FetchLimits): Promise<HttpClient> {
  const { EnvHttpProxyAgent, request } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.stallMs,
    bodyTimeout: limits.stallMs,
  });
  const once = async (asked: HttpRequest, url: URL): Promise<HttpAnswer> => {
    const { authorization, ...others } = asked.headers;
    const sameHost = url.origin === asked.url.origin;
    const headers = authorization !== undefined && sameHost ? asked.headers : others;
    const { method, signal } = asked;
    const answer = await request(url, { method, headers, signal, dispatcher });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, url };
  };
  return {
    request: async (asked) => await follow(asked, once),
    close: async () => {
      await dispatcher.destroy();
    },
  };
}

async function follow(
  asked: HttpRequest,
  once: (asked: HttpRequest, url: URL) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  let url = asked.url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const answer = await once(asked, url);
    const { location } = answer.headers;
    const redirected = answer.status >= 301 && answer.status <= 308 && typeof location === 'string';
    if (!redirected || asked.isEnough?.(answer.headers) === true) return answer;
    answer.body.on('error', () => {}).destroy();
    const next = URL.parse(location, url.href);
    if (next === null)
      throw new SourceFailure(`${url.host} redirects to an address that makes no sense`);
    url = next;
  }
  throw new SourceFailure(`${asked.url.host} redirects more than ${maxRedirects} times`);
}

export function header(answer: HttpAnswer, name: string): string | null {
  const value = answer.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** What a network error means, in words; null for an error that is none. */
export function describeNetworkError(
  error: unknown,
  host: string,
  limits: FetchLimits,
): string | null {
  const found = networkError(error);
  if (found === null) return null;
  const { code, hostname = host, address, port } = found;
  // With a proxy it is another machine than `host` that is not found, or refuses.
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${hostname} cannot be resolved (${code}; no network, or a proxy is needed)`;
    case 'ECONNREFUSED': {
      const where = address === undefined ? '' : ` at ${address}:${port}`;
      return `${host} refuses connections (${code}${where})`;
    }
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return `${host} did not answer within ${limits.connectMs / 1000} s`;
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return `${host} sent nothing for ${limits.stallMs / 1000} s`;
    default:
      if (/CERT|VERIFY|SIGNATURE/.test(code)) {
        return `the certificate of ${host} is not trusted (${code}); for an own authority set NODE_EXTRA_CA_CERTS`;
      }
      return `the connection to ${host} failed (${code})`;
  }
}

interface NetworkError {
  readonly code: string;
  /** What was looked up. */
  readonly hostname?: string;
  /** Where a connection was tried. */
  readonly address?: string;
  readonly port?: number;
}

function networkError(error: unknown): NetworkError | null {
  if (!(error instanceof Error)) return null;
  if (typeof (error as NodeJS.ErrnoException).code === 'string') {
    const aggregate = error instanceof AggregateError ? networkError(error.errors[0]) : null;
    return aggregate ?? (error as Error & NetworkError);
  }
  if (error instanceof AggregateError) return networkError(error.errors[0]);
  return networkError(error.cause);
}
