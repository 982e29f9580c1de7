/** `parlance models` and `parlance pull` on a temporary home folder; nothing is fetched. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { toGguf, tinyModel } from '../../../test/support/gguf-writer.ts';
import { catalogue } from '../../models/index.ts';
import { withFakeServer } from '../testing/fake-server.ts';
import { runHere, startChild, withFolder } from '../testing/run-cli.ts';

async function withModels<T>(
  files: Readonly<Record<string, Uint8Array>>,
  work: (home: string) => Promise<T>,
): Promise<T> {
  return await withFolder(async (home) => {
    await mkdir(join(home, 'models'));
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(home, 'models', name), bytes);
    }
    return await work(home);
  });
}

const sound = toGguf(tinyModel({ 'general.license': { type: 'string', value: 'mit' } }));

test('the table has what is here first, then the rest of the catalogue', async () => {
  await withModels({ 'mine.gguf': sound }, async (home) => {
    const { code, stdout, stderr } = await startChild(['models', '--home', home]).ended;
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const [titles, first, ...rest] = stdout.trimEnd().split('\n');
    assert.match(titles ?? '', /^NAME +SIZE +QUANT +CONTEXT +LICENCE +WHERE$/);
    assert.match(first ?? '', /^mine .* mit .*mine\.gguf$/);
    assert.equal(rest.length, catalogue.length);
    assert.match(
      rest[0] ?? '',
      /^smollm2-135m +98\.4 MB +Q4_1 .*Apache-2\.0 +parlance pull smollm2-135m$/,
    );
  });
});

test('--json has the same lines, null where nothing is known', async () => {
  await withModels({ 'mine.gguf': sound }, async (home) => {
    const { stdout } = await runHere(['models', '--json'], { env: { PARLANCE_HOME: home } });
    const lines = JSON.parse(stdout) as Record<string, unknown>[];
    assert.equal(lines.length, catalogue.length + 1);
    const { name, installed, bytes, path, problem } = lines[0] ?? {};
    assert.deepEqual([name, installed, bytes], ['mine', true, sound.length]);
    assert.deepEqual([path, problem], [join(home, 'models', 'mine.gguf'), null]);
    assert.deepEqual([lines[1]?.['installed'], lines[1]?.['path']], [false, null]);
  });
});

test('a broken file is a line of the list and a word on stderr, not a failure', async () => {
  await withModels({ 'broken.gguf': sound.subarray(0, 40) }, async (home) => {
    const { code, stdout, stderr } = await runHere(['models', '--home', home]);
    assert.equal(code, 0);
    assert.match(stdout, /^broken +- /m);
    assert.match(stderr, /^broken: .*broken\.gguf /);
  });
});

test('pull says where a model lies that is there already', async () => {
  await withModels({ 'mine.gguf': sound }, async (home) => {
    const { code, stdout } = await runHere(['pull', 'mine', '--home', home]);
    assert.equal(code, 0);
    assert.equal(stdout.includes(join(home, 'models', 'mine.gguf')), true);
    const json = await runHere(['pull', 'mine', '--home', home, '--json']);
    const { name, fetched } = JSON.parse(json.stdout) as { name: string; fetched: boolean };
    assert.deepEqual([name, fetched], ['mine', false]);
  });
});

test('pull of an unknown name fails with the names there are', async () => {
  await withFolder(async (home) => {
    const { code, stdout, stderr } = await runHere(['pull', 'nope', '--home', home]);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^parlance: No model is named "nope".*smollm2-135m/);
  });
});

test('Ctrl-C ends a pull with 130, without a word', async () => {
  const { repo, revision, file } = catalogue[0]?.huggingFace ?? {};
  const asked = Promise.withResolvers<void>();
  const handlers = { [`HEAD /${repo}/resolve/${revision}/${file}`]: () => asked.resolve() };
  await withFolder(async (home) => {
    await withFakeServer(handlers, async ({ url }) => {
      const args = ['pull', 'smollm2-135m', '--home', home];
      const { child, ended } = startChild(args, { env: { HF_ENDPOINT: url } });
      await asked.promise;
      child.kill('SIGINT');
      const { code, stdout, stderr } = await ended;
      assert.deepEqual([code, stdout], [130, '']);
      assert.doesNotMatch(stderr, /parlance:/);
    });
  });
});
