import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { parseRegex } from './parse-regex.ts';
import { accepts, compile } from './walk.test-support.ts';

function refusal(pattern: string): ParlanceError {
  try {
    parseRegex(pattern);
    compile({ patterns: [pattern] });
  } catch (error) {
    if (error instanceof ParlanceError) return error;
    throw error;
  }
  return assert.fail(`${pattern} was taken`);
}

test('constructs that need backtracking are refused by name', () => {
  const named: Readonly<Record<string, readonly string[]>> = {
    backreference: ['(a)\\1', '(?<n>a)\\k<n>', '(?P<n>a)(?P=n)', '[\\1]'],
    recursion: ['(?R)', 'a(?1)', '(?&x)', '(?P>x)', '(?-1)'],
    'atomic group': ['(?>a|b)'],
    'possessive quantifier': ['a*+', 'a++', 'a?+', 'a{2}+'],
    'conditional group': ['(a)?(?(1)b|c)'],
    'branch reset': ['(?|a|b)'],
    'verbose flag': ['(?x)a b', '(?ix: a)'],
    lookbehind: ['(?<=a(?=b))b', '(?<=a$)', '(?<!\\bx)y', '(?<=(?<=a)b)c'],
  };
  for (const [construct, patterns] of Object.entries(named)) {
    for (const pattern of patterns) {
      const error = refusal(pattern);
      assert.equal(error.reason, 'invalid_constraint', pattern);
      assert.equal(error.keyword, construct, pattern);
      assert.match(error.message, new RegExp(construct), pattern);
    }
  }
});

test('malformed regexes are refused with the place', () => {
  const malformed: Readonly<Record<string, number>> = {
    '(a': 1,
    '((a)': 1,
    'ab)': 3,
    '[a': 1,
    '[a-': 1,
    'a[z-b]': 3,
    '*a': 1,
    'a|*': 3,
    'a**': 3,
    'a{2}{3}': 5,
    '^*': 2,
    'a{3,2}': 2,
    'a\\': 3,
    '\\p{Nope}': 1,
    '\\p': 1,
    '\\xg0': 1,
    '\\u{110000}': 1,
    '\\u12': 1,
    '\\c1': 1,
    '\\01': 1,
    'a\\y': 2,
    '(?<1a>b)': 1,
    '(?~a)': 1,
  };
  for (const [pattern, place] of Object.entries(malformed)) {
    const error = refusal(pattern);
    assert.equal(error.keyword, 'pattern', pattern);
    assert.match(
      error.message,
      new RegExp(`at character ${place} `),
      `${pattern}: ${error.message}`,
    );
  }
});

test('too deep a nesting, and too long a regex, are refused', () => {
  assert.match(refusal('a'.repeat(250_001)).message, /longer than 250000 characters/);
  const deep = `${'('.repeat(10_000)}a${')'.repeat(10_000)}`;
  assert.match(refusal(deep).message, /nested deeper than 200/);
});

test('spellings that are no error for people are none here', () => {
  const spellings: readonly (readonly [pattern: string, yes: string, no: string])[] = [
    ['^a\\-b\\_\\/\\@\\ \\"$', 'a-b_/@ "', 'a-b_/@"'],
    ['^[\\w-.]+$', 'a-.', 'a+'],
    ['^[a-c-e]+$', 'b-e', 'd'],
    ['^[a-z0-9-\\[\\]]+$', 'a-[0]', '('],
    ['^a{,2}$', 'aa', 'aaa'],
    ['^{a}]$', '{a}]', 'a'],
    ['^a{x$', 'a{x', 'a'],
    ['\\Aab\\Z', 'ab', 'abc'],
    ['\\Aab\\z', 'ab', 'xab'],
    ['^(?P<year>\\d{4})-(?<day>\\d)$', '2024-1', '2024-'],
    ['(?i)^ab$', 'aB', 'b'],
    ['^(?i:a)b$', 'Ab', 'AB'],
    ['(?i)^a(?-i:b)$', 'Ab', 'AB'],
    ['(?s)^a.b$', 'a\nb', 'ab'],
    ['(?m)^b$', 'a\nb\nc', 'ab'],
    ['^a(?#a comment)b$', 'ab', 'a'],
    ['^\\pL\\p{^L}\\p{Greek}$', 'a1α', '11α'],
    ['^\\x41\\u0042\\u{43}\\U00000044\\cA\\0$', 'ABCD\u0001\0', 'ABCD'],
    ['^[\\b\\a\\e]$', '\b', 'b'],
    ['^(?:(?=a))*a(?!b)$', 'a', 'b'],
    ['^\\ud83d\\ude00$', '😀', '\u{1f601}'],
    ['^[^]$', 'x', ''],
    ['^\\.[.]$', '..', 'aa'],
  ];
  for (const [pattern, yes, no] of spellings) {
    const machine = compile({ patterns: [pattern] });
    assert.equal(accepts(machine, yes), true, `${pattern} on ${yes}`);
    assert.equal(accepts(machine, no), false, `${pattern} on ${no}`);
  }
});
