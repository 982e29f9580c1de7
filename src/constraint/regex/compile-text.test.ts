import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compile, accepts, canFinish, walk } from './walk.test-support.ts';
import {
  anchoredDiet,
  createDice,
  lookaheadDiet,
  plainDiet,
  randomRegex,
  randomText,
  tinyDiet,
} from './random-regex.test-support.ts';
import type { Diet } from './random-regex.test-support.ts';

/** None beyond the BMP: V8 finds \B between the halves of a pair, which is no place of a text. */
const letters = ['a', 'b', 'c', 'd', '-', 'é', '\n', '\u2028'];

function agreesWithJavaScript(diet: Diet, seeds: number): void {
  let matches = 0;
  let misses = 0;
  for (let seed = 0; seed < seeds; seed += 1) {
    const dice = createDice(seed);
    const pattern = randomRegex(dice, diet);
    const found = compile({ patterns: [pattern] });
    const whole = compile({ whole: [pattern] });
    const search = new RegExp(pattern, 'u');
    const entire = new RegExp(`^(?:${pattern})$`, 'u');
    for (let i = 0; i < 25; i += 1) {
      const text = randomText(dice, letters, 7);
      const shown = `${pattern} on ${JSON.stringify(text)} (seed ${seed})`;
      assert.equal(accepts(found, text), search.test(text), `search ${shown}`);
      assert.equal(accepts(whole, text), entire.test(text), `whole ${shown}`);
      if (search.test(text)) matches += 1;
      else misses += 1;
    }
  }
  assert.ok(matches > seeds && misses > seeds, `${matches} matches, ${misses} misses`);
}

test('random regexes match as in JavaScript', () => {
  agreesWithJavaScript(plainDiet, 300);
});

test('anchors and word boundaries anywhere match as in JavaScript', () => {
  agreesWithJavaScript(anchoredDiet, 400);
});

test('lookaheads anywhere match as in JavaScript', () => {
  agreesWithJavaScript(lookaheadDiet, 600);
});

test('lookbehinds of plain regexes match as in JavaScript', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const dice = createDice(seed);
    const behind = `(?<${dice.pick(['=', '!'])}${randomRegex(dice, plainDiet, 1)})`;
    const group = `(?:${behind}${randomRegex(dice, plainDiet, 1)})${dice.pick(['', '*', '{2}'])}`;
    const pattern =
      randomRegex(dice, plainDiet, 1) + dice.pick([group, behind, `(?:${group}|c)*b`]);
    const machine = compile({ patterns: [pattern] });
    const regex = new RegExp(pattern, 'u');
    for (let i = 0; i < 25; i += 1) {
      const text = randomText(dice, letters, 7);
      assert.equal(accepts(machine, text), regex.test(text), `${pattern} on ${text}`);
    }
  }
});

test('flags inside the regex mean what they mean in JavaScript', () => {
  const texts = [
    'a',
    'A',
    'ab',
    'aB',
    'K',
    'k',
    '\u212a',
    'ſ',
    's',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'a\nb',
    'é',
    'É',
  ];
  const diet: Diet = {
    ...anchoredDiet,
    atoms: ['a', 'B', 'k', '[^k]', '\\w', '\\W', 's', 'σ', '[à-ý]', 'ß', '.', '\\p{Lu}', '\\P{Ll}'],
  };
  for (let seed = 0; seed < 300; seed += 1) {
    const dice = createDice(seed);
    const pattern = randomRegex(dice, diet, 2);
    const flag = dice.pick(['i', 's', 'is', 'm']);
    const machine = compile({ patterns: [`(?${flag})${pattern}`] });
    const inGroup = compile({ patterns: [`(?${flag}:${pattern})`] });
    const regex = new RegExp(pattern, `u${flag}`);
    for (const text of [...texts, randomText(dice, ['\n', 'a', 'B', '\r'], 6)]) {
      const shown = `${pattern} with ${flag} on ${JSON.stringify(text)}`;
      assert.equal(accepts(machine, text), regex.test(text), shown);
      assert.equal(accepts(inGroup, text), regex.test(text), shown);
    }
  }
});

test('every character has the case partners and properties that JavaScript gives it', () => {
  const classes = [
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Script=Greek}',
    '\\s',
    '\\w',
    '[^\\d\\p{L}]',
    '(?i:[a-zß-ü])',
  ];
  for (const source of classes) {
    const machine = compile({ whole: [source] });
    const isCaseless = source.startsWith('(?i:');
    const regex = new RegExp(
      `^${isCaseless ? source.slice(4, -1) : source}$`,
      isCaseless ? 'iu' : 'u',
    );
    for (let codePoint = 0; codePoint < 0x11000; codePoint += codePoint < 0x2200 ? 1 : 7) {
      if (codePoint >= 0xd800 && codePoint < 0xe000) continue;
      const text = String.fromCodePoint(codePoint);
      assert.equal(accepts(machine, text), regex.test(text), `${source} ${codePoint.toString(16)}`);
    }
  }
});

test('several rules hold together, lengths included', () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const dice = createDice(seed);
    const patterns = Array.from({ length: dice.under(3) }, () => randomRegex(dice, tinyDiet, 1));
    const whole = dice.chance(0.5) ? [randomRegex(dice, tinyDiet, 2)] : [];
    const minLength = dice.under(5);
    const maxLength = dice.pick([Infinity, minLength, minLength + 1, minLength + 3]);
    const machine = compile({ patterns, whole, minLength, maxLength });
    const regexes = [
      ...patterns.map((one) => new RegExp(one, 'u')),
      ...whole.map((one) => new RegExp(`^(?:${one})$`, 'u')),
    ];
    for (let i = 0; i < 40; i += 1) {
      const text = randomText(dice, ['a', 'b'], 9);
      const expected =
        text.length >= minLength &&
        text.length <= maxLength &&
        regexes.every((one) => one.test(text));
      const shown = JSON.stringify({ patterns, whole, minLength, maxLength, text });
      assert.equal(accepts(machine, text), expected, shown);
    }
  }
});

/** All texts over a and b of up to this length, shortest first. */
function allTexts(longest: number): string[] {
  const texts = [''];
  for (const text of texts) {
    if (text.length < longest) texts.push(`${text}a`, `${text}b`);
  }
  return texts;
}

test('a state is there exactly as long as the text can be completed', () => {
  const texts = allTexts(6);
  let dead = 0;
  for (let seed = 0; seed < 300; seed += 1) {
    const dice = createDice(seed);
    const pattern = randomRegex(dice, tinyDiet);
    const minLength = dice.under(3);
    const maxLength = dice.pick([Infinity, 4, 5]);
    const rules = dice.chance(0.5) ? { whole: [pattern] } : { patterns: [pattern] };
    const machine = compile({ ...rules, minLength, maxLength });
    const regex = new RegExp(rules.whole === undefined ? pattern : `^(?:${pattern})$`, 'u');
    const right = texts.filter(
      (text) => regex.test(text) && text.length >= minLength && text.length <= maxLength,
    );
    if (right.length > 0) assert.equal(machine.empty, false, pattern);
    for (const text of texts) {
      const state = walk(machine, text);
      if (state === null) {
        dead += 1;
        const missed = right.find((one) => one.startsWith(text));
        assert.equal(missed, undefined, `${pattern} refuses ${text} but takes ${missed}`);
      } else if (!machine.empty) {
        const finish = canFinish(machine, state, ['a', 'b', 'c', '.', '\n']);
        assert.ok(finish, `${pattern} ${minLength} ${maxLength} is stuck after ${text}`);
      }
    }
  }
  assert.ok(dead > 1000, `${dead} refused`);
});

test('what nothing matches is known to be empty', () => {
  for (const pattern of ['a^', '$a', '(?!a)a', '(?=ab)ac', '\\ba\\b\\w', '[]', '(?=.{3}$)^.{4}$']) {
    const machine = compile({ patterns: [pattern] });
    assert.equal(machine.empty, true, pattern);
    assert.equal(machine.step(machine.start, 0x61), null, pattern);
  }
  assert.equal(compile({ patterns: ['^a*$'], whole: ['.*b.*'] }).empty, true);
  assert.equal(compile({ whole: ['(?:ab){3,5}'], minLength: 7, maxLength: 7 }).empty, true);
  assert.equal(compile({ whole: ['(?:ab){3,5}'], minLength: 7, maxLength: 8 }).empty, false);
  assert.equal(compile({ minLength: 3, maxLength: 2 }).empty, true);
  const oddAtTheEnd = '(?:ab)*(?:c{2,3})?';
  assert.equal(
    compile({ whole: [oddAtTheEnd], minLength: 99_999, maxLength: 99_999 }).empty,
    false,
  );
  assert.equal(compile({ whole: ['(?:ab)*'], minLength: 99_999, maxLength: 99_999 }).empty, true);
});

test('a search that has found its match always accepts, and says how much room there is', () => {
  const free = compile({ patterns: ['ab'] });
  assert.equal(free.always(free.start), false);
  assert.equal(free.always(walk(free, 'xab')!), true);
  const limited = compile({ patterns: ['ab'], minLength: 4, maxLength: 10 });
  assert.equal(limited.room(walk(limited, 'ab')!), 0);
  assert.equal(limited.room(walk(limited, 'abcd')!), 6);
  assert.equal(limited.always(walk(limited, 'abcd')!), false);
  assert.equal(walk(limited, 'abcdefghijk'), null);
  const any = compile({});
  assert.equal(any.room(any.start), Infinity);
  const atLeast = compile({ minLength: 2 });
  assert.equal(atLeast.always(atLeast.start), false);
  assert.equal(atLeast.always(walk(atLeast, 'ab')!), true);
});

test('loops lead from a state to itself, and what is left out does not', () => {
  let loops = 0;
  for (let seed = 0; seed < 300; seed += 1) {
    const dice = createDice(seed);
    const machine = compile({
      patterns: [randomRegex(dice, anchoredDiet)],
      minLength: dice.under(3),
    });
    const state = walk(machine, randomText(dice, letters, 3));
    if (state === null) continue;
    const loop = machine.loop(state);
    loops += loop === null ? 0 : 1;
    for (let codePoint = 0; codePoint < 128; codePoint += 1) {
      const stays: boolean = machine.step(state, codePoint) === state;
      assert.equal(
        loop !== null && loop.ascii[codePoint] === 1,
        stays,
        `seed ${seed} ${codePoint}`,
      );
    }
    if (loop?.beyond !== true) continue;
    for (const codePoint of [0x80, 0xe9, 0x3b1, 0xd7ff, 0xe000, 0x1f600, 0x10ffff]) {
      assert.equal(machine.step(state, codePoint), state, `seed ${seed} ${codePoint}`);
    }
  }
  assert.ok(loops > 100, `${loops} loops`);
});

test('surrogates match nothing', () => {
  const machine = compile({ patterns: [] });
  assert.equal(machine.step(machine.start, 0xd83d), null);
  assert.equal(compile({ whole: ['[\\uD800-\\uDFFF]'] }).empty, true);
  assert.equal(accepts(compile({ whole: ['\\uD83D\\uDE00'] }), '😀'), true);
});

test('what cannot be told is called inexact', () => {
  assert.equal(compile({ patterns: ['^(?!None$)[a-z]+$', '\\d|x'] }).exact, true);
  assert.equal(compile({ whole: ['[ab]{2,500}'], maxLength: 100 }).exact, true);
  const wild = compile({ patterns: ['a.{12}b', '^(?:[ab]{2}c?)*$', '(?=.*a.{9}$)'] });
  assert.equal(wild.exact, false);
});
