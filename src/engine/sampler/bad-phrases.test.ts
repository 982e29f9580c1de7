/** Bad phrases against looking through the whole text for each token of the vocabulary. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Vocabulary } from '../llama/decoder.ts';
import type { Sampling } from '../protocol.ts';
import { compileBadPhrases } from './bad-phrases.ts';
import { byteAt, pieceIndexOf } from './piece-index.ts';
import {
  createDice,
  randomPhrase,
  randomVocabulary,
  vocabularyOf,
} from './random-rows.test-support.ts';
import {
  referenceCompletes,
  referenceText,
  seededSampling,
} from './reference-sampler.test-support.ts';

const textVocabulary = (
  pieces: readonly string[],
  eosIds?: readonly number[],
  control?: ReadonlySet<number>,
): Vocabulary =>
  vocabularyOf(
    pieces.map((piece) => new TextEncoder().encode(piece)),
    eosIds,
    control,
  );

/** The pieces that are banned behind these tokens. */
function bannedAfter(
  vocabulary: Vocabulary,
  changes: Partial<Sampling>,
  tokens: readonly number[],
): number[] {
  const phrases = compileBadPhrases({ ...seededSampling, ...changes }, vocabulary);
  const state = tokens.reduce(phrases.next, phrases.start());
  return [...new Set(phrases.banned(state).flatMap((ids) => [...ids]))].sort((a, b) => a - b);
}

describe('the same as brute force', () => {
  for (const [size, rounds] of [
    [12, 800],
    [150, 40],
  ] as const) {
    test(`${rounds} texts of a vocabulary of ${size}`, () => {
      const dice = createDice(size);
      let banned = 0;
      for (let round = 0; round < rounds; round++) {
        const vocabulary = randomVocabulary(dice, size);
        const sampling: Sampling = {
          ...seededSampling,
          bad: Array.from({ length: dice.whole(1, 5) }, () => randomPhrase(dice, 9)),
          skipSpecialTokens: dice.uniform() < 0.5,
          spacesBetweenSpecialTokens: dice.uniform() < 0.5,
          ignoreEos: dice.uniform() < 0.5,
          includeStop: dice.uniform() < 0.5,
          stopTokenIds: dice.uniform() < 0.5 ? [dice.whole(0, size - 1)] : [],
        };
        const context = { vocabulary, promptTokens: [], choice: 0, needLogprob: false };
        const input = { logits: new Float32Array(size), sampling, context, output: [] };
        const phrases = compileBadPhrases(sampling, vocabulary);
        const tokens: number[] = [];
        let state = phrases.start();
        for (let step = 0; step < 12; step++) {
          const expected = Array.from({ length: size }, (_, id) => id).filter((id) =>
            referenceCompletes(input, [...tokens, id]),
          );
          const actual = new Set(phrases.banned(state).flatMap((ids) => [...ids]));
          const describe = (): string =>
            `round ${round}, text ${JSON.stringify(referenceText(input, tokens))}, phrases ${JSON.stringify(sampling.bad)}`;
          assert.deepEqual(
            [...actual].sort((a, b) => a - b),
            expected,
            describe(),
          );
          for (let id = 0; id < size; id++) {
            assert.equal(phrases.completes(state, id), actual.has(id), describe());
          }
          banned += actual.size;
          // Now and then a banned token, as tokens that are given and not chosen may be.
          const free = Array.from({ length: size }, (_, id) => id).filter((id) => !actual.has(id));
          const next =
            free.length === 0 || dice.uniform() < 0.1 ? dice.whole(0, size - 1) : dice.pick(free);
          tokens.push(next);
          state = phrases.next(state, next);
        }
      }
      assert.ok(banned > rounds * 10, `only ${banned} bans were seen`);
    });
  }

  test('texts of tokens that are not banned contain no phrase', () => {
    const dice = createDice(77);
    let finished = 0;
    for (let round = 0; round < 300; round++) {
      const vocabulary = randomVocabulary(dice, 30);
      const bad = Array.from({ length: dice.whole(1, 6) }, () => randomPhrase(dice, 7));
      const phrases = compileBadPhrases({ ...seededSampling, bad, ignoreEos: true }, vocabulary);
      const bytes: number[] = [];
      let state = phrases.start();
      for (let step = 0; step < 60; step++) {
        const banned = new Set(phrases.banned(state).flatMap((ids) => [...ids]));
        const free = Array.from({ length: 30 }, (_, id) => id).filter((id) => !banned.has(id));
        if (free.length === 0) break;
        const token = dice.pick(free);
        bytes.push(...vocabulary.piece(token, false));
        state = phrases.next(state, token);
        if (step === 59) finished++;
      }
      const text = Buffer.from(bytes).toString('latin1');
      for (const phrase of bad) assert.ok(!text.includes(phrase), `${phrase} in ${text}`);
    }
    assert.ok(finished > 150, `only ${finished} texts were long`);
  });
});

describe('by hand', () => {
  test('inside a token, across tokens, with every tokenisation', () => {
    const vocabulary = textVocabulary(['cat', 'c', 'at', 'a', 't', 'concat!', 'ca', 'dog']);
    const bad = { bad: ['cat'] };
    assert.deepEqual(bannedAfter(vocabulary, bad, []), [0, 5]);
    assert.deepEqual(bannedAfter(vocabulary, bad, [1]), [0, 2, 5]);
    assert.deepEqual(bannedAfter(vocabulary, bad, [7, 6]), [0, 4, 5]);
    assert.deepEqual(bannedAfter(vocabulary, bad, [1, 3]), [0, 4, 5]);
    assert.deepEqual(bannedAfter(vocabulary, bad, [1, 3, 7]), [0, 5]);
  });

  test('phrases that are the beginning or the end of others', () => {
    const vocabulary = textVocabulary(['a', 'b', 'c', 'ab', 'bc', 'x']);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['abc', 'ab'] }, [0]), [1, 3, 4]);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['abx', 'bc'] }, [0, 1]), [2, 4, 5]);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['aaab'] }, [0, 0, 0, 0]), [1, 3, 4]);
  });

  test('a character whose bytes are several tokens', () => {
    const pieces = [[0xe2], [0x82], [0xac], [0x82, 0xac], [0xe2, 0x82, 0xac], [0x61]];
    const vocabulary = vocabularyOf(pieces.map((bytes) => Uint8Array.from(bytes)));
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['\u20ac'] }, []), [4]);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['\u20ac'] }, [0]), [3, 4]);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['\u20ac'] }, [0, 1]), [2, 4]);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['\u20acuro'] }, [0, 1]), []);
  });

  test('half a surrogate pair is in no text, so it bans nothing', () => {
    const vocabulary = textVocabulary(['\ufffd', '\u{1f600}', 'a']);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['\ud83d'] }, []), []);
    assert.deepEqual(bannedAfter(vocabulary, { bad: ['\ud83d', 'a'] }, []), [2]);
  });

  test('a token counts as what it shows', () => {
    const vocabulary = textVocabulary(['a', '<b>', '<end>'], [2], new Set([1, 2]));
    const bad = { bad: ['b', '<end>', '> <'] };
    assert.deepEqual(bannedAfter(vocabulary, bad, []), []);
    const shown = { ...bad, skipSpecialTokens: false };
    assert.deepEqual(bannedAfter(vocabulary, shown, []), [1]);
    assert.deepEqual(bannedAfter(vocabulary, { ...shown, ignoreEos: true }, []), [1, 2]);
    const named = { ...shown, stopTokenIds: [2] };
    assert.deepEqual(bannedAfter(vocabulary, named, []), [1]);
    assert.deepEqual(bannedAfter(vocabulary, { ...named, includeStop: true }, []), [1, 2]);
    const spaced = { ...shown, bad: ['> <'], spacesBetweenSpecialTokens: true };
    assert.deepEqual(bannedAfter(vocabulary, spaced, []), []);
    assert.deepEqual(bannedAfter(vocabulary, spaced, [1]), [1]);
    assert.deepEqual(bannedAfter(vocabulary, spaced, [1, 0]), []);
  });

  test('a sampling is prepared once for all its choices', () => {
    const vocabulary = textVocabulary(['a']);
    const sampling = { ...seededSampling, bad: ['a'] };
    const phrases = compileBadPhrases(sampling, vocabulary);
    assert.equal(compileBadPhrases(sampling, vocabulary), phrases);
    assert.notEqual(compileBadPhrases(sampling, textVocabulary(['a'])), phrases);
    assert.ok(phrases.active);
    assert.ok(!compileBadPhrases(seededSampling, vocabulary).active);
  });

  test('long phrases that repeat themselves', () => {
    const vocabulary = textVocabulary(['a', 'aaaaaaaa', 'b', 'aab']);
    const bad = Array.from({ length: 128 }, (_, i) => `${'a'.repeat(1000 - i)}b`);
    const many = Array.from({ length: 125 }, () => 1);
    assert.deepEqual(bannedAfter(vocabulary, { bad }, many), [2, 3]);
    assert.deepEqual(bannedAfter(vocabulary, { bad }, many.slice(0, 100)), []);
  });
});

describe('the index of pieces', () => {
  test('is in byte order and has every token with bytes', () => {
    const dice = createDice(9);
    for (const size of [1, 13, 2000]) {
      const pieces = Array.from({ length: size }, () =>
        Uint8Array.from({ length: dice.whole(0, 9) }, () => dice.pick([0, 1, 97, 98, 255])),
      );
      const vocabulary = vocabularyOf(pieces, [], new Set([0]));
      for (const special of [true, false]) {
        const index = pieceIndexOf(vocabulary, special);
        const expected = pieces
          .keys()
          .filter((id) => vocabulary.piece(id, special).length > 0)
          .toArray()
          .sort((a, b) => Buffer.compare(pieces[a]!, pieces[b]!));
        const text = (ids: Iterable<number>) =>
          Array.from(ids, (id) => Buffer.from(pieces[id]!).toString('hex'));
        assert.deepEqual(text(index.sorted), text(expected));
        assert.deepEqual(new Set(index.sorted), new Set(expected));
        for (const [id, piece] of pieces.entries()) {
          const shown = special || id !== 0 ? piece : new Uint8Array(0);
          assert.equal(byteAt(index, id, shown.length), -1);
          if (shown.length > 0) assert.equal(byteAt(index, id, shown.length - 1), shown.at(-1));
        }
        assert.equal(index.longest, Math.max(0, ...expected.map((id) => pieces[id]!.length)));
        assert.equal(pieceIndexOf(vocabulary, special), index);
      }
    }
  });
});
