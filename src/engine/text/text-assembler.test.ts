/** Stop strings, hold-back and log-probabilities, against a naive reading of the whole text. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { TokenLogprob } from '../protocol.ts';
import { createDice, cutAtRandom } from './random-text.test-support.ts';
import type { Dice } from './random-text.test-support.ts';
import { compileRules, initialText, startText, stepText } from './text-assembler.ts';
import type { TextParts, TextRules } from './text-assembler.ts';
import { toLogprob } from './to-logprob.ts';

const encoder = new TextEncoder();
const plain: TextRules = { stop: [], includeStop: false, minTokens: 0 };

/** A logprob that is recognised by the number of its token. */
function numbered(piece: Uint8Array, index: number): TokenLogprob {
  return { ...toLogprob(piece, -index), top: [] };
}

interface Run {
  readonly steps: TextParts[];
  readonly text: string;
  readonly matched: string | null;
  /** Numbers of the released tokens. */
  readonly tokens: number[];
}

/** Pushes all pieces, also behind a match, and ends. */
function run(rules: Partial<TextRules>, pieces: readonly Uint8Array[]): Run {
  const assembler = startText(compileRules({ ...plain, ...rules }));
  const steps = pieces.map((piece, index) => assembler.push(piece, numbered(piece, index)));
  steps.push(assembler.end());
  return {
    steps,
    text: steps.map(({ text }) => text).join(''),
    matched: steps.find(({ matched }) => matched !== null)?.matched ?? null,
    tokens: steps.flatMap(({ logprobs }) => logprobs.map(({ logprob }) => -logprob)),
  };
}

const bytesOf = (texts: readonly string[]): Uint8Array[] =>
  texts.map((text) => encoder.encode(text));
const textsOf = (steps: readonly TextParts[]): string[] => steps.map(({ text }) => text);

/** Where the first of the stops ends and begins, found by looking at every end of the whole text. */
function naiveMatch(
  text: string,
  stops: readonly string[],
  counts: (end: number) => boolean,
): { stop: string; start: number; end: number } | null {
  for (let end = 1; end <= text.length; end++) {
    if (!counts(end)) continue;
    const ending = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    const longest = ending.toSorted((a, b) => b.length - a.length)[0];
    if (longest !== undefined) return { stop: longest, start: end - longest.length, end };
  }
  return null;
}

const MIXED = ['a', 'b', 'a', 'b', 'é', '😀', '😁', '\n'];
/** Texts of two letters repeat themselves, which is what a matcher gets wrong first. */
const TWO_LETTERS = ['a', 'a', 'b'];

function randomText(dice: Dice, length: number, alphabet: readonly string[]): string {
  return Array.from({ length }, () => dice.pick(alphabet)).join('');
}

describe('stop strings', () => {
  test('equal the naive search on random texts, stops, cuts and minimums', () => {
    const dice = createDice(7);
    let matches = 0;
    for (let round = 0; round < 4000; round++) {
      const alphabet = dice.pick([MIXED, TWO_LETTERS]);
      const whole = randomText(dice, dice.below(40), alphabet);
      const pieces = cutAtRandom(dice, encoder.encode(whole), false);
      const stop = Array.from({ length: dice.below(4) }, () =>
        randomText(dice, 1 + dice.below(alphabet === MIXED ? 5 : 10), alphabet),
      );
      const minTokens = dice.pick([0, 0, 1, 3, 6]);
      const includeStop = dice.below(2) === 0;

      // Units of text after each token, counting whole characters only.
      const decoder = new TextDecoder();
      let units = 0;
      const unitsAfter = pieces.map((piece) => {
        units += decoder.decode(piece, { stream: true }).length;
        return units;
      });
      const tokenOf = (end: number): number => unitsAfter.findIndex((after) => after >= end) + 1;
      const match = naiveMatch(whole, stop, (end) => tokenOf(end) >= minTokens);
      const cut = match === null ? whole.length : includeStop ? match.end : match.start;
      if (match !== null) matches++;

      const actual = run({ stop, includeStop, minTokens }, pieces);
      const about = JSON.stringify({ whole, stop, minTokens, includeStop });
      assert.equal(actual.text, whole.slice(0, cut), about);
      assert.equal(actual.matched, match?.stop ?? null, about);
      const pushed = match === null ? pieces.length : tokenOf(match.end);
      const expected = pieces
        .map((_, index) => index)
        .filter(
          (index) => index < pushed && (match === null || (unitsAfter[index - 1] ?? 0) < cut),
        );
      assert.deepEqual(actual.tokens, expected, about);
      for (const { text } of actual.steps) assert.ok(text.isWellFormed(), about);
    }
    assert.ok(matches > 1000 && matches < 3900, `${matches} matches`);
  });

  test('text is held only while it can become a stop', () => {
    const { steps } = run({ stop: ['END', 'ENOUGH'] }, bytesOf(['so E', 'N', 'O', 'X', ' EN']));
    assert.deepEqual(textsOf(steps), ['so ', '', '', 'ENOX', ' ', 'EN']);
  });

  test('the match that ends first wins, then the one that begins first', () => {
    assert.equal(run({ stop: ['abcd', 'bc'] }, bytesOf(['abcd'])).matched, 'bc');
    assert.equal(run({ stop: ['bc', 'abc', 'c'] }, bytesOf(['xabc'])).matched, 'abc');
    assert.equal(run({ stop: ['bc', 'abc', 'c'] }, bytesOf(['xabc'])).text, 'x');
  });

  test('a stop that begins inside a failed attempt at itself is found', () => {
    const { text, matched } = run({ stop: ['aabaaaa'] }, bytesOf(['aab', 'aaab', 'aaaa', 'x']));
    assert.deepEqual([text, matched], ['aaba', 'aabaaaa']);
  });

  test('nothing comes out behind a match', () => {
    const { text, tokens, steps } = run({ stop: ['\n\n'] }, bytesOf(['a\n', '\nb', 'c', 'd']));
    assert.equal(text, 'a');
    assert.deepEqual(tokens, [0]);
    assert.deepEqual(
      steps.map(({ matched }) => matched),
      [null, '\n\n', null, null, null],
    );
  });

  test('a stop completed before the minimum does not count, one that ends after it does', () => {
    assert.equal(run({ stop: ['ab'], minTokens: 3 }, bytesOf(['ab', 'c', 'd', 'e'])).text, 'abcde');
    const { text, matched } = run({ stop: ['aaa'], minTokens: 3 }, bytesOf(['aa', 'a', 'a', 'b']));
    assert.deepEqual([text, matched], ['a', 'aaa']);
  });

  test('never match inside a character', () => {
    const stop = ['\ud83d', '\ude00', 'x\ud83d', ''];
    assert.deepEqual(run({ stop }, bytesOf(['x😀', 'y'])), run({}, bytesOf(['x😀', 'y'])));
    const { steps } = run({ stop: ['x😁'] }, bytesOf(['x', '😀']));
    assert.deepEqual(textsOf(steps), ['', 'x😀', '']);
  });

  test('32 stops of 1,000 characters that all begin alike', () => {
    const stop = Array.from(
      { length: 32 },
      (_, i) => `${'ab'.repeat(498)}${String(i).padStart(4, '0')}`,
    );
    const whole = `${'ab'.repeat(700)}0031 and more`;
    const pieces = cutAtRandom(createDice(3), encoder.encode(whole), false);
    const { text, matched } = run({ stop }, pieces);
    assert.equal(matched, stop[31]);
    assert.equal(text, whole.slice(0, 2 * (700 - 498)));
  });
});

describe('characters', () => {
  test('any bytes, cut anywhere, give the text and every token in the end', () => {
    const dice = createDice(11);
    const likely = [...encoder.encode('a é€😀')];
    for (let round = 0; round < 2000; round++) {
      const bytes = Uint8Array.from({ length: dice.below(20) }, () =>
        dice.below(4) === 0 ? dice.below(256) : dice.pick(likely),
      );
      const pieces = cutAtRandom(dice, bytes, true);
      const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, {
        stream: true,
      });
      const { text, tokens } = run({ stop: ['never'] }, pieces);
      assert.equal(text, expected);
      assert.deepEqual(
        tokens,
        pieces.map((_, index) => index),
      );
    }
  });

  test('half a character at the end is dropped, its tokens are not', () => {
    const { text, tokens, steps } = run({}, [encoder.encode('a'), Uint8Array.of(0x62, 0xe2, 0x82)]);
    assert.equal(text, 'ab');
    assert.deepEqual(tokens, [0, 1]);
    assert.equal(steps[1]?.logprobs.length, 0);
  });
});

describe('log-probabilities', () => {
  const released = (steps: readonly TextParts[]): number[][] =>
    steps.map(({ logprobs }) => logprobs.map(({ logprob }) => -logprob));

  test('come out with the last character of their token', () => {
    const euro = encoder.encode('€');
    const { steps } = run({}, [
      encoder.encode('a'),
      euro.subarray(0, 1),
      new Uint8Array(0),
      euro.subarray(1, 2),
      euro.subarray(2),
    ]);
    assert.deepEqual(released(steps), [[0], [], [], [], [1, 2, 3, 4], []]);
  });

  test('wait for held text, also those of tokens without text', () => {
    const { steps } = run({ stop: ['xyz'] }, bytesOf(['a', 'bx', '', 'y', '!']));
    assert.deepEqual(released(steps), [[0], [], [], [], [1, 2, 3, 4], []]);
  });

  test('of a token that straddles the cut come out, of those behind it do not', () => {
    const pieces = bytesOf(['a', 'bEN', 'D', 'x']);
    assert.deepEqual(run({ stop: ['END'] }, pieces).tokens, [0, 1]);
    assert.deepEqual(run({ stop: ['bEND'] }, pieces).tokens, [0]);
    assert.deepEqual(run({ stop: ['END'], includeStop: true }, pieces).tokens, [0, 1, 2]);
  });

  test('a token without logprobs is no trouble', () => {
    const assembler = startText(compileRules(plain));
    assert.deepEqual(assembler.push(encoder.encode('hi')), {
      text: 'hi',
      logprobs: [],
      matched: null,
    });
  });

  test('carry the bytes, and the text with replacement', () => {
    assert.deepEqual(toLogprob(Uint8Array.of(0xe2, 0x82), -1.5), {
      token: '\ufffd',
      bytes: [0xe2, 0x82],
      logprob: -1.5,
    });
    assert.equal(toLogprob(encoder.encode('\ufeffa'), 0).token, '\ufeffa');
  });
});

test('a step changes nothing but what it returns', () => {
  const rules = compileRules({ ...plain, stop: ['abc'] });
  const event = { type: 'token', piece: encoder.encode('xab'), logprob: undefined } as const;
  const first = stepText(rules, initialText(rules), event);
  const before = structuredClone(first.state);
  const ended = stepText(rules, first.state, { ...event, piece: encoder.encode('c') });
  const other = stepText(rules, first.state, { ...event, piece: encoder.encode('d') });
  assert.deepEqual(first.state, before);
  assert.equal(ended.parts.matched, 'abc');
  assert.deepEqual(other.parts, { text: 'abd', logprobs: [], matched: null });
});
