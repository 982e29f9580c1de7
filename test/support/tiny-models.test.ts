import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { readModelMetadata } from '../../src/models/index.ts';
import {
  brokenAdapters,
  modelShape,
  tinyArchitectures,
  tinyShape,
  writeTinyAdapter,
  writeTinyModel,
  type TinyModelOptions,
} from './tiny-models/index.ts';
import { randomMatrix } from './tiny-models/random-weights.ts';
import { createVocabulary } from './tiny-models/tiny-vocabulary.ts';

/** Weights of Q8_0 blocks, with the scale read from its binary16. */
function readBlocks(data: Uint8Array): number[] {
  const bytes = Buffer.from(data);
  const weights: number[] = [];
  for (let at = 0; at < bytes.length; at += 34) {
    const bits = bytes.readUInt16LE(at);
    const scale = (1 + (bits & 1023) / 1024) * 2 ** ((bits >> 10) - 15);
    for (let i = 0; i < 32; i += 1) weights.push(Math.fround(scale * bytes.readInt8(at + 2 + i)));
  }
  return weights;
}

const deviation = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);

test('a matrix has the spread that was asked for, and the same numbers in both types', () => {
  const options = { seed: 5, spread: 0.3, rowFactor: (row: number) => (row < 8 ? 0.1 : 1) };
  const floats = randomMatrix('m', [96, 64], { ...options, type: 'f32' });
  const blocks = randomMatrix('m', [96, 64], { ...options, type: 'q8_0' });
  const weights = [...new Float32Array(Uint8Array.from(floats.data).buffer)];
  assert.deepEqual(readBlocks(blocks.data), weights);
  assert.ok(Math.abs(deviation(weights.slice(0, 8 * 96)) / 0.03 - 1) < 0.05);
  assert.ok(Math.abs(deviation(weights.slice(8 * 96)) / 0.3 - 1) < 0.05);
  assert.notDeepEqual(randomMatrix('other', [96, 64], { ...options, type: 'q8_0' }), blocks);
});

test('every token of a vocabulary is there once, and merges make tokens', () => {
  for (const kind of ['bpe', 'spm', { letters: 5 }] as const) {
    const { entries, size } = createVocabulary(kind);
    const list = (key: string): readonly unknown[] => {
      const entry = entries[`tokenizer.ggml.${key}`];
      return entry !== undefined && 'values' in entry ? entry.values : [];
    };
    const tokens = list('tokens');
    assert.equal(new Set(tokens).size, size);
    assert.equal(list('token_type').length, size);
    for (const merge of list('merges')) {
      const [left = '', right = ''] = String(merge).split(' ');
      for (const piece of [left, right, left + right]) assert.ok(tokens.includes(piece), piece);
    }
  }
  assert.equal(createVocabulary({ letters: 5 }).size, 6);
});

describe('tiny files', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-tiny-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const write = (options: TinyModelOptions): string =>
    writeTinyModel(join(folder, 'model.gguf'), options);

  test('models are small, whole, and say what they are', async () => {
    for (const architecture of tinyArchitectures) {
      const path = write({ architecture, context: 1024 });
      const metadata = await readModelMetadata(path);
      assert.equal(metadata.architecture, architecture);
      assert.equal(metadata.quantisation, 'Q8_0');
      assert.equal(metadata.contextLength, 1024);
      assert.equal(metadata.vocabSize, 315);
      assert.equal(metadata.tokenizer.eos?.text, '<|im_end|>');
      assert.equal(metadata.slidingWindow, architecture === 'gemma3' ? 64 : null);
      assert.match(metadata.chatTemplate ?? '', /im_start/);
      assert.ok(statSync(path).size < 1_000_000);
      assert.ok(statSync(write({ architecture, weights: 'f32' })).size < 3_000_000);
    }
  });

  test('equal options give equal bytes, another seed gives others', () => {
    const options = { architecture: 'llama', weights: 'q8_0' } as const;
    const first = readFileSync(write(options));
    assert.ok(first.equals(readFileSync(write({ ...options, seed: 1 }))));
    assert.ok(!first.equals(readFileSync(write({ ...options, seed: 2 }))));
  });

  test('an adapter fits the shape of the model that it is for, also read from the file', async () => {
    const model = { architecture: 'qwen3', headSize: 48, layers: 2 } as const;
    const { embedding, heads, kvHeads, headSize, layers } = tinyShape(model);
    const shape = modelShape(await readModelMetadata(write(model)));
    assert.deepEqual(shape, { embedding, heads, kvHeads, headSize, layers });
  });

  test('broken adapters differ from the sound one and from each other', () => {
    const base = tinyShape({ architecture: 'llama' });
    const bytes = [undefined, ...brokenAdapters].map((broken) =>
      readFileSync(
        writeTinyAdapter(
          join(folder, 'a.gguf'),
          broken === undefined ? { base } : { base, broken },
        ),
      ).toString('latin1'),
    );
    assert.equal(new Set(bytes).size, brokenAdapters.length + 1);
  });
});
