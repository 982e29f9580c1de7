import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../test/support/chat-body.ts';
import { findSyntaxError } from './json-syntax.ts';
import { maxNesting, parseJson, stringifyJson } from './json.ts';

const problems: readonly (readonly [string, string])[] = [
  ['', 'The body is empty; send a JSON object.'],
  [' \n', 'The body is empty; send a JSON object.'],
  ['hello', 'The body is not JSON: expected a value at line 1, column 1 (position 0).'],
  ['{"a": hello}', 'The body is not JSON: expected a value at line 1, column 7 (position 6).'],
  [
    '{"a":1',
    'The body is not JSON: the text ends too early: expected "," or "}" at line 1, column 7 (position 6).',
  ],
  ['{"a":1 "b":2}', 'The body is not JSON: expected "," or "}" at line 1, column 8 (position 7).'],
  [
    '{"a":1,}',
    'The body is not JSON: expected a field name in double quotes at line 1, column 8 (position 7).',
  ],
  [
    '{a:1}',
    'The body is not JSON: expected a field name in double quotes, or "}" at line 1, column 2 (position 1).',
  ],
  [
    "{'a':1}",
    'The body is not JSON: expected a field name in double quotes, or "}" at line 1, column 2 (position 1).',
  ],
  [
    '{"a" 1}',
    'The body is not JSON: expected ":" after the field name at line 1, column 6 (position 5).',
  ],
  ['[1,2,]', 'The body is not JSON: expected a value at line 1, column 6 (position 5).'],
  ['[1 2]', 'The body is not JSON: expected "," or "]" at line 1, column 4 (position 3).'],
  [
    '{\n  "a": [1,\n  2}\n}',
    'The body is not JSON: expected "," or "]" at line 3, column 4 (position 16).',
  ],
  ['{} x', 'The body is not JSON: expected the end of the text at line 1, column 4 (position 3).'],
  ['{"a":"b', 'The body is not JSON: a string is never closed at line 1, column 8 (position 7).'],
  [
    '{"a":"b\nc"}',
    'The body is not JSON: a control character in a string must be escaped at line 1, column 8 (position 7).',
  ],
  [
    '{"a":"\\x"}',
    'The body is not JSON: a string has an escape that JSON lacks at line 1, column 7 (position 6).',
  ],
  ['{"a":01}', 'The body is not JSON: expected a value at line 1, column 6 (position 5).'],
  ['{"a":NaN}', 'The body is not JSON: expected a value at line 1, column 6 (position 5).'],
  [
    '{"a":1}}',
    'The body is not JSON: expected the end of the text at line 1, column 8 (position 7).',
  ],
  [']', 'The body is not JSON: expected a value at line 1, column 1 (position 0).'],
];

for (const [source, message] of problems) {
  test(`where ${JSON.stringify(source)} is not JSON`, () => {
    const error = refusalOf(() => parseJson(source));
    assert.equal(error.reason, 'invalid_json');
    assert.equal(error.message, message);
  });
}

test('every cut and every broken byte of a valid text has a position inside the text', () => {
  const source = '{"a":[1,-2.5e3,true,{"b":"\\u00e9\\n"}],"c":null}';
  for (let at = 0; at < source.length; at += 1) {
    for (const text of [source.slice(0, at), `${source.slice(0, at)}\u0001${source.slice(at)}`]) {
      if (text === '') continue;
      assert.throws(() => JSON.parse(text));
      const { position } = findSyntaxError(text);
      assert.ok(position >= 0 && position <= text.length, `${position} of ${text}`);
      if (text.length > source.length) assert.ok(position <= at, `${position} after ${at}`);
    }
  }
});

test('the words for a syntax error never quote the text', () => {
  const error = refusalOf(() => parseJson('{"key":"swordfish" swordfish "x"}'));
  assert.ok(!error.message.includes('swordfish'), error.message);
});

test('nesting is bounded, whatever it is made of', () => {
  const nest = (levels: number, open: string, close: string, core = '1') =>
    `${open.repeat(levels)}${core}${close.repeat(levels)}`;
  assert.doesNotThrow(() => parseJson(nest(maxNesting, '[', ']')));
  for (const text of [
    nest(10_000, '[', ']'),
    nest(10_000, '{"a":', '}'),
    nest(10_000, '[', ']', '12345678901234567890'),
    '['.repeat(1_000_000),
  ]) {
    const error = refusalOf(() => parseJson(text));
    assert.match(error.message, /^The body is nested deeper than 512 levels at line 1, column /);
  }
});

test('brackets inside strings are no nesting, escaped quotes included', () => {
  const text = JSON.stringify(['"[{'.repeat(1000), '\\', '\\"[', '['.repeat(2000)]);
  assert.deepEqual(parseJson(text), JSON.parse(text));
});

test('integers beyond 2^53 come through exactly, both ways', () => {
  const text =
    '{"a":9007199254740993,"b":[-9223372036854775808],"c":1.5,"d":1e20,"e":9007199254740991}';
  const value = parseJson(text) as Record<string, unknown>;
  assert.equal(value['a'], 9007199254740993n);
  assert.deepEqual(value['b'], [-9223372036854775808n]);
  assert.equal(value['d'], 1e20);
  assert.equal(value['e'], 9007199254740991);
  assert.equal(
    stringifyJson(value),
    '{"a":9007199254740993,"b":[-9223372036854775808],"c":1.5,"d":100000000000000000000,"e":9007199254740991}',
  );
});

test('digits inside strings stay text', () => {
  assert.deepEqual(parseJson('{"a":"12345678901234567890"}'), { a: '12345678901234567890' });
});
