/** Streams over a real socket: heartbeats, failures on the way, clients that leave or read slowly. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import type { AnswerEvent } from '../targets/index.ts';
import {
  events,
  fakeServices,
  fakeTarget,
  finish,
  greeting,
  text,
  untilAborted,
  usageOf,
  type Fakes,
} from './testing/fake-services.ts';
import { handTimers, payloadsOf, post, rawClient, withApp } from './testing/with-app.ts';

const chat = { model: 'tiny', messages: [{ role: 'user', content: 'hi' }] };
const streamed = { ...chat, stream: true };
const path = '/v1/chat/completions';
const heartbeatMs = 15_000;

/** A line of the log that is awaited, since a cancelled request is settled after its client left. */
function requestLine(services: Fakes): Promise<Record<string, unknown>> {
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
  const look = (): void => {
    const found = services.logLines.find((line) => line['msg'] === 'request');
    if (found === undefined) setImmediate(look);
    else resolve(found);
  };
  look();
  return promise;
}

describe('heartbeats', () => {
  test('go out while the target is silent, and the answer follows', async () => {
    const timers = handTimers();
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const target = fakeTarget(async () => {
      asked.resolve();
      await release.promise;
      return events(greeting);
    });
    await withApp(
      fakeServices({ target }),
      async ({ url }) => {
        const pending = fetch(url + path, post({ ...streamed, top_k: 5 }));
        await asked.promise;
        timers.fire(heartbeatMs);
        timers.fire(heartbeatMs);
        const answer = await pending;
        assert.equal(answer.headers.get('x-parlance-receipt'), 'top_k=honoured');
        release.resolve();
        const body = await answer.text();
        assert.ok(body.startsWith(': keep-alive\n\n: keep-alive\n\ndata: {'), body.slice(0, 80));
        assert.equal(payloadsOf(body).at(-1), '[DONE]');
      },
      { timers },
    );
    assert.equal(timers.count(heartbeatMs), 0);
  });

  test('make a later refusal an event', async () => {
    const timers = handTimers();
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const target = fakeTarget(async () => {
      asked.resolve();
      await release.promise;
      throw new ParlanceError('queue_full', 'Too many wait.');
    });
    await withApp(
      fakeServices({ target }),
      async ({ url }) => {
        const pending = fetch(url + path, post(streamed));
        await asked.promise;
        timers.fire(heartbeatMs);
        const answer = await pending;
        release.resolve();
        assert.equal(answer.status, 200);
        const payloads = payloadsOf(`\n\n${await answer.text()}`);
        assert.equal(payloads.length, 1);
        assert.equal(JSON.parse(payloads[0] ?? '').error.reason, 'queue_full');
      },
      { timers },
    );
  });
});

describe('a failure after the first chunk', () => {
  async function* failing(): AsyncGenerator<readonly AnswerEvent[]> {
    yield [text('Hel')];
    throw new ParlanceError('engine_failed', 'The engine ended; it is being restarted.');
  }

  test('is an error event, then a proper end without [DONE]', async () => {
    const services = fakeServices({ target: fakeTarget(() => events(failing())) });
    await withApp(services, async ({ port }) => {
      const body = JSON.stringify(streamed);
      const answer = await rawClient(
        port,
        `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ).text;
      assert.ok(answer.endsWith('\r\n0\r\n\r\n'), 'the chunked body has its end');
      assert.ok(!answer.includes('[DONE]'));
      const last = /data: (\{"error".*\})\n\n/.exec(answer)?.[1] ?? '';
      assert.equal(JSON.parse(last).error.reason, 'engine_failed');
    });
    assert.match(await services.metrics.render(), /requests_total\{[^}]*status="500"\} 1/);
  });

  test('without a stream is a plain error', async () => {
    const services = fakeServices({ target: fakeTarget(() => events(failing())) });
    await withApp(services, async ({ url }) => {
      const answer = await fetch(url + path, post(chat));
      assert.equal(answer.status, 500);
      assert.equal(
        ((await answer.json()) as { error: { reason: string } }).error.reason,
        'engine_failed',
      );
    });
  });

  test('a target that ends without a finish has failed', async () => {
    const services = fakeServices({ target: fakeTarget(() => events([[text('Hel')]])) });
    await withApp(services, async ({ url }) => {
      const body = await (await fetch(url + path, post(streamed))).text();
      assert.ok(!body.includes('[DONE]'));
      assert.match(body, /"reason":"internal"/);
      assert.equal((await fetch(url + path, post(chat))).status, 500);
    });
  });
});

describe('a client that leaves', () => {
  interface Seen {
    readonly started: PromiseWithResolvers<void>;
    readonly freed: PromiseWithResolvers<unknown>;
  }

  function endless(): Seen & { readonly services: Fakes } {
    const started = Promise.withResolvers<void>();
    const freed = Promise.withResolvers<unknown>();
    const target = fakeTarget(({ signal }) => {
      async function* all(): AsyncGenerator<readonly AnswerEvent[]> {
        yield [text('Hel'), usageOf(9, 1)];
        started.resolve();
        try {
          await untilAborted(signal);
        } finally {
          freed.resolve(signal.reason);
        }
      }
      return events(all());
    });
    return { services: fakeServices({ target }), started, freed };
  }

  for (const body of [streamed, chat]) {
    test(`aborts its request (stream: ${'stream' in body})`, async () => {
      const { services, started, freed } = endless();
      await withApp(services, async ({ url }) => {
        const controller = new AbortController();
        const pending = fetch(url + path, { ...post(body), signal: controller.signal });
        const seen = pending.then((answer) => answer.text()).catch(() => 'gone');
        await started.promise;
        controller.abort();
        const reason = await freed.promise;
        assert.ok(reason instanceof ParlanceError);
        assert.equal(reason.reason, 'cancelled');
        assert.equal(await seen, 'gone');
        const line = await requestLine(services);
        assert.equal(line['status'], 499);
        assert.equal(line['reason'], 'cancelled');
        assert.equal(line['tokens'], 1);
      });
      const metrics = await services.metrics.render();
      assert.match(metrics, /^parlance_requests_cancelled_total 1$/m);
      assert.match(metrics, /requests_total\{[^}]*status="cancelled"\} 1/);
    });
  }

  const half = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{"a`;

  /** Fakes that tell when a request has reached them. */
  function watched(): { readonly fakes: Fakes; readonly begun: Promise<void> } {
    const begun = Promise.withResolvers<void>();
    const fakes = fakeServices();
    const access: Fakes['access'] = {
      async authenticate(header) {
        begun.resolve();
        return fakes.access.authenticate(header);
      },
    };
    return { fakes: { ...fakes, access }, begun: begun.promise };
  }

  test('while it still sends its body is cancelled too', async () => {
    const { fakes, begun } = watched();
    await withApp(fakes, async ({ port }) => {
      const { socket } = rawClient(port, half);
      await begun;
      socket.resetAndDestroy();
      assert.equal((await requestLine(fakes))['status'], 499);
    });
  });

  test('with its sending side only is told what is wrong', async () => {
    const { fakes, begun } = watched();
    await withApp(fakes, async ({ port }) => {
      const { socket, text: answer } = rawClient(port, half);
      await begun;
      socket.end();
      assert.match(await answer, /^HTTP\/1\.1 400 [^]*ended before the request was complete/);
    });
  });

  test('while a prompt still waits for its target is cancelled', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const target = fakeTarget(({ signal }) => {
      asked.resolve(signal);
      return untilAborted(signal);
    });
    const services = fakeServices({ target });
    await withApp(services, async ({ url }) => {
      const controller = new AbortController();
      const pending = fetch(url + path, { ...post(chat), signal: controller.signal });
      const failed = assert.rejects(pending);
      const signal = await asked.promise;
      controller.abort();
      await failed;
      await requestLine(services);
      assert.equal(signal.aborted, true);
    });
  });
});

describe('a client that reads slowly', () => {
  const words = 'Q'.repeat(64 * 1024);
  const steps = 200;

  function flood() {
    const made = { count: 0 };
    const freed = Promise.withResolvers<void>();
    const target = fakeTarget(({ signal }) => {
      async function* all(): AsyncGenerator<readonly AnswerEvent[]> {
        try {
          for (; made.count < steps; made.count += 1) {
            if (signal.aborted) await untilAborted(signal);
            yield [text(words)];
          }
          yield [finish(), usageOf(1, steps)];
        } finally {
          freed.resolve();
        }
      }
      return events(all());
    });
    return { made, freed: freed.promise, services: fakeServices({ target }) };
  }

  const bytes = (): string => {
    const body = JSON.stringify(streamed);
    return `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };

  test('holds the target back, and gets everything in the end', async () => {
    const { made, services } = flood();
    await withApp(services, async ({ port, app }) => {
      const arrived = once(app.server, 'connection');
      const { socket, text: all } = rawClient(port, bytes());
      socket.pause();
      const [accepted] = (await arrived) as [{ readonly writableNeedDrain: boolean }];
      while (!accepted.writableNeedDrain)
        await new Promise((resolve) => void setImmediate(resolve));
      assert.ok(made.count < steps, 'the target did not run ahead of its reader');
      socket.resume();
      const got = await all;
      assert.equal(got.split('Q').length - 1, steps * words.length);
      assert.match(got, /data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
    });
    assert.equal(made.count, steps);
  });

  test('and leaves frees the target', async () => {
    const { made, services, freed } = flood();
    await withApp(services, async ({ port, app }) => {
      const arrived = once(app.server, 'connection');
      const { socket } = rawClient(port, bytes());
      socket.pause();
      const [accepted] = (await arrived) as [{ readonly writableNeedDrain: boolean }];
      while (!accepted.writableNeedDrain)
        await new Promise((resolve) => void setImmediate(resolve));
      socket.destroy();
      await freed;
      assert.equal((await requestLine(services))['status'], 499);
    });
    assert.ok(made.count < steps);
  });
});

describe('draining', () => {
  test('waits for what runs, and begins nothing new', async () => {
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const target = fakeTarget(async () => {
      asked.resolve();
      await release.promise;
      return events(greeting);
    });
    await withApp(fakeServices({ target }), async ({ app, url }) => {
      const running = fetch(url + path, post(chat));
      await asked.promise;
      const drained = app.drain(60_000);
      const refused = await fetch(url + path, post(chat));
      assert.equal(refused.status, 503);
      assert.equal(refused.headers.get('retry-after'), '5');
      assert.match(await refused.text(), /"reason":"shutting_down"/);
      assert.equal((await fetch(`${url}/health`)).status, 200);
      release.resolve();
      assert.equal((await running).status, 200);
      await drained;
      await assert.rejects(fetch(`${url}/health`));
    });
  });

  test('ends what runs too long, with a word to its client', async () => {
    const started = Promise.withResolvers<void>();
    const target = fakeTarget(({ signal }) => {
      async function* all(): AsyncGenerator<readonly AnswerEvent[]> {
        yield [text('Hel')];
        started.resolve();
        await untilAborted(signal);
      }
      return events(all());
    });
    await withApp(fakeServices({ target }), async ({ app, url }) => {
      const answer = await fetch(url + path, post(streamed));
      await started.promise;
      const first = app.drain(60_000);
      await app.drain(0);
      await first;
      const body = await answer.text();
      assert.match(body, /"reason":"shutting_down"/);
      assert.ok(!body.includes('[DONE]'));
    });
  });
});
