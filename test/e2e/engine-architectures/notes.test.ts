import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startEngine, type Engine } from '../../../src/engine/index.ts';
import { writeTinyModel, type TinyArchitecture } from '../../support/tiny-models/index.ts';
import { ask, chat, run, tightOptions } from './run-engine.ts';

describe('what an engine leaves out, its operator is told', () => {
  let folder: string;
  const faults: string[] = [];
  const fileOf = (architecture: TinyArchitecture): string => join(folder, `${architecture}.gguf`);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-notes-'));
    for (const architecture of ['llama', 'mamba'] as const) {
      writeTinyModel(fileOf(architecture), { architecture });
    }
  });

  after(() => rmSync(folder, { recursive: true }));

  async function withEngine(
    start: Partial<Parameters<typeof startEngine>[0]>,
    use: (engine: Engine) => void | Promise<void>,
  ): Promise<void> {
    const engine = await startEngine({
      path: fileOf('llama'),
      options: tightOptions,
      onFault: (message) => faults.push(message),
      ...start,
    });
    try {
      await use(engine);
    } finally {
      await engine.stop();
    }
  }

  test('a draft model beside a recurrent model', async () => {
    await withEngine({ path: fileOf('mamba'), draft: fileOf('llama') }, ({ info }) => {
      assert.equal(info.notes.length, 1);
      assert.match(String(info.notes[0]), /recurrent .* draft model is not used/);
    });
  });

  test('a draft model that fits is no news', async () => {
    await withEngine({ draft: fileOf('llama') }, ({ info }) => assert.deepEqual(info.notes, []));
  });

  test('a folder for prefixes that is none, and requests go on', async () => {
    const prefixCacheDir = join(folder, 'file');
    writeFileSync(prefixCacheDir, '');
    await withEngine({ options: { ...tightOptions, prefixCacheDir } }, async (engine) => {
      const { notes } = engine.info;
      assert.equal(notes.length, 1);
      assert.match(String(notes[0]), /^Prefixes are not kept on disk: cannot use .*\/file: /);
      assert.deepEqual(faults, notes);
      assert.equal((await run(engine, ask(chat('Who is it?'), {}))).choices.length, 1);
    });
  });
});
