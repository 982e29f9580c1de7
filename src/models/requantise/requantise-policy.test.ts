import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ggmlTypes } from '../gguf/ggml-types.ts';
import { isFaster, largestSource, mayRequantise } from './requantise-policy.ts';

const facts = (types: readonly (readonly [type: number, weights: number])[]) => ({
  path: '/models/a.gguf',
  fileBytes: 1_000_000,
  matrixWeights: new Map(types),
});

describe('mayRequantise', () => {
  test('knows how large the Q8_0 file will be', () => {
    // A block of 32 weights grows from 20 bytes to 34.
    assert.deepEqual(mayRequantise(facts([[3, 3200]])), { may: true, targetBytes: 1_001_400 });
    // Tensors that are Q8_0 already stay as they are.
    assert.deepEqual(
      mayRequantise(
        facts([
          [3, 3200],
          [8, 6400],
        ]),
      ),
      { may: true, targetBytes: 1_001_400 },
    );
  });

  test('never takes bits away: whatever has more than 8.5 bits a weight stays', () => {
    for (const [type, { name, blockBytes, blockWeights }] of ggmlTypes) {
      const bits = (8 * blockBytes) / blockWeights;
      const candidate = mayRequantise(
        facts([
          [3, 3200],
          [type, 3200],
        ]),
      );
      assert.equal(candidate.may, bits <= 8.5, name);
      if (candidate.may) assert.ok(candidate.targetBytes >= 1_001_400, name);
    }
  });

  test('leaves alone what is Q8_0, cut into files, too large, or unknown', () => {
    const why = (wrong: Partial<ReturnType<typeof facts>>): string => {
      const candidate = mayRequantise({ ...facts([[3, 3200]]), ...wrong });
      return candidate.may ? 'may' : candidate.why;
    };
    assert.match(why({ matrixWeights: new Map([[8, 3200]]) }), /already/);
    assert.match(why({ matrixWeights: new Map() }), /already/);
    assert.match(why({ path: '/m/a-00001-of-00002.gguf' }), /several files/);
    assert.match(why({ fileBytes: largestSource + 1 }), /bound by memory/);
    assert.match(why({ matrixWeights: new Map([[99, 3200]]) }), /unknown type 99/);
    assert.equal(why({ fileBytes: largestSource }), 'may');
  });
});

test('isFaster: a quarter more for prompts, and nothing to speak of lost for text', () => {
  const source = { prefill: 100, decode: 100 };
  assert.equal(isFaster(source, { prefill: 125, decode: 95 }), true);
  assert.equal(isFaster(source, { prefill: 124.9, decode: 200 }), false);
  assert.equal(isFaster(source, { prefill: 500, decode: 94.9 }), false);
});
