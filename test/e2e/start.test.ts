/** Starting and stopping the real server, as a user and as a service manager do it. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  errorOf,
  get,
  jsonOf,
  payloadsOf,
  post,
  type Completion,
} from '../support/ask.ts';
import { finishedText, openStream } from '../support/open-stream.ts';
import { enginesOf, isAlive, treeOf } from '../support/process-tree.ts';
import { runCommand } from '../support/run-command.ts';
import {
  cleanEnv,
  linkModel,
  makeHome,
  root,
  spawnServer,
  startServer,
  type ServerOptions,
  type ServerProcess,
} from '../support/server-process.ts';
import { waitUntil, within } from '../support/wait-until.ts';

const curl = spawnSync('curl', ['--version']).status === 0;
const small = ['--context', '1024', '--slots', '2'] as const;

let home: string;

/** A server on the common home; whatever the test does, it is gone afterwards. */
async function withServer(
  use: (server: ServerProcess) => Promise<void>,
  options: ServerOptions = {},
): Promise<void> {
  const server = await startServer({ home, ...options, args: [...small, ...(options.args ?? [])] });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const gone = (pids: readonly number[]): Promise<unknown> =>
  waitUntil('all processes to end', () => !pids.some(isAlive));

describe('the start and the end of a server', () => {
  before(() => {
    home = makeHome();
  });

  after(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it('prints one screen, and the curl line on it works as printed', async (t) => {
    if (!curl) {
      t.skip('NO CURL on this machine: the printed line was not tried');
      return;
    }
    await withServer(async (server) => {
      assert.ok(server.stdout().includes(server.url));
      const line = /curl .*/.exec(server.stdout())?.[0] ?? '';
      assert.ok(line.includes(`${server.url}/v1/chat/completions`), server.stdout());
      const { code, output } = await runCommand('sh', ['-c', line], {
        cwd: home,
        timeoutMs: 60_000,
      });
      assert.equal(code, 0, output);
      const answer = JSON.parse(output) as Completion;
      assert.match(answer.choices[0]?.message.content ?? '', /Paris/);
    });
  });

  it('listens on the port it is told, and is not healthy before its model is', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { child, ended } = spawnServer(home, { args: [...small, '--port', String(port)] });
    const seen: number[] = [];
    try {
      await waitUntil(
        'the server to be healthy',
        async () => {
          const reply = await get(`${url}/health`).catch(() => null);
          if (reply === null) return false;
          if (seen.at(-1) !== reply.status) seen.push(reply.status);
          if (reply.status !== 503) return true;
          const chat = await post(chatUrl({ url }), chatBody({ max_tokens: 1 }));
          if (chat.status === 200) return false;
          assert.equal(errorOf(chat).reason, 'model_loading');
          assert.match(chat.headers['retry-after'] ?? '', /^\d+$/);
          return false;
        },
        60_000,
      );
      assert.deepEqual(seen, [503, 200]);
    } finally {
      child.kill('SIGTERM');
      assert.equal((await within('the end', ended)).code, 0);
    }
  });

  it('serves a file under its stem', async () => {
    const file = join(home, 'my-own model.gguf');
    linkModel(file);
    await withServer(
      async (server) => {
        const models = jsonOf<{ data: { id: string }[] }>(await get(`${server.url}/v1/models`));
        assert.deepEqual(
          models.data.map(({ id }) => id),
          ['my-own-model'],
        );
        const reply = await post(chatUrl(server), chatBody({ model: 'my-own-model' }));
        assert.match(reply.text, /Paris/);
      },
      { args: ['--model', file] },
    );
  });

  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    it(`${name}: a running stream finishes, then everything ends with code 0`, async () => {
      await withServer(async (server) => {
        const processes = treeOf(server.pid);
        assert.equal(enginesOf(server.pid).length, 1);
        const stream = await openStream(server, { max_tokens: 80 });
        server.signal(name);
        const text = await stream.rest();
        assert.match(finishedText(text), /\w/);
        assert.match(text, /"finish_reason":"length"/);
        assert.deepEqual(await within('the end', server.ended), { code: 0, signal: null });
        await gone(processes);
      });
    });
  }

  it('a second Ctrl-C ends what runs at once', async () => {
    await withServer(async (server) => {
      const processes = treeOf(server.pid);
      const stream = await openStream(server);
      let over = false;
      const noticed = server.ended.finally(() => {
        over = true;
      });
      // Signals that come together are one wish, so it takes more than one to be the second.
      await waitUntil('the end', () => {
        if (!over) server.signal('SIGINT');
        return over;
      });
      await noticed;
      const text = await stream.rest().catch(() => '');
      assert.ok(!payloadsOf(text).includes('[DONE]'));
      await gone(processes);
    });
  });

  it('drains when its starter is gone', async () => {
    const wrapper = ['sh', '-c', 'PARLANCE_STARTER=$$ "$@" & wait', 'starter'];
    await withServer(
      async (server) => {
        const processes = treeOf(server.pid);
        assert.equal(processes.length, 3);
        const stream = await openStream(server, { max_tokens: 80 });
        process.kill(server.pid, 'SIGKILL');
        assert.match(await stream.rest(), /"finish_reason":"length"[^]*\[DONE\]/);
        await gone(processes);
      },
      { wrapper },
    );
  });

  it('is killed outright, and its engine ends too', async () => {
    await withServer(async (server) => {
      const processes = treeOf(server.pid);
      server.signal('SIGKILL');
      await gone(processes);
    });
    // What it left behind does not keep the next one from starting.
    await withServer(async (server) => {
      assert.equal((await get(`${server.url}/health`)).status, 200);
    });
  });

  it('refuses a second server on the same home folder by name', async () => {
    await withServer(async (server) => {
      const second = spawnServer(home, { args: [...small] });
      const { code } = await within('the second server to end', second.ended);
      assert.equal(code, 1);
      assert.match(second.stderr(), new RegExp(`pid ${server.pid}\\b`));
      assert.ok(second.stderr().includes(server.url));
      assert.doesNotMatch(second.stderr(), /SQLITE|\n\s+at /);
      assert.equal((await get(`${server.url}/health`)).status, 200);
    });
  });

  it('refuses an address that others can reach while no key exists', async () => {
    const server = spawnServer(home, { args: ['--host', '0.0.0.0'] });
    const { code } = await within('the server to end', server.ended);
    assert.notEqual(code, 0);
    assert.match(server.stderr(), /parlance keys create/);
    assert.equal(server.stdout(), '');
  });

  it('npm start: one Ctrl-C to the whole group leaves no process behind', async () => {
    const child = spawn('npm', ['start', '--', '--port', '0', '--home', home, ...small], {
      cwd: root,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const pid = child.pid ?? 0;
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk;
    });
    const exit = once(child, 'exit');
    let processes: number[] = [pid];
    try {
      const url = await waitUntil(
        'the start screen',
        () => /answers at (http:\S+)/.exec(screen)?.[1],
        60_000,
      );
      assert.equal((await get(`${url}/health`)).status, 200);
      processes = treeOf(pid);
      assert.equal(enginesOf(pid).length, 1);
      process.kill(-pid, 'SIGINT');
      await within('npm to end', exit);
      await gone(processes);
    } finally {
      for (const one of processes.filter(isAlive)) process.kill(one, 'SIGKILL');
    }
  });
});
