/** A small script stands in for the server; what counts is the agreement between the two. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import { withFolder } from '../testing/run-cli.ts';
import { startOwnServer } from './own-server.ts';

const signal = new AbortController().signal;

/** Runs `work` with the path of a script with this text. */
async function withScript<T>(text: string, work: (script: string) => Promise<T>): Promise<T> {
  return await withFolder(async (folder) => {
    const script = join(folder, 'server.mjs');
    await writeFile(script, text);
    return await work(script);
  });
}

const server = `
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
const answer = { args: process.argv.slice(2), starter: process.env.PARLANCE_STARTER };
const server = createServer((request, response) => response.end(JSON.stringify(answer)));
server.listen(0, '127.0.0.1', () => {
  const line = JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port + '/' });
  writeSync(Number(process.env.PARLANCE_READY_FD), line + '\\n');
});
process.on('SIGTERM', () => process.exit(0));
`;

test('waits for the address, and stopping ends the process', async () => {
  await withScript(server, async (script) => {
    const own = await startOwnServer({ args: ['--model', 'm'], env: process.env, signal, script });
    const said = (await (await fetch(own.url)).json()) as Record<string, unknown>;
    assert.deepEqual(said, {
      args: ['serve', '--port', '0', '--model', 'm'],
      starter: String(process.pid),
    });
    await own.stop();
    await assert.rejects(fetch(own.url));
  });
});

test('a server that does not come up: its last words', async () => {
  await withScript('console.error("parlance: no room."); process.exit(1);', async (script) => {
    await assert.rejects(startOwnServer({ args: [], env: {}, signal, script }), (error) => {
      assert.ok(error instanceof ParlanceError);
      assert.match(error.message, /could not be started for this chat\.\nparlance: no room\.$/);
      return true;
    });
  });
});

test('giving up while it starts ends the process', async () => {
  await withScript('setInterval(() => {}, 1000);', async (script) => {
    const controller = new AbortController();
    const started = startOwnServer({ args: [], env: {}, signal: controller.signal, script });
    controller.abort(new Error('enough'));
    await assert.rejects(started, /enough/);
  });
});
