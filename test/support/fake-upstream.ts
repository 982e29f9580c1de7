/**
 * An upstream that speaks the OpenAI dialect on loopback, takes every field and keeps what it was
 * asked, so that a test sees what really reached it. Its answers can be bent.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers in place of the usual answer. */
export type Bend = (asked: Asked, response: ServerResponse) => void;

export interface FakeUpstream {
  /** As an SDK takes it, with `/v1`. */
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
  bend(answer: Bend | null): void;
  /** Settles when the next request of this upstream is cut by its client. */
  nextCut(): Promise<void>;
  close(): Promise<void>;
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const text = 'hello there';

const choicesOf = <T>(body: Asked['body'], make: (index: number) => T): T[] =>
  Array.from({ length: Number(body['n'] ?? 1) }, (_, index) => make(index));

function chatAnswer(body: Asked['body']): object {
  const message = { role: 'assistant', content: text };
  return {
    id: 'up-1',
    object: 'chat.completion',
    created: 1,
    model: 'theirs',
    choices: choicesOf(body, (index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: 'stop',
    })),
    usage,
  };
}

function completionAnswer(body: Asked['body']): object {
  return {
    id: 'up-1',
    object: 'text_completion',
    created: 1,
    model: 'theirs',
    choices: choicesOf(body, (index) => ({ index, text, logprobs: null, finish_reason: 'stop' })),
    usage,
  };
}

function streamPayloads(path: string): object[] {
  const head = { id: 'up-1', created: 1, model: 'theirs' };
  if (path.endsWith('/chat/completions')) {
    const chunk = { ...head, object: 'chat.completion.chunk' };
    const choice = (delta: object, reason: string | null) => [
      { index: 0, delta, finish_reason: reason },
    ];
    return [
      { ...chunk, choices: choice({ role: 'assistant', content: '' }, null) },
      ...text.split(/(?= )/).map((content) => ({ ...chunk, choices: choice({ content }, null) })),
      { ...chunk, choices: choice({}, 'stop') },
      { ...chunk, choices: [], usage },
    ];
  }
  const chunk = { ...head, object: 'text_completion' };
  return [
    { ...chunk, choices: [{ index: 0, text, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage },
  ];
}

/** Writes one event of a stream. */
export const writeEvent = (response: ServerResponse, payload: object | string): void => {
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
  response.write(`data: ${data}\n\n`);
};

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function answerAsUsual({ path, body }: Asked, response: ServerResponse): void {
  if (body['stream'] !== true) {
    const chat = path.endsWith('/chat/completions');
    sendJson(response, 200, chat ? chatAnswer(body) : completionAnswer(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const payload of streamPayloads(path)) writeEvent(response, payload);
  writeEvent(response, '[DONE]');
  response.end();
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

export async function startUpstream(): Promise<FakeUpstream> {
  const asked: Asked[] = [];
  let answer: Bend = answerAsUsual;
  let cut = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one: Asked = {
      path: request.url ?? '',
      authorization: request.headers.authorization ?? null,
      body: JSON.parse(await readText(request)) as Asked['body'],
    };
    asked.push(one);
    answer(one, response);
  };
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) cut.resolve();
    });
    void take(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    bend(bent) {
      answer = bent ?? answerAsUsual;
    },
    nextCut() {
      cut = Promise.withResolvers<void>();
      return cut.promise;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
