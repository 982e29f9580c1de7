/** The spellings of one constraint, and the field that a refusal is about. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseChatRequest } from '../contract/index.ts';
import { readConstraint } from './read-constraint.ts';

const read = (fields: string): ReturnType<typeof readConstraint> =>
  readConstraint(
    parseChatRequest(`{"model":"m","messages":[{"role":"user","content":"x"}],${fields}}`),
  );

test('schemas keep their own spelling, and spellings of one constraint mean the same', () => {
  const schema = '{"maximum": 1.0, "2": 0, "1": 0}';
  const spec = { kind: 'json', schema, whitespace: null };
  const format = `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}`;
  assert.deepEqual(read(format), { spec, field: 'response_format.json_schema.schema' });
  assert.deepEqual(read(`"guided_json":${schema}`), { spec, field: 'guided_json' });
  assert.deepEqual(read(`"guided_json":${JSON.stringify(schema)}`), { spec, field: 'guided_json' });
  assert.deepEqual(read('"guided_regex":"a"')?.spec, { kind: 'regex', pattern: 'a' });
  assert.deepEqual(read('"response_format":{"type":"regex","pattern":"a"}')?.spec, {
    kind: 'regex',
    pattern: 'a',
  });
  assert.equal(read('"temperature":1'), null);
});

test('a structural tag that makes no sense is refused with the field and the keyword', () => {
  const format = '{"type":"structural_tag","format":{"type":"any_text","excludes":["a"]}}';
  const wrong = { reason: 'invalid_constraint', keyword: 'excludes' };
  assert.throws(() => read(`"structural_tag":${format}`), { ...wrong, param: 'structural_tag' });
  const param = 'response_format.structural_tag';
  assert.throws(
    () => read(`"response_format":{"type":"structural_tag","structural_tag":${format}}`),
    { ...wrong, param, message: /^response_format\.structural_tag: / },
  );
});
