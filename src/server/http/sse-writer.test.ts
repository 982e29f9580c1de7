/** The writer on a scripted response and a clock that is turned by hand. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import { handTimers } from '../testing/with-app.ts';
import { SseWriter, type SseResponse } from './sse-writer.ts';

const heartbeatMs = 15_000;

class FakeResponse extends EventEmitter {
  headersSent = false;
  destroyed = false;
  /** What `write` answers: false is a reader that is slow. */
  takes = true;
  readonly written: string[] = [];

  writeHead(status: number): this {
    this.headersSent = true;
    this.written.push(`HEAD ${status}`);
    return this;
  }

  write(text: string): boolean {
    this.written.push(text);
    return this.takes;
  }

  end(): this {
    this.written.push('END');
    return this;
  }
}

function setUp() {
  const response = new FakeResponse();
  const timers = handTimers();
  const controller = new AbortController();
  const writer = new SseWriter(response as unknown as SseResponse, {
    heartbeatMs,
    timers,
    signal: controller.signal,
  });
  return { response, timers, controller, writer };
}

/** Whether a promise has settled once everything that is due has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  const later = new Promise<boolean>((resolve) => void setImmediate(() => resolve(false)));
  return Promise.race([promise.then(() => true), later]);
}

describe('an event stream', () => {
  test('holds its headers until there is something to send', async () => {
    const { response, writer } = setUp();
    await writer.send([]);
    assert.equal(writer.started, false);
    await writer.send(['{"a":1}', '{"b":2}']);
    writer.done();
    assert.deepEqual(response.written, [
      'HEAD 200',
      'data: {"a":1}\n\ndata: {"b":2}\n\n',
      'data: [DONE]\n\n',
      'END',
    ]);
  });

  test('breaks the silence with comments, and stops when it ends', async () => {
    const { response, timers, writer } = setUp();
    timers.fire(heartbeatMs);
    timers.fire(heartbeatMs);
    await writer.send(['x']);
    timers.fire(heartbeatMs);
    writer.done();
    timers.fire(heartbeatMs);
    assert.deepEqual(response.written, [
      'HEAD 200',
      ': keep-alive\n\n',
      ': keep-alive\n\n',
      'data: x\n\n',
      ': keep-alive\n\n',
      'data: [DONE]\n\n',
      'END',
    ]);
    assert.equal(timers.count(heartbeatMs), 0);
  });

  test('ends with an error and without [DONE]', async () => {
    const { response, writer } = setUp();
    await writer.send(['x']);
    writer.fail(new ParlanceError('engine_failed', 'It ended.'));
    writer.done();
    assert.match(response.written[2] ?? '', /^data: \{"error":\{"message":"It ended\."/);
    assert.deepEqual(response.written.slice(3), ['END']);
  });

  test('that is stopped says nothing more', async () => {
    const { response, timers, writer } = setUp();
    writer.stop();
    await writer.send(['x']);
    timers.fire(heartbeatMs);
    assert.deepEqual(response.written, []);
    assert.equal(writer.started, false);
  });
});

describe('a slow reader', () => {
  for (const event of ['drain', 'close'] as const) {
    test(`is waited for until ${event}`, async () => {
      const { response, timers, writer } = setUp();
      response.takes = false;
      const sent = writer.send(['x']);
      assert.equal(await isSettled(sent), false);
      timers.fire(heartbeatMs);
      assert.equal(response.written.length, 2, 'no comment on top of what is not taken');
      response.emit(event);
      await sent;
      assert.equal(response.listenerCount('drain') + response.listenerCount('close'), 0);
    });
  }

  test('is waited for until the request is aborted', async () => {
    const { response, controller, writer } = setUp();
    response.takes = false;
    const sent = writer.send(['x']);
    controller.abort();
    await sent;
    await writer.send(['y']);
  });

  test('that is gone is not written to and not waited for', async () => {
    const { response, writer } = setUp();
    response.takes = false;
    response.destroyed = true;
    await writer.send(['x']);
    assert.deepEqual(response.written, []);
  });
});
