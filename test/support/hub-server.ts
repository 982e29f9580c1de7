/**
 * A file hub on loopback, in two servers as the real one has: the hub announces a file and redirects,
 * the store sends bytes and knows ranges. Both note what they were asked; tests bend single answers.
 */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly server: 'hub' | 'store';
  readonly method: string;
  readonly url: string;
  readonly authorization: string | null;
  readonly range: string | null;
}

/** Answers in place of the server; `false` lets the normal answer happen. */
export type Bend = (request: IncomingMessage, response: ServerResponse, nth: number) => boolean;

export interface HubOptions {
  readonly content: Buffer;
  /** Bytes that are sent, where they differ from what is announced. */
  readonly sent?: Buffer;
  readonly bendHub?: Bend;
  /** `nth` counts the requests of the store from 1. */
  readonly bendStore?: Bend;
  /** No redirect and no hash: a plain web server with an ETag. */
  readonly plain?: boolean;
}

export interface Hub {
  readonly endpoint: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

export async function startHub(options: HubOptions): Promise<Hub> {
  const seen: SeenRequest[] = [];
  const note = (server: SeenRequest['server'], request: IncomingMessage): void => {
    seen.push({
      server,
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization ?? null,
      range: request.headers.range ?? null,
    });
  };
  let storeRequests = 0;
  const serveBytes = (request: IncomingMessage, response: ServerResponse): void => {
    storeRequests += 1;
    if (options.bendStore?.(request, response, storeRequests) === true) return;
    sendFile(options.sent ?? options.content, request, response);
  };
  const store = await listen((request, response) => {
    note('store', request);
    serveBytes(request, response);
  });
  const hub = await listen((request, response) => {
    note('hub', request);
    if (options.bendHub?.(request, response, 0) === true) return;
    if (options.plain === true) {
      serveBytes(request, response);
      return;
    }
    response.writeHead(302, {
      location: `${addressOf(store)}/blob?signature=1`,
      'x-linked-etag': `"${sha256(options.content)}"`,
      'x-linked-size': String(options.content.length),
    });
    response.end();
  });
  return {
    endpoint: addressOf(hub),
    seen,
    close: async () => {
      await Promise.all([close(hub), close(store)]);
    },
  };
}

function sendFile(content: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const etag = `"${sha256(content).slice(0, 16)}"`;
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const ifRange = request.headers['if-range'];
  const isPart = request.headers.range !== undefined && (ifRange === undefined || ifRange === etag);
  const body = isPart ? content.subarray(start) : content;
  response.writeHead(isPart ? 206 : 200, {
    etag,
    'content-length': String(body.length),
    ...(isPart
      ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }
      : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Sends the head and the first bytes, and ends the connection once they are out. */
export function cutAfter(
  response: ServerResponse,
  content: Buffer,
  from: number,
  bytes: number,
): void {
  const part =
    from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {};
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': String(content.length - from),
    ...part,
  });
  response.write(content.subarray(from, from + bytes), () => {
    response.socket?.end();
  });
}

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
