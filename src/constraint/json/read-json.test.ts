import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { canonicalJson } from './canonical-json.ts';
import type { JsonValue } from './json-value.ts';
import { maxNesting, readJson } from './read-json.ts';

/** What JSON.parse makes of the same text. */
function plain(value: JsonValue): unknown {
  switch (value.type) {
    case 'null':
      return null;
    case 'number':
      return Number(value.text);
    case 'array':
      return value.items.map(plain);
    case 'object':
      return Object.fromEntries(value.members.map(([name, one]) => [name, plain(one)]));
    default:
      return value.value;
  }
}

const refusal = (text: string): ParlanceError => {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof ParlanceError) return error;
    throw error;
  }
  return assert.fail(`${text} was read`);
};

const right = [
  'null',
  ' true ',
  '\t[\n]\r',
  '{}',
  '-0',
  '[1,2.50, -3e+5,0.1E-2]',
  '{"a":{"b":[{},[],""]},"":1}',
  String.raw`"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é😀\ud800"`,
  '"\u007f\u2028"',
  '{"__proto__":1,"constructor":{"toString":2}}',
];

for (const text of right) {
  test(`reads ${JSON.stringify(text)} as JSON.parse does`, () => {
    const expected: unknown = JSON.parse(text);
    assert.equal(JSON.stringify(plain(readJson(text))), JSON.stringify(expected));
  });
}

const wrong = [
  '',
  ' ',
  'nul',
  'nullx',
  'True',
  'NaN',
  '-',
  '+1',
  '01',
  '1.',
  '.5',
  '1e',
  '1e+',
  '0x10',
  '"',
  '"\n"',
  String.raw`"\x"`,
  String.raw`"\u12g4"`,
  String.raw`"\u12"`,
  "'a'",
  '[',
  '[1',
  '[1,]',
  '[,]',
  '[1 2]',
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  '{"a":1 "b":2}',
  '1 2',
  '{}}',
  '\u00a01',
  '\ufeff1',
  '// a\n1',
];

for (const text of wrong) {
  test(`refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => JSON.parse(text));
    const error = refusal(text);
    assert.equal(error.reason, 'invalid_constraint');
    assert.equal(error.keyword, 'json');
    assert.match(error.message, /line \d+, column \d+/);
  });
}

test('numbers keep their spelling, members their order and repetitions', () => {
  assert.deepEqual(readJson('{"b":1.0,"a":123456789012345678901234567890,"b":1E2}'), {
    type: 'object',
    members: [
      ['b', { type: 'number', text: '1.0' }],
      ['a', { type: 'number', text: '123456789012345678901234567890' }],
      ['b', { type: 'number', text: '1E2' }],
    ],
  });
});

test('the position is where the text goes wrong', () => {
  assert.match(refusal('{\n  "a": tru\n}').message, /line 2, column 8/);
  assert.match(refusal('[1, 2').message, /line 1, column 6/);
});

test('nesting is bounded', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  assert.equal(readJson(nested(maxNesting)).type, 'array');
  assert.match(refusal(nested(maxNesting + 1)).message, /500 levels/);
  assert.match(refusal('{"a":'.repeat(1_000_000)).message, /500 levels/);
});

test('exponents that no arithmetic could hold are refused', () => {
  assert.equal(readJson('1e400000000').type, 'number');
  assert.match(refusal(`1e${'9'.repeat(400)}`).message, /exponent/);
  assert.match(refusal('[1e-99999999999999]').message, /exponent/);
});

const same: readonly (readonly [string, string])[] = [
  ['1', '1.0'],
  ['100', '1e2'],
  ['0', '-0.0e5'],
  ['{"a":1,"b":[true,null]}', '{"b":[true,null],"a":10e-1}'],
  [String.raw`"\u0041"`, '"A"'],
  ['{"a":1,"a":2}', '{"a":2}'],
];

const different: readonly (readonly [string, string])[] = [
  ['1', '"1"'],
  ['9007199254740993', '9007199254740992'],
  ['[1,2]', '[2,1]'],
  ['[[1],2]', '[1,[2]]'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ['["a,b"]', '["a","b"]'],
  ['1e400', '1e401'],
  ['0', 'false'],
];

test('canonical texts are equal iff the values are', () => {
  const text = (json: string): string => canonicalJson(readJson(json));
  for (const [a, b] of same) assert.equal(text(a), text(b));
  for (const [a, b] of different) assert.notEqual(text(a), text(b));
});
