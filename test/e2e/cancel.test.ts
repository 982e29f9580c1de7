/** A client that leaves frees what it held, wherever its request was; on a server with one slot. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { chatBody, chatUrl, complete, metric, send, textOf, type Body } from '../support/ask.ts';
import { untilLoad } from '../support/load.ts';
import { endless, openStream } from '../support/open-stream.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { narrowServer } from '../support/shared-server.ts';
import { waitUntil } from '../support/wait-until.ts';

let server: ServerProcess;

interface Counts {
  readonly cancelled: number;
  readonly released: number;
}

const counts = async (): Promise<Counts> => ({
  cancelled: await metric(server, 'parlance_requests_cancelled_total'),
  released: await metric(server, 'parlance_cancel_release_seconds_count'),
});

/** Begins a request that nobody reads; `leave` cuts it. */
function begin(extra: Body = {}): { leave(): Promise<void> } {
  const controller = new AbortController();
  const body = chatBody({ ...endless, ...extra });
  const pending = send(chatUrl(server), body, { signal: controller.signal });
  return {
    async leave() {
      controller.abort();
      await assert.rejects(pending, { name: 'AbortError' });
    },
  };
}

/** The slot and the queue are free, and the cancel was counted once, with its time. */
async function checkFreed(before: Counts): Promise<void> {
  await untilLoad(server, 0, 0);
  const expected = { cancelled: before.cancelled + 1, released: before.released + 1 };
  await waitUntil('the cancel to be counted', async () => {
    const now = await counts();
    return now.cancelled >= expected.cancelled && now.released >= expected.released;
  });
  assert.deepEqual(await counts(), expected);
  assert.match(textOf(await complete(server)), /Paris/);
}

describe('a client that leaves', () => {
  before(async () => {
    server = await narrowServer();
  });

  it('in the middle of a stream', async () => {
    const start = await counts();
    const stream = await openStream(server);
    stream.leave();
    await checkFreed(start);
  });

  it('while its answer is made as a whole', async () => {
    const start = await counts();
    const request = begin();
    await untilLoad(server, 1, 0);
    await request.leave();
    await checkFreed(start);
  });

  it('during the prefill, before the first byte of a stream', async () => {
    const start = await counts();
    const messages = [{ role: 'user', content: 'one two three four '.repeat(200) }];
    const request = begin({ stream: true, messages, max_tokens: 50 });
    // A long prompt is computed in steps, and a step says only at its end that it runs.
    await waitUntil('the request to be there', async () => {
      const running = await metric(server, 'parlance_requests_running');
      return running + (await metric(server, 'parlance_requests_waiting')) === 1;
    });
    await request.leave();
    await checkFreed(start);
  });

  it('while it waits in the queue, and the running one goes on', async () => {
    const start = await counts();
    const stream = await openStream(server, { max_tokens: 400 });
    const queued = begin({ stream: true });
    await untilLoad(server, 1, 1);
    await queued.leave();
    await untilLoad(server, 1, 0);
    assert.match(await stream.rest(), /"finish_reason":"length"/);
    await checkFreed(start);
  });

  it('all of them at once', async () => {
    const start = await counts();
    const requests = [begin(), begin({ stream: true }), begin({ n: 2 })];
    await waitUntil('all to be there', async () => {
      const running = await metric(server, 'parlance_requests_running');
      return running + (await metric(server, 'parlance_requests_waiting')) === 3;
    });
    for (const request of requests) await request.leave();
    await untilLoad(server, 0, 0);
    await waitUntil(
      'three cancels to be counted',
      async () => (await counts()).cancelled === start.cancelled + 3,
    );
    assert.match(textOf(await complete(server)), /Paris/);
  });
});
