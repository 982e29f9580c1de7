/** Reads tiny GGUF files, sound and broken in every way that a file on a disk can be. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { toGguf, tinyModel, type GgufContent } from '../../../test/support/gguf-writer.ts';
import { ParlanceError } from '../../contract/index.ts';
import { readModelMetadata } from './model-metadata.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-gguf-'));
});
after(async () => {
  await rm(folder, { recursive: true });
});

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'model.gguf');
  await writeFile(path, bytes);
  return path;
}

async function defectOf(bytes: Uint8Array): Promise<string> {
  const path = await fileOf(bytes);
  try {
    await readModelMetadata(path, 'Do this instead.');
  } catch (error) {
    assert.ok(error instanceof ParlanceError, String(error));
    assert.equal(error.reason, 'invalid_model_file');
    assert.ok(error.message.includes(path), error.message);
    assert.ok(error.message.endsWith('Do this instead.'), error.message);
    return error.message;
  }
  return assert.fail('the file was accepted');
}

const without = (content: GgufContent, key: string): GgufContent => ({
  ...content,
  values: Object.fromEntries(Object.entries(content.values).filter(([name]) => name !== key)),
});

describe('a sound file', () => {
  test('gives its metadata', async () => {
    const metadata = await readModelMetadata(
      await fileOf(
        toGguf(
          tinyModel({
            'tokenizer.chat_template.tool_use': { type: 'string', value: 'tools' },
            'tokenizer.ggml.padding_token_id': { type: 'i32', value: -1 },
            'tokenizer.ggml.eot_token_id': { type: 'u32', value: 99 },
            'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
            'general.license': { type: 'string', value: 'mit' },
            'llama.attention.sliding_window': { type: 'u32', value: 64 },
          }),
        ),
      ),
    );
    assert.deepEqual(
      { ...metadata, fileBytes: 0 },
      {
        ggufVersion: 3,
        architecture: 'llama',
        name: 'Tiny',
        contextLength: 128,
        layers: 1,
        heads: 2,
        kvHeads: 1,
        keyLength: 4,
        valueLength: 4,
        embeddingLength: 8,
        slidingWindow: 64,
        vocabSize: 4,
        quantisation: 'F32',
        chatTemplate: '{{ messages[0].content }}',
        namedChatTemplates: { tool_use: 'tools' },
        tokenizer: {
          model: 'gpt2',
          pre: null,
          bos: { id: 0, text: '<s>' },
          eos: { id: 1, text: '</s>' },
          eot: { id: 99, text: null },
          eom: null,
          pad: null,
          unknown: null,
          addBos: true,
          addEos: null,
          specialTexts: [],
        },
        licence: 'mit',
        parameterCount: 64,
        sizeLabel: null,
        tensorCount: 1,
        matrixWeights: new Map([[0, 64]]),
        fileBytes: 0,
      },
    );
  });

  test('may have version 2, another alignment and one head count a layer', async () => {
    const content = tinyModel({
      'llama.attention.head_count_kv': { array: 'u32', values: [1, 2, 0] },
      'general.alignment': { type: 'u32', value: 64 },
    });
    const path = await fileOf(toGguf({ ...content, version: 2, alignment: 64 }));
    const metadata = await readModelMetadata(path);
    assert.equal(metadata.kvHeads, 2);
    assert.equal(metadata.ggufVersion, 2);
  });

  test('may have a vocabulary far larger than one read', async () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `token-${index}`);
    const content = tinyModel({
      'tokenizer.ggml.tokens': { array: 'string', values },
      'tokenizer.ggml.scores': { array: 'f32', values: values.map((_, index) => index) },
      'tokenizer.ggml.eos_token_id': { type: 'u32', value: 19_999 },
    });
    const metadata = await readModelMetadata(await fileOf(toGguf(content)));
    assert.equal(metadata.vocabSize, 20_000);
    assert.deepEqual(metadata.tokenizer.eos, { id: 19_999, text: 'token-19999' });
    assert.deepEqual(metadata.tokenizer.bos, { id: 0, text: 'token-0' });
  });

  for (const size of [5, 20_000]) {
    test(`tells its special tokens where it has no chat template, of ${size}`, async () => {
      const values = Array.from({ length: size }, (_, index) => `token-${index}`);
      const special = new Map([
        [1, 3],
        [3, 6],
        [size - 1, 4],
      ]);
      const content = tinyModel({
        'tokenizer.ggml.tokens': { array: 'string', values },
        'tokenizer.ggml.token_type': {
          array: 'i32',
          values: values.map((_, index) => special.get(index) ?? 1),
        },
      });
      const bare = without(content, 'tokenizer.chat_template');
      const { tokenizer } = await readModelMetadata(await fileOf(toGguf(bare)));
      assert.deepEqual(tokenizer.specialTexts, ['token-1', `token-${size - 1}`]);
      const whole = await readModelMetadata(await fileOf(toGguf(content)));
      assert.deepEqual(whole.tokenizer.specialTexts, []);
    });
  }
});

describe('a broken file', () => {
  test('cut anywhere is an error that says so, and is never accepted', async () => {
    const whole = toGguf(tinyModel());
    for (let bytes = 0; bytes < whole.length; bytes += 7) {
      await defectOf(whole.subarray(0, bytes));
    }
    assert.match(
      await defectOf(whole.subarray(0, whole.length - 1)),
      new RegExp(`is truncated: it has ${whole.length - 1} bytes of ${whole.length}`),
    );
  });

  test('with any byte changed is read or refused, never a crash', async () => {
    const whole = toGguf(tinyModel());
    for (let index = 0; index < whole.length - 256; index++) {
      const changed = Buffer.from(whole);
      changed[index] = 0xff;
      const path = await fileOf(changed);
      await readModelMetadata(path).catch((error: unknown) => {
        assert.ok(error instanceof ParlanceError, `byte ${index}: ${String(error)}`);
      });
    }
  });

  test('that is no GGUF is named by its first bytes', async () => {
    assert.match(
      await defectOf(Buffer.from('<html>no such file</html>')),
      /3c 68 74 6d .*web page/,
    );
    assert.match(
      await defectOf(Buffer.from('PK\u0003\u0004 and more')),
      /begins with the bytes 50 4b 03 04/,
    );
    assert.match(await defectOf(Buffer.alloc(0)), /it has 0 bytes/);
  });

  test('of another version or byte order is refused', async () => {
    assert.match(
      await defectOf(toGguf({ ...tinyModel(), version: 1 })),
      /version 1; versions 2 and 3/,
    );
    assert.match(await defectOf(toGguf({ ...tinyModel(), version: 3 << 24 })), /big-endian/);
  });

  test('with lengths that cannot be is refused before memory is taken', async () => {
    const header = toGguf({
      values: { 'general.architecture': { type: 'string', value: 'llama' } },
    });
    const manyValues = Buffer.from(header);
    manyValues.writeBigUInt64LE(2n ** 60n, 16);
    assert.match(await defectOf(manyValues), /says it has 1152921504606846976 metadata values/);
    const longKey = Buffer.from(header);
    longKey.writeBigUInt64LE(2n ** 62n, 24);
    assert.match(
      await defectOf(longKey),
      /corrupt string length of 4611686018427387904 at byte 24/,
    );
    const longArray = toGguf({
      values: { a: { array: 'u32', values: [1] } },
    });
    longArray.writeBigUInt64LE(2n ** 40n, longArray.indexOf(Buffer.from([4, 0, 0, 0, 1])) + 4);
    assert.match(await defectOf(longArray), /says it has 1099511627776 elements of a/);
  });

  test('that holds no language model is refused', async () => {
    const adapter = tinyModel({ 'general.type': { type: 'string', value: 'adapter' } });
    assert.match(await defectOf(toGguf(adapter)), /is an adapter/);
    const clip = tinyModel({ 'general.architecture': { type: 'string', value: 'clip' } });
    assert.match(await defectOf(toGguf(clip)), /image projector/);
    assert.match(await defectOf(toGguf({ ...tinyModel(), tensors: [] })), /only a vocabulary/);
    assert.match(
      await defectOf(toGguf(without(tinyModel(), 'general.architecture'))),
      /names no architecture/,
    );
  });

  test('with a value of the wrong type is refused by its key', async () => {
    const content = tinyModel({ 'llama.context_length': { type: 'string', value: 'long' } });
    assert.match(await defectOf(toGguf(content)), /no count where its llama\.context_length/);
  });
});

test('a path that is no file says what to give', async () => {
  await assert.rejects(readModelMetadata(join(folder, 'absent.gguf')), {
    reason: 'invalid_option',
    message: /there is no such file/,
  });
  await assert.rejects(readModelMetadata(folder), {
    reason: 'invalid_option',
    message: /not a file/,
  });
});
