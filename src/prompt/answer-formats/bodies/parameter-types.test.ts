import assert from 'node:assert/strict';
import { it } from 'node:test';

import { typesOf } from './parameter-types.ts';

it('names that every object has are names of no type and of no property', () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    const schema = { type: 'object', properties: { a: { type: name } } };
    assert.equal(typesOf(schema, 'a'), null, name);
    assert.equal(typesOf(schema, name), null, name);
  }
  assert.deepEqual(
    typesOf({ properties: { a: { type: ['Integer', 'null'] } } }, 'a'),
    new Set(['number', 'null']),
  );
});
