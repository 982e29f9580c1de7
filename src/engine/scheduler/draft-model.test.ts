import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FakeDecoder } from '../llama/fake-decoder.ts';
import type { ActiveRequest } from './active-request.ts';
import { DraftModel } from './draft-model.ts';
import { Sequence } from './sequence.ts';

const sequenceOf = (length: number): Sequence => {
  const promptTokens = Array.from({ length }, (_, index) => 97 + (index % 26));
  return new Sequence({ promptTokens } as unknown as ActiveRequest, 0);
};

test('a long prompt is read in pieces, and guessed from when it is read', () => {
  const decoder = new FakeDecoder({ slots: 2, context: 256, batchTokens: 40 });
  const model = new DraftModel(decoder);
  const [long, short] = [sequenceOf(150), sequenceOf(10)];
  const round = (): [number, number, number] => {
    const before = decoder.computed;
    const wanted = new Map([
      [long, 3],
      [short, 3],
    ]);
    const drafts = model.draft(wanted);
    return [
      decoder.computed - before,
      drafts.get(long)?.length ?? 0,
      drafts.get(short)?.length ?? 0,
    ];
  };
  assert.deepEqual(round(), [40 + 10 + 2, 0, 3]);
  assert.deepEqual(round(), [40 + 1 + 2, 0, 3]);
  assert.deepEqual(round(), [40 + 1 + 2, 0, 3]);
  assert.deepEqual(round(), [30 + 1 + 2 * 2, 3, 3]);
});
