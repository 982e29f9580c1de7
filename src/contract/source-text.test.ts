import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceItemsAt, sourceTextAt } from './source-text.ts';

const text = ` {"a" : [ 1.0, {"2": 1, "1": 1e2}, "]\\"}" ] , "b\\u0061": {"x":{ "y" : [ ] }}, "a2":null , "d":1,"d":2}`;

test('gives the text of a value as it was written', () => {
  assert.equal(sourceTextAt(text, []), text.trim());
  assert.equal(sourceTextAt(text, ['a', 0]), '1.0');
  assert.equal(sourceTextAt(text, ['a', 1]), '{"2": 1, "1": 1e2}');
  assert.equal(sourceTextAt(text, ['a', 1, '1']), '1e2');
  assert.equal(sourceTextAt(text, ['a', 2]), '"]\\"}"');
  assert.equal(sourceTextAt(text, ['ba', 'x', 'y']), '[ ]');
  assert.equal(sourceTextAt(text, ['a2']), 'null');
  assert.equal(sourceTextAt(text, ['d']), '2');
});

test('null where there is nothing', () => {
  for (const path of [
    ['z'],
    ['a', 3],
    ['a', 'x'],
    ['a', 0, 'x'],
    ['ba', 'x', 'y', 0],
    ['a2', 'x'],
  ]) {
    assert.equal(sourceTextAt(text, path), null, path.join('/'));
  }
});

test('gives the items of a list as they were written', () => {
  assert.deepEqual(sourceItemsAt(text, ['a']), ['1.0', '{"2": 1, "1": 1e2}', '"]\\"}"']);
  assert.deepEqual(sourceItemsAt('[[1,2] , [], "a"]', []), ['[1,2]', '[]', '"a"']);
  for (const path of [['z'], ['d'], ['ba'], ['ba', 'x', 'y'], ['a2'], ['a', 1]]) {
    assert.deepEqual(sourceItemsAt(text, path), [], path.join('/'));
  }
});
