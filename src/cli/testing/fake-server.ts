/** A server on loopback that answers as a test says, and remembers what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { parseJson } from '../../contract/index.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** Integers beyond 2^53 as BigInt. */
  readonly body: unknown;
}

export interface Exchange extends Asked {
  readonly response: ServerResponse;
}

/** By method and path, such as `GET /health`. */
export type Handlers = Readonly<Record<string, (exchange: Exchange) => void>>;

export interface FakeServer {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** Runs `work` with the server, and ends it with all its connections. */
export async function withFakeServer<T>(
  handlers: Handlers,
  work: (server: FakeServer) => Promise<T>,
): Promise<T> {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const method = request.method ?? '';
    const { authorization } = request.headers;
    const one = { method, path, authorization, body: await readBody(request) };
    asked.push(one);
    const handler = handlers[`${method} ${path}`];
    if (handler === undefined) sendJson(response, 404, errorOf('unknown_route', 'no such route'));
    else handler({ ...one, response });
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await work({ url: `http://127.0.0.1:${port}`, asked });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const bytes of request.setEncoding('utf8')) text += String(bytes);
  return text === '' ? null : parseJson(text);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** An error body as every Parlance sends it. */
export function errorOf(reason: string, message: string): object {
  return { error: { message, type: 'invalid_request_error', code: 400, param: null, reason } };
}

/** A handler that always gives the same JSON. */
export function always(status: number, body: unknown): (exchange: Exchange) => void {
  return ({ response }) => sendJson(response, status, body);
}

/** Begins an event stream. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** One event with a piece of text. */
export function chunkOf(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
}

/** A whole streamed answer with these pieces. */
export function streamOf(pieces: readonly string[]): (exchange: Exchange) => void {
  return ({ response }) => {
    beginStream(response);
    response.write(`: keep-alive\n\n${chunkOf({ role: 'assistant', content: '' })}`);
    for (const piece of pieces) response.write(chunkOf({ content: piece }));
    response.end(`${chunkOf({}, 'stop')}data: [DONE]\n\n`);
  };
}
