/** Every way in which a request fails before it is answered: one shape, over a real socket. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';

import { Compile } from 'typebox/compile';

import { errorSchema, ParlanceError, type ErrorBody } from '../contract/index.ts';
import { publicPaths, routeTable } from './routes/route-table.ts';
import { fakeServices, fakeTarget, type FakeOptions } from './testing/fake-services.ts';
import { handTimers, post, rawClient, withApp } from './testing/with-app.ts';

const errorShape = Compile(errorSchema);

function errorIn(text: string): ErrorBody['error'] {
  const body: unknown = JSON.parse(text);
  assert.ok(errorShape.Check(body), text);
  return (body as ErrorBody).error;
}

const chat = { model: 'tiny', messages: [{ role: 'user', content: 'hi' }] };

interface Case {
  readonly name: string;
  readonly path: string;
  readonly init?: RequestInit;
  readonly fakes?: FakeOptions;
  readonly status: number;
  readonly reason: string;
  readonly message?: RegExp;
  readonly headers?: Readonly<Record<string, RegExp>>;
}

const failing = (error: unknown): FakeOptions => ({
  target: fakeTarget(() => {
    throw error;
  }),
});

const chatPath = '/v1/chat/completions';

const cases: readonly Case[] = [
  {
    name: 'not JSON',
    path: chatPath,
    init: post('{"model": }'),
    status: 400,
    reason: 'invalid_json',
    message: /line 1, column 11/,
  },
  {
    name: 'an empty body',
    path: chatPath,
    init: post(''),
    status: 400,
    reason: 'invalid_json',
  },
  {
    name: 'not UTF-8',
    path: chatPath,
    init: { ...post(''), body: Buffer.from([0x22, 0xff, 0x22]) },
    status: 400,
    reason: 'invalid_json',
    message: /UTF-8/,
  },
  {
    name: 'a form',
    path: chatPath,
    init: { ...post('a=b'), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    status: 415,
    reason: 'unsupported_media_type',
    message: /content-type: application\/json/,
  },
  {
    name: 'another charset',
    path: chatPath,
    init: { ...post(chat), headers: { 'content-type': 'application/json; charset=latin1' } },
    status: 415,
    reason: 'unsupported_media_type',
  },
  {
    name: 'a compressed body',
    path: chatPath,
    init: post(chat, { 'content-encoding': 'gzip' }),
    status: 415,
    reason: 'unsupported_media_type',
    message: /uncompressed/,
  },
  {
    name: 'an unknown route',
    path: '/chat/completions',
    init: post(chat),
    status: 404,
    reason: 'unknown_route',
    message: /did you mean \/v1\/chat\/completions\?/,
  },
  {
    name: 'a misspelt route',
    path: '/v1/chat/completion',
    init: post(chat),
    status: 404,
    reason: 'unknown_route',
    message: /\/v1\/chat\/completions/,
  },
  {
    name: 'a wrong method',
    path: chatPath,
    status: 405,
    reason: 'method_not_allowed',
    headers: { allow: /^POST$/ },
  },
  {
    name: 'OPTIONS, since CORS is off',
    path: '/v1/models',
    init: { method: 'OPTIONS' },
    status: 405,
    reason: 'method_not_allowed',
    headers: { allow: /^GET, HEAD$/ },
  },
  {
    name: 'an unknown field',
    path: chatPath,
    init: post({ ...chat, temprature: 1 }),
    status: 400,
    reason: 'unknown_field',
    message: /did you mean "temperature"/,
  },
  {
    name: 'a parameter that the target refuses',
    path: chatPath,
    init: post({ ...chat, guided_grammar: 'x' }),
    status: 400,
    reason: 'unsupported_parameter',
    message: /embedded:tiny/,
  },
  {
    name: 'a dry run that would be refused',
    path: chatPath,
    init: post({ ...chat, guided_grammar: 'x', dry_run: true }),
    status: 400,
    reason: 'unsupported_parameter',
  },
  {
    name: 'an unknown way of relaxing',
    path: chatPath,
    init: post(chat, { 'x-parlance-unsupported': 'ignore' }),
    status: 400,
    reason: 'invalid_header',
  },
  {
    name: 'an unknown model',
    path: chatPath,
    init: post({ ...chat, model: 'huge' }),
    status: 404,
    reason: 'unknown_model',
  },
  {
    name: 'an unknown model in the list',
    path: '/v1/models/tinny',
    status: 404,
    reason: 'unknown_model',
    message: /did you mean "tiny"/,
  },
  {
    name: 'a broken escape in the path',
    path: '/v1/models/%zz',
    status: 400,
    reason: 'invalid_value',
  },
  {
    name: 'an unknown deployment',
    path: '/deploy/none',
    status: 404,
    reason: 'unknown_deployment',
  },
  {
    name: 'a deployment as text',
    path: '/deploy',
    init: { ...post('{}'), headers: { 'content-type': 'text/plain' } },
    status: 415,
    reason: 'unsupported_media_type',
  },
  {
    name: 'a deployment without a content type',
    path: '/deploy',
    init: { method: 'POST', body: Buffer.from('{}') },
    status: 415,
    reason: 'unsupported_media_type',
  },
  {
    name: 'a foreign origin',
    path: '/deploy',
    init: post({}, { origin: 'http://evil.example' }),
    status: 403,
    reason: 'foreign_origin',
  },
  {
    name: 'no key',
    path: '/v1/models',
    fakes: { key: 'k' },
    status: 401,
    reason: 'unauthenticated',
    headers: { 'www-authenticate': /^Bearer/ },
  },
  {
    name: 'a key without the right',
    path: '/deploy',
    fakes: { rights: ['chat'] },
    status: 403,
    reason: 'forbidden',
    message: /the right `deploy` \(the key has: chat\)/,
  },
  {
    name: 'a full queue',
    path: chatPath,
    init: post(chat),
    fakes: failing(new ParlanceError('queue_full', 'Too many wait.', { retryAfter: 7 })),
    status: 503,
    reason: 'queue_full',
    headers: { 'retry-after': /^7$/ },
  },
  {
    name: 'an upstream that limits',
    path: chatPath,
    init: post({ ...chat, stream: true }),
    fakes: failing(new ParlanceError('rate_limited', 'Slow down.')),
    status: 429,
    reason: 'rate_limited',
    headers: { 'retry-after': /^1$/ },
  },
  {
    name: 'a bug',
    path: chatPath,
    init: post(chat),
    fakes: failing(new TypeError('secret detail of node_modules/x.js')),
    status: 500,
    reason: 'internal',
    message: /^Something went wrong in Parlance; the log has the details\.$/,
  },
  {
    name: 'a suffix',
    path: '/v1/completions',
    init: post({ model: 'tiny', prompt: 'a', suffix: 'b' }),
    status: 400,
    reason: 'unsupported_parameter',
    message: /suffix/,
  },
  {
    name: 'two prompts in a dry run',
    path: '/v1/completions',
    init: post({ model: 'tiny', prompt: ['a', 'b'], dry_run: true }),
    status: 400,
    reason: 'conflicting_fields',
  },
];

describe('an error over HTTP', () => {
  for (const one of cases) {
    test(one.name, async () => {
      await withApp(fakeServices(one.fakes), async ({ url }) => {
        const answer = await fetch(url + one.path, one.init);
        const error = errorIn(await answer.text());
        assert.equal(answer.status, one.status);
        assert.equal(error.code, one.status);
        assert.equal(error.reason, one.reason);
        assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
        if (one.message !== undefined) assert.match(error.message, one.message);
        for (const [name, value] of Object.entries(one.headers ?? {})) {
          assert.match(answer.headers.get(name) ?? '', value);
        }
      });
    });
  }

  test('a bug is in the log with its stack', async () => {
    const services = fakeServices(failing(new TypeError('a detail')));
    await withApp(services, async ({ url }) => {
      await (await fetch(url + chatPath, post(chat))).text();
    });
    const line = services.logLines.find((one) => one['level'] === 'error');
    assert.match(JSON.stringify(line), /TypeError: a detail/);
  });

  test('a model that is still loading is no warning', async () => {
    const services = fakeServices(failing(new ParlanceError('model_loading', 'not yet')));
    await withApp(services, async ({ url }) => {
      assert.equal((await fetch(url + chatPath, post(chat))).status, 503);
    });
    const line = services.logLines.find((one) => one['reason'] === 'model_loading');
    assert.equal(line?.['level'], 'info');
  });
});

describe('what an upstream said', () => {
  test('goes to the client and not into the log: it may quote the prompt', async () => {
    const words = 'The upstream answered 500: cannot read "a private matter"';
    const services = fakeServices(failing(new ParlanceError('upstream_refused', words)));
    await withApp(services, async ({ url }) => {
      const answer = await fetch(url + chatPath, post(chat));
      assert.match(errorIn(await answer.text()).message, /a private matter/);
    });
    const line = services.logLines.find((one) => one['reason'] === 'upstream_refused');
    assert.ok(line !== undefined);
    assert.doesNotMatch(JSON.stringify(services.logLines), /private/);
  });
});

describe('closed by default', () => {
  test('every route but the public ones asks for a key', async () => {
    await withApp(fakeServices({ key: 'k' }), async ({ url }) => {
      for (const route of routeTable) {
        const path = route.path.replace(/\{\w+\}/, 'tiny');
        const answer = await fetch(url + path, { method: route.method });
        await answer.arrayBuffer();
        assert.equal(answer.status, publicPaths.includes(route.path) ? 200 : 401, route.path);
      }
    });
  });

  test('a route without a right is a public one', () => {
    for (const route of routeTable) {
      assert.equal(route.right === null, publicPaths.includes(route.path), route.path);
    }
  });
});

interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly error: ErrorBody['error'];
}

function parseRaw(text: string): RawAnswer {
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  assert.match(headers, /^HTTP\/1\.1 \d{3} /, text);
  assert.match(headers, /content-type: application\/json/i);
  assert.match(headers, /x-request-id: /i);
  return { status: Number(headers.slice(9, 12)), headers, error: errorIn(body) };
}

describe('an error below HTTP', () => {
  const raw = async (bytes: string, options: FakeOptions = {}): Promise<RawAnswer> =>
    withApp(fakeServices(options), async ({ port }) => parseRaw(await rawClient(port, bytes).text));

  test('bytes that are not HTTP', async () => {
    const { status, error } = await raw('hello\r\n\r\n');
    assert.equal(status, 400);
    assert.equal(error.reason, 'malformed_request');
  });

  test('headers that are too large', async () => {
    const { status } = await raw(`GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`);
    assert.equal(status, 431);
  });

  test('no Host', async () => {
    const { status, error } = await raw('GET / HTTP/1.1\r\nconnection: close\r\n\r\n');
    assert.equal(status, 400);
    assert.match(error.message, /Host/);
  });

  test('CONNECT', async () => {
    const { status, headers } = await raw('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n');
    assert.equal(status, 405);
    assert.match(headers, /allow: GET/);
  });

  test('CONNECT by a client that never closes its half keeps no server from ending', async () => {
    const timers = handTimers();
    await withApp(
      fakeServices(),
      async ({ app, port }) => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        socket.write('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n');
        await once(socket.resume(), 'end');
        const closed = once(app.server, 'close');
        app.server.close();
        timers.fire(2000);
        await closed;
        socket.destroy();
      },
      { timers },
    );
  });

  test('CONNECT by a client that resets the connection is no fault of ours', async (context) => {
    const uncaught = context.mock.fn();
    process.on('uncaughtException', uncaught);
    await withApp(fakeServices(), async ({ app, port }) => {
      const accepted = once(app.server, 'connect') as Promise<[unknown, Socket]>;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.write('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n');
      const [, ours] = await accepted;
      // Not `once` of node:events: that hears errors, too.
      const closed = new Promise<void>((resolve) => void ours.once('close', () => resolve()));
      socket.resetAndDestroy();
      await closed;
    });
    process.off('uncaughtException', uncaught);
    assert.equal(uncaught.mock.callCount(), 0);
  });

  test('a broken chunk in the middle of a body', async () => {
    const head = `POST ${chatPath} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`;
    const { status, error } = await raw(`${head}2\r\n{"\r\nzz\r\n`);
    assert.equal(status, 400);
    assert.equal(error.reason, 'malformed_request');
  });

  test('headers that do not come', async () => {
    await withApp(
      fakeServices(),
      async ({ port }) => {
        const { status, error } = parseRaw(await rawClient(port, 'GET / HTTP/1.1\r\n').text);
        assert.equal(status, 408);
        assert.equal(error.reason, 'request_timeout');
      },
      { headersTimeoutMs: 20 },
    );
  });

  test('a foreign Host on every /deploy route', async () => {
    for (const method of ['GET', 'POST']) {
      const bytes = `${method} /deploy HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`;
      const { status, error } = await raw(bytes);
      assert.equal(status, 403);
      assert.equal(error.reason, 'foreign_origin');
    }
  });
});

describe('a body over the limit', () => {
  const settings = { maxBodyBytes: 1000 };
  const head = (rest: string): string => `POST ${chatPath} HTTP/1.1\r\nhost: x\r\n${rest}\r\n\r\n`;

  test('is refused by its announcement, while the client still sends', async () => {
    await withApp(fakeServices({ settings }), async ({ port }) => {
      const { socket, text } = rawClient(port, head('content-length: 5000') + 'x'.repeat(2000));
      socket.once('data', () => void socket.write('y'.repeat(3000)));
      const { status, headers, error } = parseRaw(await text);
      assert.equal(status, 413);
      assert.equal(error.reason, 'body_too_large');
      assert.match(headers, /connection: close/i);
    });
  });

  test('is counted as refused, also when its sender goes on the spot', async () => {
    const services = fakeServices({ settings });
    await withApp(services, async ({ port }) => {
      const { socket, text } = rawClient(port, head('content-length: 5000') + 'x'.repeat(2000));
      socket.once('data', () => void socket.destroy());
      await text;
    });
    assert.match(await services.metrics.render(), /requests_total\{[^}]*status="413"\} 1/);
  });

  test('is refused where it was not announced', async () => {
    await withApp(fakeServices({ settings }), async ({ port }) => {
      const chunk = `320\r\n${'x'.repeat(800)}\r\n`;
      const { socket, text } = rawClient(port, head('transfer-encoding: chunked') + chunk + chunk);
      socket.once('data', () => void socket.write('0\r\n\r\n'));
      assert.equal(parseRaw(await text).status, 413);
    });
  });

  test('is not even sent by a client that asks first', async () => {
    await withApp(fakeServices({ settings }), async ({ port }) => {
      const asking = head('content-length: 5000\r\nexpect: 100-continue');
      const { socket, text } = rawClient(port, asking);
      socket.once('data', () => void socket.end());
      assert.equal(parseRaw(await text).status, 413);
    });
  });

  test('a sender that never stops is cut off', async () => {
    const timers = handTimers();
    await withApp(
      fakeServices({ settings }),
      async ({ port }) => {
        const { socket, text } = rawClient(port, head('content-length: 5000'));
        socket.once('data', () => timers.fire(2000));
        assert.equal(parseRaw(await text).status, 413);
      },
      { timers },
    );
  });
});

describe('a body that comes slowly', () => {
  test('is given up', async () => {
    const timers = handTimers();
    const services = fakeServices({ settings: { bodyTimeoutMs: 30_000 } });
    const authenticated = Promise.withResolvers<void>();
    const { access } = services;
    const watched = {
      ...services,
      access: {
        async authenticate(header: string | undefined) {
          setImmediate(() => authenticated.resolve());
          return access.authenticate(header);
        },
      },
    };
    await withApp(
      watched,
      async ({ port }) => {
        const bytes = `POST ${chatPath} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{"a`;
        const { text } = rawClient(port, bytes);
        await authenticated.promise;
        timers.fire(30_000);
        setImmediate(() => timers.fire(2000));
        const { status, error } = parseRaw(await text);
        assert.equal(status, 408);
        assert.equal(error.reason, 'request_timeout');
      },
      { timers },
    );
  });
});

test('a client that asks first is told to go on', async () => {
  await withApp(fakeServices(), async ({ port }) => {
    const body = JSON.stringify(chat);
    const { socket, text } = rawClient(
      port,
      `POST ${chatPath} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.once('data', () => void socket.write(body));
    assert.match(await text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });
});
