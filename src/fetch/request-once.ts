/**
 * One HTTP exchange with a host whose addresses were checked: the connection goes to one of those very
 * addresses, whatever the name means by then, while TLS and the Host header keep the name. Follows no
 * redirects, sends no credentials, and ends when the signal says so.
 */

import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

export interface Pinned {
  readonly address: string;
  readonly family: 4 | 6;
}

/** What the network did wrong; completes a sentence such as "the file could not be fetched: …". */
export class FetchTrouble extends Error {}

/** @param addresses the checked ones; not empty */
export async function requestOnce(
  url: URL,
  addresses: readonly Pinned[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'GET',
      agent: false,
      lookup: pinnedLookup(addresses),
      signal,
      headers: {
        accept: '*/*',
        // A compressed body could be far larger than it is long.
        'accept-encoding': 'identity',
        'user-agent': 'parlance',
        connection: 'close',
      },
    });
    sent.once('response', resolve);
    sent.once('error', (error) => reject(signal.aborted ? signal.reason : troubleOf(error)));
    sent.end();
  });
}

function pinnedLookup(addresses: readonly Pinned[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };
}

/** Texts of system errors name addresses and ports, which are nobody's business; their codes do not. */
function troubleOf(error: Error & { code?: string }): FetchTrouble {
  return new FetchTrouble(`the connection failed (${error.code ?? 'unknown'})`, { cause: error });
}

/** The host of a URL as a numeric address, or null for a name. */
export function literalOf(url: URL): Pinned | null {
  const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  return family === 0 ? null : { address, family: family === 4 ? 4 : 6 };
}

/** The whole body. @throws FetchTrouble when it is longer than `maxBytes`; the rest is not read then */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) {
        throw new FetchTrouble(`it is larger than ${Math.floor(maxBytes / 1_000_000)} MB`);
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof FetchTrouble) throw error;
    throw signal.aborted ? signal.reason : troubleOf(error as Error);
  } finally {
    response.destroy();
  }
  if (!response.complete) throw new FetchTrouble('the connection ended in the middle');
  return Buffer.concat(pieces, length);
}
