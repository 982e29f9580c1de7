/** Rewriting and measuring the real model in child processes. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { readModelMetadata } from '../../models/index.ts';
import { measureWeights, quantiseWeights } from './requantise.ts';

const never = new AbortController().signal;
const q8 = 8;

describe('weights of the default model', () => {
  let source = '';
  let folder = '';
  before(() => {
    const path = process.env['PARLANCE_TEST_MODEL'];
    assert.ok(path, 'set PARLANCE_TEST_MODEL to the file of the default model');
    source = path;
    folder = mkdtempSync(join(tmpdir(), 'parlance-quantise-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  test('are the same model in Q8_0, and both can be measured', async () => {
    const target = join(folder, 'weights');
    await quantiseWeights(source, target, never);
    const [before, rewritten] = await Promise.all([
      readModelMetadata(source),
      readModelMetadata(target),
    ]);
    assert.deepEqual([...rewritten.matrixWeights.keys()], [q8]);
    const changed = { quantisation: 'Q8_0', fileBytes: 0, matrixWeights: new Map() };
    assert.deepEqual(
      { ...rewritten, ...changed },
      { ...before, ...changed },
      'only the kind of the numbers changes',
    );
    assert.ok(rewritten.fileBytes > before.fileBytes);
    const speeds = await measureWeights([source, target], never);
    assert.equal(speeds.length, 2);
    // On a machine that others keep busy there is no figure.
    for (const speed of speeds.filter((one) => one !== null)) {
      assert.ok(speed.prefill > 0 && speed.decode > 0, JSON.stringify(speed));
    }
  });

  test('that are no weights are refused in the library’s words', async () => {
    const broken = join(folder, 'broken.gguf');
    writeFileSync(broken, 'no weights at all');
    await assert.rejects(quantiseWeights(broken, join(folder, 'out'), never), {
      reason: 'engine_failed',
      message: /could not rewrite the weights: .*GGUF/,
    });
    await assert.rejects(measureWeights([broken], never), { reason: 'engine_failed' });
  });

  test('are left alone when nobody wants them any more', async () => {
    const controller = new AbortController();
    const work = quantiseWeights(source, join(folder, 'aborted'), controller.signal);
    controller.abort(new Error('enough'));
    await assert.rejects(work, /enough/);
    await assert.rejects(measureWeights([source], controller.signal), /enough/);
  });
});
