import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { admit, parseChatRequest, ParlanceError } from '../../contract/index.ts';
import type { Answer } from '../target.ts';
import { createTargetServices, localOnly } from '../services.ts';
import { createExternalTarget, type ExternalTarget } from './external-target.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let upstream: Server;
let handler: Handler;
let target: ExternalTarget;

const sse = (response: ServerResponse, ...payloads: string[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const payload of payloads) response.write(`data: ${payload}\r\n\r\n`);
};

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

const { verifier } = createTargetServices(localOnly);

before(async () => {
  upstream = createServer((request, response) => {
    void readBody(request).then((body) => handler(request, response, body));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  target = createExternalTarget({
    name: 'up',
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    apiKey: 'sk-test',
    model: 'their-model',
    parameters: [],
    verifier,
  });
});

after(async () => {
  await verifier.close();
  await target.close();
  upstream.closeAllConnections();
  upstream.close();
});

function ask(extra: object, signal = new AbortController().signal): Promise<Answer> {
  const body = JSON.stringify({ model: 'up', ...extra });
  const { request } = admit(parseChatRequest(body), target.capabilities, target.name);
  return target.run({
    request,
    identity: { id: 'ours', model: 'up', created: 1, episodeId: null },
    signal,
  });
}

async function payloadsOf(answer: Answer): Promise<string[]> {
  assert.equal(answer.kind, 'wire');
  const found: string[] = [];
  if (answer.kind === 'wire') for await (const payload of answer.payloads) found.push(payload);
  return found;
}

const messages = [{ role: 'user', content: 'hi' }];
const chunk = (finish: string | null): string =>
  JSON.stringify({
    id: 'theirs',
    model: 'their-model',
    choices: [{ index: 0, delta: finish === null ? { content: 'x' } : {}, finish_reason: finish }],
  });

describe('external target', () => {
  it('sends the request on with the key and the upstream’s model name', async () => {
    let seen = '';
    handler = (request, response, body) => {
      seen = `${request.method} ${request.url} ${request.headers.authorization} ${body}`;
      response.setHeader('content-type', 'application/json');
      response.end('{"id":"theirs","model":"their-model","choices":[{"index":0}]}');
    };
    const [body] = await payloadsOf(await ask({ messages, temperature: 0.5 }));
    assert.equal(
      seen,
      'POST /v1/chat/completions Bearer sk-test {"model":"their-model","messages":[{"role":"user","content":"hi"}],"temperature":0.5}',
    );
    assert.equal(body, '{"id":"ours","model":"up","choices":[{"index":0}]}');
  });

  it('streams chunks as they come', async () => {
    handler = (_request, response) => {
      sse(response, chunk(null), chunk('stop'), '[DONE]');
      response.end();
    };
    const payloads = await payloadsOf(await ask({ messages, stream: true }));
    assert.equal(payloads.length, 2);
    assert.match(payloads[1] ?? '', /"finish_reason":"stop"/);
  });

  it('uses the connection of a stream that ended again', async () => {
    let connections = 0;
    const count = (): void => void (connections += 1);
    handler = (_request, response) => {
      sse(response, chunk(null), chunk('stop'), '[DONE]');
      setImmediate(() => response.end());
    };
    await payloadsOf(await ask({ messages, stream: true }));
    upstream.on('connection', count);
    for (let round = 0; round < 6; round += 1) {
      await payloadsOf(await ask({ messages, stream: true }));
    }
    upstream.off('connection', count);
    // The pool may open another while it has not noticed yet that the first is free.
    assert.ok(connections <= 2, `${connections} new connections for 6 streams`);
  });

  it('ends a stream whose upstream stays open after its end mark', async () => {
    const closed = Promise.withResolvers<void>();
    handler = (_request, response) => {
      response.on('close', () => closed.resolve());
      sse(response, chunk(null), chunk('stop'), '[DONE]');
    };
    const payloads = await payloadsOf(await ask({ messages, stream: true }));
    assert.equal(payloads.length, 2);
    await closed.promise;
  });

  it('tells what a stream cost, though the client did not ask for usage', async () => {
    const cost = '{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}';
    for (const end of [[cost, '[DONE]'], [cost]]) {
      handler = (_request, response) => {
        sse(response, chunk(null), chunk('stop'), ...end);
        response.end();
      };
      const answer = await ask({ messages, stream: true });
      assert.equal((await payloadsOf(answer)).length, 2);
      assert.ok(answer.kind === 'wire');
      assert.equal(answer.unshownUsage?.()?.completionTokens, 3);
    }
  });

  it('fails a stream that ends before its finish, and one that reports an error', async () => {
    handler = (_request, response) => {
      sse(response, chunk(null));
      response.end();
    };
    const cut = ask({ messages, stream: true }).then(payloadsOf);
    await assert.rejects(cut, { reason: 'upstream_failed' });
    handler = (_request, response) => {
      sse(response, chunk(null), '{"error":{"message":"no memory","code":503}}');
      response.end();
    };
    const broken = ask({ messages, stream: true }).then(payloadsOf);
    await assert.rejects(broken, { status: 503, message: /no memory/ });
  });

  it('fails a stream in which only one of two choices finished', async () => {
    handler = (_request, response) => {
      sse(response, chunk(null), chunk('stop'));
      response.end();
    };
    const half = ask({ messages, stream: true, n: 2 }).then(payloadsOf);
    await assert.rejects(half, { reason: 'upstream_failed' });
    assert.equal((await payloadsOf(await ask({ messages, stream: true }))).length, 2);
  });

  it('shows no key in an error inside a stream, on either route', async () => {
    handler = (_request, response) => {
      sse(response, '{"error":{"message":"bad key sk-test"}}');
      response.end();
    };
    const chat = ask({ messages, stream: true }).then(payloadsOf);
    await assert.rejects(chat, { reason: 'upstream_refused', message: /bad key \*\*\*/ });
    const raw = await ask({ prompt: 'once', stream: true });
    assert.equal(raw.kind, 'events');
    if (raw.kind !== 'events') return;
    const { events } = raw;
    await assert.rejects(Array.fromAsync(events), { message: /bad key \*\*\*/ });
  });

  it('calls what is no JSON in a stream the upstream’s failure', async () => {
    for (const payload of ['{"a\\x":1}', '{"error":oops}']) {
      handler = (_request, response) => {
        sse(response, payload);
        response.end();
      };
      const broken = ask({ messages, stream: true }).then(payloadsOf);
      await assert.rejects(broken, (error) => {
        assert.ok(error instanceof ParlanceError);
        assert.match(error.reason, /^upstream_/);
        return true;
      });
    }
  });

  it('reads no refusal to its end, however long it is', async () => {
    const closed = new Promise<void>((resolve) => {
      handler = (_request, response) => {
        response.on('close', resolve);
        response.writeHead(500, { 'content-type': 'text/plain' });
        response.write('x'.repeat(200_000));
      };
    });
    await assert.rejects(ask({ messages }), { reason: 'upstream_refused' });
    await closed;
  });

  it('lets go of an answer that is no stream where one was asked for', async () => {
    const closed = new Promise<void>((resolve) => {
      handler = (_request, response) => {
        response.on('close', resolve);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('x'.repeat(4_000_000));
      };
    });
    await assert.rejects(ask({ messages, stream: true }), { reason: 'upstream_failed' });
    await closed;
  });

  it('answers raw prompts through the completions route', async () => {
    let seen = '';
    handler = (request, response, body) => {
      seen = `${request.url} ${body}`;
      response.setHeader('content-type', 'application/json');
      response.end(
        '{"choices":[{"index":0,"text":"abc","finish_reason":"length"}],"usage":{"prompt_tokens":2,"completion_tokens":3}}',
      );
    };
    const answer = await ask({ prompt: 'once' });
    assert.equal(seen, '/v1/completions {"model":"their-model","prompt":"once","max_tokens":16}');
    assert.equal(answer.kind, 'events');
    if (answer.kind !== 'events') return;
    const events = [];
    for await (const batch of answer.events) events.push(...batch);
    assert.deepEqual(
      events.map((event) => event.type),
      ['text', 'finish', 'usage'],
    );
  });

  it('fails a raw prompt when the upstream answers fewer choices than were asked for', async () => {
    handler = (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"choices":[{"index":0,"text":"abc","finish_reason":"length"}]}');
    };
    const answer = await ask({ prompt: 'once', n: 2 });
    assert.equal(answer.kind, 'events');
    if (answer.kind !== 'events') return;
    const { events } = answer;
    await assert.rejects(Array.fromAsync(events), { reason: 'upstream_failed' });
  });

  it('turns refusals into our errors, before the answer begins', async () => {
    handler = (_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end('{"error":{"message":"slow down"}}');
    };
    await assert.rejects(ask({ messages }), {
      reason: 'rate_limited',
      retryAfter: 7,
      message: /slow down/,
    });
  });

  it('closes the upstream’s socket when the client leaves', async () => {
    const closed = new Promise<void>((resolve) => {
      handler = (_request, response) => {
        response.on('close', resolve);
        sse(response, chunk(null));
      };
    });
    const abort = new AbortController();
    const answer = await ask({ messages, stream: true }, abort.signal);
    const reading = payloadsOf(answer);
    abort.abort();
    await assert.rejects(reading);
    await closed;
  });

  it('closes it also where the client leaves before the first byte', async () => {
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      handler = (_request, response) => {
        response.on('close', resolve);
        abort.abort(new ParlanceError('cancelled', 'The client left.'));
      };
    });
    await assert.rejects(ask({ messages }, abort.signal), { reason: 'cancelled' });
    await closed;
  });

  it('says where an upstream that is not there was looked for', async () => {
    const nowhere = createExternalTarget({
      name: 'none',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: null,
      model: 'm',
      parameters: [],
      verifier,
    });
    const request = parseChatRequest(JSON.stringify({ model: 'none', messages }));
    const identity = { id: 'i', model: 'none', created: 1, episodeId: null };
    const { signal } = new AbortController();
    await assert.rejects(nowhere.run({ request, identity, signal }), (error) => {
      assert.ok(error instanceof ParlanceError);
      assert.equal(error.reason, 'upstream_failed');
      assert.match(error.message, /127\.0\.0\.1:1 .*ECONNREFUSED/);
      return true;
    });
    await nowhere.close();
  });
});
