import assert from 'node:assert/strict';
import { test } from 'node:test';

import { measureStreams, medianRatio, medianRun } from './measure.ts';

test('every token of every stream counts, from the first send to the last token', async () => {
  const asked: number[] = [];
  const send = async (index: number, onToken: (at: number) => void): Promise<void> => {
    asked.push(index);
    await Promise.resolve();
    // Stream 0 gets its tokens after 1, 2 and 3 seconds, stream 1 after 2, 4 and 6.
    for (let token = 1; token <= 3; token += 1) onToken(500 + token * 1000 * (index + 1));
  };
  const result = await measureStreams(send, 2, () => 500);
  assert.deepEqual(asked, [0, 1]);
  assert.deepEqual(result, {
    streams: 2,
    tokens: 6,
    tokensPerSecond: 1,
    tokensPerSecondOfOne: 0.5,
    firstTokenMs: 1000,
    slowestFirstTokenMs: 2000,
  });
});

const run = (tokensPerSecond: number) => ({
  streams: 1,
  tokens: 1,
  tokensPerSecond,
  tokensPerSecondOfOne: 1,
  firstTokenMs: 1,
  slowestFirstTokenMs: 1,
});

test('the run in the middle stands for all', () => {
  assert.equal(medianRun([run(3), run(1), run(2)]).tokensPerSecond, 2);
  assert.throws(() => medianRun([]), RangeError);
});

test('ratios are of the same run', () => {
  const ratio = medianRatio([run(9), run(5), run(1)], [run(10), run(5), run(2)]);
  assert.equal(ratio, 0.9);
});
