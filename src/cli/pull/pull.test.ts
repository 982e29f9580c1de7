/** What a pull says of the try with Q8_0 weights. Nothing is fetched, rewritten or measured. */

import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { tinyModel, toGguf } from '../../../test/support/gguf-writer.ts';
import type { RequantiseResult } from '../../models/index.ts';
import { runHere, withFolder } from '../testing/run-cli.ts';
import { describeResult, describeStep, toReport } from './requantise-report.ts';

type Tried = Exclude<RequantiseResult, { outcome: 'skipped' }>;

const faster: Tried = {
  outcome: 'faster',
  path: '/home/models/a.requantised-Q8_0.gguf',
  seconds: 4.06,
  verdict: {
    version: 1,
    source: { bytes: 98_400_000, modifiedMs: 1 },
    machine: 'this one',
    faster: true,
    from: 'Q4_1',
    to: 'Q8_0',
    speeds: { from: { prefill: 300, decode: 100 }, to: { prefill: 600, decode: 99 } },
    targetBytes: 144_800_000,
    at: '2026-01-01T00:00:00.000Z',
  },
};

describe('the words', () => {
  test('for what is kept: figures, time, file and size', () => {
    assert.equal(
      describeResult(faster),
      'Q4_1 to Q8_0: prompts 300 to 600 tokens/s (2.00x), text 100 to 99 tokens/s (0.99x); 4.1 s\n' +
        'Q8_0 is served from now on: a.requantised-Q8_0.gguf (144.8 MB)',
    );
  });

  test('for what is not, and what was known before', () => {
    const words = describeResult({ ...faster, outcome: 'not-faster', path: null, seconds: null });
    assert.match(
      words,
      /; measured before\nQ8_0 is not kept: it takes 1\.25x .* Q4_1 is served\.$/,
    );
    assert.equal(
      describeResult({ outcome: 'skipped', why: 'it is Q8_0 already' }),
      'No Q8_0 form was tried: it is Q8_0 already.',
    );
  });

  test('for what is going on', () => {
    const sizes = { from: 'Q4_1', fromBytes: 98_400_000, toBytes: 144_800_000 };
    const words = describeStep({ step: 'rewriting', ...sizes });
    assert.match(words, /rewriting Q4_1 \(98\.4 MB\) as Q8_0 \(about 144\.8 MB\)/);
    assert.equal(describeStep({ step: 'measuring', from: 'Q4_1' }), 'Measuring Q4_1 and Q8_0 ...');
  });

  test('for programs', () => {
    assert.deepEqual(toReport(faster), {
      outcome: 'faster',
      from: 'Q4_1',
      to: 'Q8_0',
      path: '/home/models/a.requantised-Q8_0.gguf',
      bytes: 144_800_000,
      seconds: 4.06,
      speeds: faster.verdict.speeds,
    });
    assert.equal(toReport(null), null);
  });
});

describe('the command', () => {
  async function withModel(work: (home: string, models: string) => Promise<void>): Promise<void> {
    await withFolder(async (home) => {
      const models = join(home, 'models');
      await mkdir(models);
      await writeFile(join(models, 'mine.gguf'), toGguf(tinyModel()));
      await work(home, models);
      assert.deepEqual(await readdir(models), ['mine.gguf']);
    });
  }
  const skipOf = (stdout: string): unknown =>
    (JSON.parse(stdout) as { requantise: unknown }).requantise;

  test('says why nothing was tried', async () => {
    await withModel(async (home) => {
      const { code, stdout } = await runHere(['pull', 'mine', '--home', home]);
      assert.equal(code, 0);
      assert.match(
        stdout,
        /^mine was there already: .*\nNo Q8_0 form was tried: it has F32 tensors/,
      );
    });
  });

  test('leaves it out where it is not wanted', async () => {
    await withModel(async (home) => {
      const pull = ['pull', 'mine', '--json', '--home', home];
      const tried = await runHere(pull);
      assert.match(JSON.stringify(skipOf(tried.stdout)), /"outcome":"skipped".*F32/);
      const unwanted = await runHere([...pull, '--no-requantise']);
      assert.equal(skipOf(unwanted.stdout), null);
      const off = await runHere(pull, { env: { PARLANCE_REQUANTISE: 'off' } });
      assert.equal(skipOf(off.stdout), null);
    });
  });

  test('puts nothing beside a file that was named by its path', async () => {
    await withModel(async (home, models) => {
      const { stdout } = await runHere(['pull', join(models, 'mine.gguf'), '--home', home]);
      assert.match(stdout, /No Q8_0 form was tried: a file that is named by its path/);
    });
  });
});
