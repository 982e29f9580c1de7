import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../../test/support/random-numbers.ts';
import { editJson, jsonEntries, jsonValue } from './json-entries.ts';

function randomValue(next: () => number, depth: number): unknown {
  const kind = Math.floor(next() * (depth > 3 ? 5 : 7));
  switch (kind) {
    case 0:
      return null;
    case 1:
      return next() > 0.5;
    case 2:
      return Math.round(next() * 1e6) / 100;
    case 3:
      return 'a"b\\c{}[],:\n\u2028é😀'.slice(Math.floor(next() * 8));
    case 4:
      return '';
    case 5:
      return Array.from({ length: Math.floor(next() * 4) }, () => randomValue(next, depth + 1));
    default:
      return randomObject(next, depth + 1);
  }
}

function randomObject(next: () => number, depth: number): Record<string, unknown> {
  const keys = ['a', 'b c', 'q"uote', 'back\\slash', 'é', '{', 'long key with : and ,'];
  return Object.fromEntries(
    keys.filter(() => next() > 0.4).map((key) => [key, randomValue(next, depth)]),
  );
}

describe('jsonEntries', () => {
  it('finds the same keys and values as a parser, compact and indented', () => {
    const next = createRandom(7);
    for (let round = 0; round < 500; round += 1) {
      const value = randomObject(next, 0);
      for (const indent of [0, 2]) {
        const text = JSON.stringify(value, null, indent);
        const found = jsonEntries(text).map((entry) => [
          entry.key,
          JSON.parse(text.slice(entry.valueStart, entry.end)) as unknown,
        ]);
        assert.deepEqual(Object.fromEntries(found), value);
      }
    }
  });

  it('has no entries for what is not an object', () => {
    assert.deepEqual(jsonEntries('[1,2]'), []);
    assert.deepEqual(jsonEntries('"x"'), []);
    assert.deepEqual(jsonEntries(''), []);
  });
});

describe('editJson', () => {
  it('changes what is named and keeps every other byte', () => {
    const text = '{ "seed" : 9007199254740993, "t":1.50e+0,\n"model":"old", "x":{"b":1,"a":2} }';
    const edits = new Map([
      ['model', '"new"'],
      ['t', null],
      ['more', 'true'],
    ]);
    assert.equal(
      editJson(text, edits),
      '{"seed" : 9007199254740993,"model":"new","x":{"b":1,"a":2},"more":true}',
    );
  });

  it('keeps the last of two equal keys, as a parser does', () => {
    assert.equal(editJson('{"a":1,"a":2}', new Map()), '{"a":2}');
  });

  it('removes and sets like the same edit of a parsed value', () => {
    const next = createRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const value = randomObject(next, 0);
      const text = JSON.stringify(value);
      const edited: unknown = JSON.parse(
        editJson(
          text,
          new Map([
            ['a', null],
            ['é', '5'],
          ]),
        ),
      );
      const { a: _, ...rest } = value;
      assert.deepEqual(edited, { ...rest, é: 5 });
    }
  });
});

describe('jsonValue', () => {
  it('reads null and absent alike', () => {
    const text = '{"a":null,"b":[1, 2]}';
    const entries = jsonEntries(text);
    assert.equal(jsonValue(text, entries, 'a'), null);
    assert.equal(jsonValue(text, entries, 'c'), null);
    assert.equal(jsonValue(text, entries, 'b'), '[1, 2]');
  });
});
