/** The engine is killed under running requests; the server stays, and the next request is answered. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  checkErrorShape,
  complete,
  errorOf,
  payloadsOf,
  post,
  textOf,
  type WireError,
} from '../support/ask.ts';
import { untilLoad } from '../support/load.ts';
import { endless, openStream } from '../support/open-stream.ts';
import { enginesOf, isAlive } from '../support/process-tree.ts';
import { modelFileName, startServer, type ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;

/** kill -9, as the kernel does it when memory runs out. */
function killEngine(): number {
  const [engine, ...others] = enginesOf(server.pid);
  assert.ok(engine !== undefined && others.length === 0);
  process.kill(engine, 'SIGKILL');
  return engine;
}

async function checkBack(killed: number): Promise<void> {
  assert.match(textOf(await complete(server)), /Paris/);
  assert.ok(isAlive(server.pid));
  const [engine] = enginesOf(server.pid);
  assert.ok(engine !== undefined && engine !== killed);
}

describe('an engine that is killed', () => {
  before(async () => {
    server = await startServer({ args: ['--context', '1024', '--slots', '2'] });
  });

  after(async () => {
    await server.stop();
  });

  it('in the middle of a stream: an error event, then the end, no [DONE]', async () => {
    const stream = await openStream(server);
    const killed = killEngine();
    const payloads = payloadsOf(await stream.rest());
    assert.ok(!payloads.includes('[DONE]'));
    const { error } = JSON.parse(payloads.at(-1) ?? '') as { error: WireError };
    checkErrorShape(error);
    assert.deepEqual([error.reason, error.code], ['engine_failed', 500]);
    assert.ok(payloads.slice(0, -1).every((payload) => !payload.includes('"error"')));
    await checkBack(killed);
  });

  it('under answers as a whole: 500 for the running and the waiting ones', async () => {
    const body = chatBody(endless);
    const pending = [1, 2, 3].map(() => post(chatUrl(server), body));
    await untilLoad(server, 2, 1);
    const killed = killEngine();
    for (const reply of await Promise.all(pending)) {
      const error = errorOf(reply);
      assert.deepEqual([error.code, error.reason], [500, 'engine_failed']);
    }
    await untilLoad(server, 0, 0);
    await checkBack(killed);
  });

  it('after its model’s file was deleted: it still answers', async () => {
    rmSync(join(server.home, 'models', modelFileName));
    assert.match(textOf(await complete(server)), /Paris/);
    await checkBack(killEngine());
  });
});
