import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRandom } from '../../../test/support/random-numbers.ts';
import { createNgramDrafter } from './ngram-drafter.ts';

const randomTokens = (random: () => number, count: number, vocabSize: number): number[] =>
  Array.from({ length: count }, () => Math.floor(random() * vocabSize));

/** Where the last n tokens end an earlier time, the latest one; by looking everywhere. */
function latestEnd(tokens: readonly number[], n: number): number {
  const run = tokens.slice(-n).join();
  for (let end = tokens.length - 2; end >= n - 1; end--) {
    if (tokens.slice(end - n + 1, end + 1).join() === run) return end;
  }
  return -1;
}

function slowDraft(tokens: readonly number[], most: number): number[] {
  for (const n of [4, 3, 2]) {
    const end = tokens.length < n ? -1 : latestEnd(tokens, n);
    if (end === -1) continue;
    const all = [...tokens];
    for (let index = end + 1; all.length < tokens.length + most; index++) all.push(all[index]!);
    return all.slice(tokens.length);
  }
  return [];
}

describe('drafts from the sequence itself', () => {
  test('go on from the latest occurrence of the longest run, at every length', () => {
    const random = createRandom(8);
    let drafts = 0;
    for (let round = 0; round < 150; round++) {
      const vocabSize = [2, 3, 8, 40, 200_000][round % 5]!;
      const tokens = randomTokens(random, Math.floor(random() * 120), vocabSize);
      const drafter = createNgramDrafter(tokens, null);
      for (let step = 0; step < 60; step++) {
        const most = Math.floor(random() * 9);
        const draft = drafter.draft(most);
        assert.deepEqual(draft, slowDraft(tokens, most), tokens.join());
        if (draft.length > 0) drafts++;
        const again = random() < 0.5 ? tokens[Math.floor(random() * tokens.length)] : undefined;
        const token = again ?? Math.floor(random() * vocabSize);
        tokens.push(token);
        drafter.append(token);
      }
    }
    assert.ok(drafts > 3000, `${drafts} drafts`);
  });

  test('are right for as long as a long text repeats', () => {
    const text = Array.from({ length: 5000 }, (_, index) => (index * index) % 7919);
    const drafter = createNgramDrafter(text, null);
    for (const token of text.slice(0, 2)) drafter.append(token);
    for (let place = 2; place < 3000; place++) {
      assert.deepEqual(drafter.draft(8), text.slice(place, place + 8));
      drafter.append(text[place]!);
    }
  });

  test('go round where the sequence goes round, and are none where nothing is known', () => {
    assert.deepEqual(createNgramDrafter([9, 1, 2, 3, 1, 2], null).draft(7), [3, 1, 2, 3, 1, 2, 3]);
    assert.deepEqual(createNgramDrafter([5, 5, 5], null).draft(4), [5, 5, 5, 5]);
    assert.deepEqual(createNgramDrafter([1, 2, 3, 1], null).draft(4), []);
    assert.deepEqual(createNgramDrafter([], null).draft(4), []);
    assert.deepEqual(createNgramDrafter([1, 2, 1, 2], null).draft(0), []);
  });

  test('change nothing by being asked for', () => {
    const drafter = createNgramDrafter([1, 2, 3, 4, 1, 2], null);
    assert.deepEqual(drafter.draft(2), drafter.draft(2));
    const given = [1, 2, 3, 1, 2];
    createNgramDrafter(given, given).append(7);
    assert.deepEqual(given, [1, 2, 3, 1, 2]);
  });
});

describe('drafts from a prediction', () => {
  const append = (drafter: { append(token: number): void }, tokens: readonly number[]): void =>
    tokens.forEach((token) => drafter.append(token));

  test('begin with it, follow it and end with it', () => {
    const drafter = createNgramDrafter([1, 2, 3, 1, 2], [7, 8, 9]);
    assert.deepEqual(drafter.draft(2), [7, 8]);
    append(drafter, [7, 8]);
    assert.deepEqual(drafter.draft(5), [9]);
    append(drafter, [9]);
    assert.deepEqual(drafter.draft(5), []);
  });

  test('stop where the answer leaves it, and go on where the answer comes back', () => {
    const prediction = [10, 11, 12, 13, 14, 15, 16];
    const drafter = createNgramDrafter([1, 2, 3], prediction);
    append(drafter, [10, 11, 99]);
    assert.deepEqual(drafter.draft(3), []);
    append(drafter, [13]);
    assert.deepEqual(drafter.draft(3), []);
    append(drafter, [14]);
    assert.deepEqual(drafter.draft(3), [15, 16]);
  });

  test('come back behind the place that was left, if the same run is there too', () => {
    const prediction = [1, 2, 30, 40, 1, 2, 50, 60];
    const drafter = createNgramDrafter([], prediction);
    append(drafter, [1, 2, 30, 99]);
    append(drafter, [1, 2]);
    assert.deepEqual(drafter.draft(9), [50, 60]);
    append(drafter, [50, 60, 97, 1, 2]);
    assert.deepEqual(drafter.draft(9), [30, 40, 1, 2, 50, 60], 'the first where there is no other');
  });

  test('come back to the very place that was left', () => {
    const drafter = createNgramDrafter([], [1, 2, 3, 4, 5, 2, 3, 9]);
    append(drafter, [1, 2, 99, 2, 3]);
    assert.deepEqual(drafter.draft(2), [4, 5]);
  });

  test('the end of the prompt is not taken for a place in it', () => {
    const drafter = createNgramDrafter([11], [10, 11, 12, 13, 14]);
    append(drafter, [12]);
    assert.deepEqual(drafter.draft(3), []);
    append(drafter, [13]);
    assert.deepEqual(drafter.draft(3), [14]);
  });

  test('give way to the sequence where that agrees over a longer run', () => {
    const drafter = createNgramDrafter([1, 2, 3, 4, 5, 6, 7], [50, 3, 4, 60, 61, 62, 63]);
    append(drafter, [99, 2, 3, 4]);
    assert.deepEqual(drafter.draft(2), [5, 6]);
    append(drafter, [60]);
    assert.deepEqual(drafter.draft(2), [61, 62]);
  });

  test('of nothing are drafts of the sequence', () => {
    assert.deepEqual(createNgramDrafter([1, 2, 3, 1, 2], []).draft(1), [3]);
  });

  test('random edits of a prediction: nearly all tokens are drafted right', () => {
    const random = createRandom(9);
    const prediction = randomTokens(random, 2000, 500);
    const answer = prediction.flatMap((token) => {
      const edit = random();
      if (edit < 0.02) return [];
      return edit < 0.04 ? [501] : edit < 0.06 ? [token, 502] : [token];
    });
    const drafter = createNgramDrafter(randomTokens(random, 300, 500), prediction);
    let right = 0;
    for (const token of answer) {
      if (drafter.draft(1)[0] === token) right++;
      drafter.append(token);
    }
    assert.ok(right > 0.8 * answer.length, `${right} of ${answer.length}`);
  });
});
