import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ParlanceError } from '../../../src/contract/errors.ts';
import { startEngine, type Engine } from '../../../src/engine/index.ts';
import {
  brokenAdapters,
  tinyShape,
  writeTinyAdapter,
  writeTinyModel,
} from '../../support/tiny-models/index.ts';
import { ask, chat, run, runAlone, runTogether, tightOptions } from './run-engine.ts';

const hasReason =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ParlanceError && error.reason === reason && error.message.length > 20;

describe('the engine with adapters for a tiny llama', () => {
  const base = tinyShape({ architecture: 'llama' });
  let folder: string;
  let engine: Engine;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-adapters-'));
    const path = writeTinyModel(join(folder, 'model.gguf'), { architecture: 'llama' });
    engine = await startEngine({ path, options: tightOptions });
    for (const seed of [1, 2]) {
      const adapter = writeTinyAdapter(join(folder, `adapter-${seed}.gguf`), {
        base,
        seed,
        weights: 'q8_0',
      });
      await engine.loadAdapter(`adapter-${seed}`, adapter);
    }
  });

  after(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  /** The same questions to the base and to both adapters. */
  const requests = ['What is it?', 'Who are you?', 'Why?'].flatMap((question) =>
    [null, 'adapter-1', 'adapter-2'].map((adapter) =>
      ask(chat(`The cat sat on the mat and it was good. ${question}`), {}, { adapter }),
    ),
  );

  test('each gives texts of its own, and together the same as alone', async () => {
    const alone = await runAlone(engine, requests);
    const texts = alone.map(({ choices }) => choices[0]?.text);
    assert.equal(new Set(texts).size, requests.length);
    const choices = alone.map((answers) => answers.choices);
    for (let round = 0; round < 3; round += 1) {
      const together = await runTogether(engine, requests);
      assert.deepEqual(
        together.map((answers) => answers.choices),
        choices,
      );
    }
  });

  test('what one left is of no use to another', async () => {
    const salted = requests.slice(0, 3).map((request) => ({ ...request, cacheSalt: 'crossing' }));
    for (const request of salted) assert.equal((await run(engine, request)).cachedTokens, 0);
    for (const request of salted) assert.ok((await run(engine, request)).cachedTokens > 0);
  });

  test('a broken one is refused with a reason, and the engine lives on', async () => {
    const { pid } = engine;
    for (const broken of brokenAdapters) {
      const path = writeTinyAdapter(join(folder, `${broken}.gguf`), { base, broken });
      await assert.rejects(
        engine.loadAdapter(broken, path),
        hasReason('invalid_adapter'),
        `${broken} was taken`,
      );
    }
    const other = writeTinyAdapter(join(folder, 'other-model.gguf'), {
      base: tinyShape({ architecture: 'llama', headSize: 64 }),
    });
    await assert.rejects(engine.loadAdapter('other-model', other), hasReason('invalid_adapter'));
    await assert.rejects(
      engine.loadAdapter('nowhere', join(folder, 'nowhere.gguf')),
      hasReason('invalid_adapter'),
    );
    assert.equal(engine.pid, pid);
    await run(engine, ask(chat('What is it?')));
  });

  test('an adapter that was taken away is unknown, and comes back', async () => {
    const request = ask(chat('Why?'), {}, { adapter: 'adapter-2' });
    const before = await run(engine, request);
    await engine.unloadAdapter('adapter-2');
    await assert.rejects(run(engine, request), ParlanceError);
    await engine.loadAdapter('adapter-2', join(folder, 'adapter-2.gguf'));
    assert.deepEqual((await run(engine, request)).choices, before.choices);
  });

  test('one in F32 is of use too', async () => {
    const path = writeTinyAdapter(join(folder, 'floats.gguf'), { base, rank: 3 });
    await engine.loadAdapter('floats', path);
    const [plain, adapted] = await runTogether(
      engine,
      [null, 'floats'].map((adapter) => ask(chat('What is it?'), {}, { adapter })),
    );
    assert.equal(adapted?.choices[0]?.tokens, 24);
    assert.notEqual(adapted.choices[0].text, plain?.choices[0]?.text);
  });
});
