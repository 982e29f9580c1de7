/** Adapters on a tiny model and the real library: what they change, and which files are refused. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  brokenAdapters,
  tinyShape,
  writeTinyAdapter,
  writeTinyModel,
} from '../../../test/support/tiny-models/index.ts';
import { ParlanceError } from '../../contract/errors.ts';
import { checkAdapterFile } from './adapter-file.ts';
import type { Decoder } from './decoder.ts';
import { openDecoder, someTokens } from './open-decoder.test-support.ts';

const model = { architecture: 'llama' } as const;
const base = tinyShape(model);
let folder = '';
let decoder: Decoder;
let tokens: number[] = [];

const isInvalid = (error: unknown): boolean =>
  error instanceof ParlanceError && error.reason === 'invalid_adapter';

const adapterFile = (name: string, options = {}): string =>
  writeTinyAdapter(join(folder, name), { base, ...options });

/** Logits after all tokens in slot 0, computed with an adapter or none. */
function logitsWith(adapter: string | null): Float32Array {
  decoder.seqRemove(0, 0);
  assert.equal(decoder.decode([{ slot: 0, position: 0, tokens, outputs: 1 }], adapter), 0);
  return decoder.logits(0, 0).slice();
}

describe('adapters', () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-adapters-'));
    decoder = openDecoder(writeTinyModel(join(folder, 'model.gguf'), model));
    tokens = someTokens(decoder, 50);
  });
  after(() => {
    decoder.close();
    rmSync(folder, { recursive: true });
  });

  test('each pass uses the adapter it names, and the base is as before afterwards', () => {
    const plain = logitsWith(null);
    decoder.loadAdapter('one', adapterFile('one.gguf'));
    decoder.loadAdapter('two', adapterFile('two.gguf', { seed: 2 }));
    const one = logitsWith('one');
    const two = logitsWith('two');
    assert.notDeepEqual(one, plain);
    assert.notDeepEqual(two, plain);
    assert.notDeepEqual(two, one);
    assert.deepEqual(logitsWith('one'), one);
    assert.deepEqual(logitsWith(null), plain);
    logitsWith('two');
    decoder.unloadAdapter('two');
    assert.deepEqual(logitsWith(null), plain);
    assert.deepEqual(logitsWith('one'), one);
    assert.throws(() => logitsWith('two'), /not loaded/);
    decoder.unloadAdapter('one');
    decoder.unloadAdapter('one');
  });

  test('a broken file, and one for another model, are refused with what is wrong', () => {
    for (const broken of brokenAdapters) {
      const path = adapterFile(`${broken}.gguf`, { broken });
      assert.throws(() => decoder.loadAdapter(broken, path), isInvalid, broken);
    }
    assert.throws(() => decoder.loadAdapter('none', join(folder, 'none.gguf')), /ENOENT/);
    assert.throws(() => decoder.loadAdapter('folder', folder), isInvalid);
    const sound = adapterFile('sound.gguf');
    decoder.loadAdapter('sound', sound);
    assert.throws(() => decoder.loadAdapter('sound', sound), /loaded already/);
    decoder.unloadAdapter('sound');
  });

  test('the words name the defect', () => {
    const wordsOf = (broken: (typeof brokenAdapters)[number]): string => {
      try {
        decoder.loadAdapter('x', adapterFile('x.gguf', { broken }));
      } catch (error) {
        return (error as Error).message;
      }
      return 'loaded';
    };
    assert.match(wordsOf('truncated'), /truncated/);
    assert.match(wordsOf('cut-header'), /ends before its header/);
    assert.match(wordsOf('half-a-pair'), /only one of the two matrices/);
    assert.match(wordsOf('other-bytes'), /no GGUF file/);
    assert.match(wordsOf('not-lora'), /another kind/);
    assert.match(wordsOf('other-architecture'), /arch/);
    assert.match(wordsOf('other-shape'), /shape/);
  });

  test('damaged bytes in the header are refused or harmless: the process lives', () => {
    const sound = readFileSync(adapterFile('damaged.gguf'));
    const path = join(folder, 'damaged.gguf');
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    let refused = 0;
    for (let round = 0; round < 200; round += 1) {
      const damaged = Buffer.from(sound);
      for (let flips = 0; flips <= random(3); flips += 1) damaged[random(1200)] = random(256);
      writeFileSync(path, damaged);
      try {
        decoder.loadAdapter('damaged', path);
        logitsWith('damaged');
        decoder.unloadAdapter('damaged');
      } catch (error) {
        assert.ok(isInvalid(error), String(error));
        refused += 1;
      }
    }
    assert.ok(refused > 50 && refused < 200, `${refused} refused`);
  });

  test('a file that is cut anywhere is refused', () => {
    const sound = readFileSync(adapterFile('cut.gguf'));
    const path = join(folder, 'cut.gguf');
    for (let length = 0; length < sound.length - 40; length += 97) {
      writeFileSync(path, sound.subarray(0, length));
      assert.throws(() => checkAdapterFile(path), isInvalid, `${length} bytes`);
    }
  });
});
