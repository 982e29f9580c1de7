/** `parlance chat` as it is typed, against a fake server: pipes, arguments, errors, Ctrl-C. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  always,
  beginStream,
  chunkOf,
  errorOf,
  sendJson,
  streamOf,
  withFakeServer,
  type Asked,
  type Handlers,
} from '../testing/fake-server.ts';
import { runHere, startChild } from '../testing/run-cli.ts';

const healthy: Handlers = {
  'GET /health': always(200, { status: 'ok' }),
  'GET /v1/models': always(200, { object: 'list', data: [{ id: 'first' }, { id: 'second' }] }),
};
const answering: Handlers = { ...healthy, 'POST /v1/chat/completions': streamOf(['Hel', 'lo.']) };

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [parameter: string]: unknown;
}

function questionOf(asked: readonly Asked[]): ChatBody {
  return asked.find(({ method }) => method === 'POST')?.body as ChatBody;
}

describe('one message', () => {
  test('from a pipe: the answer alone on stdout, nothing on stderr', async () => {
    await withFakeServer(answering, async ({ url, asked }) => {
      const { ended } = startChild(['chat', '--url', url], { stdin: 'hi\nthere\n' });
      assert.deepEqual(await ended, { code: 0, stdout: 'Hello.\n', stderr: '' });
      const { model, messages } = questionOf(asked);
      assert.equal(model, 'first');
      assert.deepEqual(messages, [{ role: 'user', content: 'hi\nthere' }]);
    });
  });

  test('as an argument, with parameters, a system message and a key', async () => {
    await withFakeServer(answering, async ({ url, asked }) => {
      const sampling = '--temperature 0.5 --top-p 0.9 --top-k 40 --max-tokens 7';
      const seed = ['--seed', '9007199254740993'];
      const flags = ['--model', 'big', '--system', 'Be brief.', ...sampling.split(' '), ...seed];
      const env = { PARLANCE_API_KEY: 'sk-env' };
      const { stdout } = await runHere(['chat', 'hi', '--url', `${url}/v1/`, ...flags], { env });
      assert.equal(stdout, 'Hello.\n');
      const { model, messages, ...parameters } = questionOf(asked);
      assert.equal(model, 'big');
      assert.deepEqual(messages, [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ]);
      assert.deepEqual(parameters, {
        stream: true,
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        max_tokens: 7,
        seed: 9_007_199_254_740_993n,
      });
      assert.equal(asked.at(-1)?.authorization, 'Bearer sk-env');
    });
  });

  test('--key goes before the variable', async () => {
    await withFakeServer(answering, async ({ url, asked }) => {
      const env = { PARLANCE_API_KEY: 'sk-env' };
      await runHere(['chat', 'hi', '--url', url, '--key', 'sk-flag'], { env });
      assert.equal(asked.at(-1)?.authorization, 'Bearer sk-flag');
    });
  });

  test('the answer of a model that is still loading is waited for', async () => {
    let looks = 0;
    const loading: Handlers = {
      ...answering,
      'GET /health': ({ response }) => {
        looks += 1;
        const ready = looks > 2;
        sendJson(response, ready ? 200 : 503, { status: ready ? 'ok' : 'starting' });
      },
    };
    await withFakeServer(loading, async ({ url }) => {
      const { code, stdout, stderr } = await runHere(['chat', 'hi', '--url', url]);
      assert.deepEqual([code, stdout], [0, 'Hello.\n']);
      assert.match(stderr, /waiting for the model/);
    });
  });
});

describe('what goes wrong', () => {
  test('an error of the server is its message and exit code 1', async () => {
    const handlers: Handlers = {
      ...healthy,
      'POST /v1/chat/completions': always(401, errorOf('unauthenticated', 'No API key was sent.')),
    };
    await withFakeServer(handlers, async ({ url }) => {
      const ran = await runHere(['chat', 'hi', '--url', url]);
      assert.deepEqual(ran, { code: 1, stdout: '', stderr: 'parlance: No API key was sent.\n' });
    });
  });

  test('an answer that breaks off is a failure, and what came is kept', async () => {
    const handlers: Handlers = {
      ...healthy,
      'POST /v1/chat/completions': ({ response }) => {
        beginStream(response);
        response.end(chunkOf({ content: 'Hel' }));
      },
    };
    await withFakeServer(handlers, async ({ url }) => {
      const { code, stdout, stderr } = await runHere(['chat', 'hi', '--url', url]);
      assert.deepEqual([code, stdout], [1, 'Hel']);
      assert.match(stderr, /broke off/);
    });
  });

  test('a server without a model, with what would work', async () => {
    const empty: Handlers = { ...healthy, 'GET /v1/models': always(200, { data: [] }) };
    await withFakeServer(empty, async ({ url }) => {
      const { code, stderr } = await runHere(['chat', 'hi', '--url', url]);
      assert.equal(code, 1);
      assert.match(stderr, /no model yet.*parlance deploy NAME --model/);
    });
  });

  test('nothing answers at --url: no server is started', async () => {
    // A port that was just given back is free.
    const url = await withFakeServer({}, async (server) => await Promise.resolve(server.url));
    const { code, stdout, stderr } = await runHere(['chat', 'hi', '--url', url]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`^parlance: No server answers at ${url}\\. Start one`));
  });

  test('wrong usage: an empty pipe, a senseless number, a senseless address', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['chat'], /standard input was empty/],
      [['chat', 'hi', '--temperature', 'hot'], /--temperature: expected a number, got "hot"/],
      [['chat', 'hi', '--url', 'ftp://x'], /--url: "ftp:\/\/x" is no address/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runHere(args, { stdin: ' \n' });
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
  });

  test('Ctrl-C in a pipe closes the connection and ends with 130', async () => {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const handlers: Handlers = {
      ...healthy,
      'POST /v1/chat/completions': ({ response }) => {
        response.once('close', () => closed.resolve());
        beginStream(response);
        response.write(chunkOf({ content: 'Hel' }), () => asked.resolve());
      },
    };
    await withFakeServer(handlers, async ({ url }) => {
      const { child, ended } = startChild(['chat', 'hi', '--url', url]);
      await asked.promise;
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      assert.deepEqual([code, stderr], [130, '']);
      await closed.promise;
    });
  });
});
