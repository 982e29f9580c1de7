/** Keys on a running server: from the first one on every request needs one, with the right for it. */

import assert from 'node:assert/strict';
import OpenAI, { AuthenticationError } from 'openai';
import { after, before, describe, it } from 'node:test';
import { chatBody, chatUrl, errorOf, get, post, type Headers } from '../support/ask.ts';
import { runCommand } from '../support/run-command.ts';
import {
  cleanEnv,
  mainScript,
  startServer,
  type ServerProcess,
} from '../support/server-process.ts';

let server: ServerProcess;

async function keys(...args: string[]): Promise<string> {
  const all = [mainScript, 'keys', ...args, '--home', server.home];
  const options = { cwd: server.home, env: cleanEnv(), timeoutMs: 30_000 };
  const { code, output } = await runCommand(process.execPath, all, options);
  assert.equal(code, 0, output);
  return output;
}

async function createKey(name: string, ...rights: string[]): Promise<string> {
  const output = await keys('create', '--name', name, ...rights, '--json');
  return (JSON.parse(output) as { key: string }).key;
}

const ask = (headers: Headers = {}) =>
  post(chatUrl(server), chatBody({ max_tokens: 1 }), { headers });

describe('keys', () => {
  before(async () => {
    server = await startServer({ args: ['--context', '512', '--slots', '1'] });
  });

  after(async () => {
    await server.stop();
  });

  it('nobody needs one while there is none', async () => {
    assert.equal((await ask()).status, 200);
    assert.equal((await ask({ authorization: 'Bearer anything' })).status, 200);
  });

  it('from the first one on: 401 without, 403 without the right, and both schemes work', async () => {
    const key = await createKey('laptop');
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: key }]) {
      const error = errorOf(await ask(headers));
      assert.deepEqual([error.code, error.type], [401, 'authentication_error']);
      assert.ok(!error.message.includes(key));
    }
    assert.equal((await ask({ authorization: `Bearer ${key}` })).status, 200);
    assert.equal((await ask({ authorization: `Api-Key ${key}` })).status, 200);
    const deploy = errorOf(await get(`${server.url}/deploy`, { authorization: `Bearer ${key}` }));
    assert.deepEqual([deploy.code, deploy.reason], [403, 'forbidden']);
    assert.match(deploy.message, /deploy/);
    const admin = await createKey('boss', '--admin');
    assert.equal(
      (await get(`${server.url}/deploy`, { authorization: `Bearer ${admin}` })).status,
      200,
    );
  });

  it('every route asks for one but /health', async () => {
    assert.equal((await get(`${server.url}/health`)).status, 200);
    for (const path of ['/', '/v1/models', '/metrics', '/deploy', '/openapi.json', '/nothing']) {
      const { status } = await get(`${server.url}${path}`);
      assert.equal(status, path === '/nothing' ? status : 401, path);
    }
  });

  it('the official client sees AuthenticationError', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    await assert.rejects(client.models.list(), AuthenticationError);
  });

  it('a deleted key counts no more, and lists show none', async () => {
    const key = await createKey('short-lived');
    assert.equal((await ask({ authorization: `Bearer ${key}` })).status, 200);
    assert.ok(!(await keys('list')).includes(key));
    await keys('delete', 'short-lived');
    assert.equal((await ask({ authorization: `Bearer ${key}` })).status, 401);
  });
});
