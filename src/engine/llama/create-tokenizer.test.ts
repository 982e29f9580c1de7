import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { writeTinyModel } from '../../../test/support/tiny-models/index.ts';
import { createTokenizer, cutAtSpecials } from './create-tokenizer.ts';
import { openLibrary } from './library.ts';
import { loadModel } from './llama-model.ts';

test('a text is cut before special tokens, and never behind whitespace', () => {
  const cut = (text: string) => cutAtSpecials(text, /<s>|<\/s>/, 4);
  assert.deepEqual(cut('abc<s>abcdef</s>x'), ['abc<s>abcdef', '</s>x']);
  assert.deepEqual(cut('abcdef <s>g<s>h'), ['abcdef <s>g', '<s>h']);
  assert.deepEqual(cut('<s><s><s><s>'), ['<s><s>', '<s><s>']);
  assert.deepEqual(cut('nothing to cut at'), ['nothing to cut at']);
  assert.deepEqual(cutAtSpecials('none', /(?!)/, 1), ['none']);
});

test('a long text becomes the same tokens as in one go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-tokenizer-'));
  try {
    const library = openLibrary();
    const model = loadModel(
      library,
      writeTinyModel(join(folder, 'tiny.gguf'), { architecture: 'llama' }),
      () => {},
    );
    const vocab = library.modelVocab(model.pointer);
    const { vocabulary } = model;
    const specials = Array.from({ length: vocabulary.size }, (_, token) => token)
      .filter((token) => vocabulary.piece(token, false).length === 0)
      .map((token) => Buffer.from(vocabulary.piece(token, true)).toString('utf8'))
      .filter((text) => text !== '');
    assert.ok(specials.length > 0);
    const text = Array.from(
      { length: 9000 },
      (_, index) => `${specials[index % specials.length]}the cat${index % 3 === 0 ? ' \n' : ''}`,
    ).join('');
    const inOneGo = createTokenizer(library, vocab, () => []);
    for (const addSpecial of [false, true]) {
      const tokens = vocabulary.tokenize(text, addSpecial);
      assert.deepEqual(tokens, inOneGo(text, addSpecial));
      assert.ok(tokens.length > 9000);
    }
    model.free();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
