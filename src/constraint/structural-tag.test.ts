/** Structural tags of both shapes: what they become, what they accept when compiled, refusals. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { TimedBudget } from './budget.ts';
import { compileConstraint } from './compile.ts';
import { parseStructuralTag } from './structural-tag.ts';

/** Where the text is refused; its length where it is only begun; null where it is accepted. */
function refusalOf(tag: unknown, text: string): number | null {
  const spec = parseStructuralTag(JSON.stringify(tag));
  const machine = compileConstraint(spec, { specials: [], budget: new TimedBudget() });
  let state: object = machine.start;
  for (const [index, byte] of Buffer.from(text).entries()) {
    const next = machine.step(state, byte);
    if (next === null) return index;
    state = next;
  }
  return machine.accepts(state) ? null : Buffer.byteLength(text);
}

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
const begin = '<function=f>';
const end = '</function>';

test('the older shape: schemas between tags, free text around them', () => {
  const tag = {
    type: 'structural_tag',
    structures: [
      { begin, schema, end },
      { begin: '<function=g>', schema: '{"type": "null"}', end },
    ],
    triggers: ['<function='],
  };
  assert.equal(refusalOf(tag, 'no call'), null);
  assert.equal(refusalOf(tag, `so: ${begin}{"a": 1}${end} and <function=g>null${end}.`), null);
  assert.equal(refusalOf(tag, `${begin}{"b`), 14);
  assert.equal(refusalOf(tag, '<function=h'), 10);
  assert.equal(refusalOf(tag, begin), begin.length);
});

test('the schema keeps its spelling', () => {
  const text =
    '{"structures":[{"begin":"<a>","schema":{"const":1.50,"a":1,"2":1},"end":""}],"triggers":["<"]}';
  const spec = parseStructuralTag(text);
  assert.equal(spec.kind, 'tags');
  const content = spec.kind === 'tags' ? spec.tags[0]!.content : null;
  assert.deepEqual(content, {
    kind: 'json',
    schema: '{"const":1.50,"a":1,"2":1}',
    whitespace: null,
  });
});

describe('the newer shape', () => {
  const json = { type: 'json_schema', json_schema: schema };
  const call = { type: 'tag', begin, content: json, end };
  const cases: readonly (readonly [
    format: { readonly type: string; readonly [name: string]: unknown },
    accepted: readonly string[],
    refused: readonly (readonly [text: string, at: number])[],
  ])[] = [
    [
      { type: 'const_string', value: 'yes' },
      ['yes'],
      [
        ['yes!', 3],
        ['ye', 2],
      ],
    ],
    [json, ['{"a": 1}'], [['{}', 1]]],
    [{ type: 'json_schema', json_schema: true }, ['[]'], [['x', 0]]],
    [{ type: 'regex', pattern: 'a+' }, ['aa'], [['ab', 1]]],
    [{ type: 'grammar', grammar: 'root ::= "a" root | "b"' }, ['aab'], [['ba', 1]]],
    [{ type: 'any_text', excludes: [] }, ['', 'what <ever>'], []],
    [
      { type: 'sequence', elements: [{ type: 'const_string', value: 'x' }, json] },
      ['x{"a": 1}'],
      [['{', 0]],
    ],
    [
      { type: 'or', elements: [json, { type: 'regex', pattern: '[0-9]' }] },
      ['{"a": 1}', '7'],
      [['x', 0]],
    ],
    [{ type: 'optional', content: call }, ['', `${begin}{"a": 1}${end}`], [['x', 0]]],
    [{ type: 'star', content: { type: 'regex', pattern: 'ab' } }, ['', 'abab'], [['aba', 3]]],
    [{ type: 'plus', content: { type: 'regex', pattern: 'ab' } }, ['ab'], [['', 0]]],
    [call, [`${begin}{"a": 1}${end}`], [[`${begin}{"a": 1}x`, 20]]],
    [
      { type: 'tag', begin: '<think>', content: { type: 'any_text' }, end: ['</think>'] },
      ['<think>so < </thin</think>'],
      [['<think>so</think>x', 17]],
    ],
    [
      {
        type: 'triggered_tags',
        triggers: ['<function='],
        tags: [call],
        stop_after_first: true,
        at_least_one: true,
      },
      [`well ${begin}{"a": 1}${end}`],
      [
        ['well', 4],
        [`${begin}{"a": 1}${end}.`, 31],
      ],
    ],
    [
      { type: 'tags_with_separator', tags: [call], separator: '\n' },
      ['', `${begin}{"a": 1}${end}\n${begin}{"a": 2}${end}`],
      [[`${begin}{"a": 1}${end}${begin}`, 31]],
    ],
    [
      {
        type: 'tags_with_separator',
        tags: [call],
        separator: ',',
        at_least_one: true,
        stop_after_first: true,
      },
      [`${begin}{"a": 1}${end}`],
      [
        ['', 0],
        [`${begin}{"a": 1}${end},`, 31],
      ],
    ],
  ];
  for (const [index, [format, accepted, refused]] of cases.entries()) {
    test(`${format.type} (${index})`, () => {
      const tag = { type: 'structural_tag', format };
      for (const text of accepted) assert.equal(refusalOf(tag, text), null, text);
      for (const [text, at] of refused) assert.equal(refusalOf(tag, text), at, text);
    });
  }
});

test('refusals name what is wrong', () => {
  const format = (value: unknown): unknown => ({ type: 'structural_tag', format: value });
  const refusals: readonly (readonly [tag: unknown, keyword: string])[] = [
    [[], 'structural_tag'],
    [{ type: 'structural_tag' }, 'structural_tag'],
    [{ type: 'json' }, 'type'],
    [{ structures: [{ begin: 'a', schema: {}, end: 1 }], triggers: ['a'] }, 'end'],
    [{ structures: [], triggers: 'a' }, 'triggers'],
    [{ structures: [{ begin: 'b', schema: {}, end: '' }], triggers: ['a'] }, 'triggers'],
    [format({ type: 'qwen_xml_parameter', json_schema: {} }), 'qwen_xml_parameter'],
    [format({ type: 'toString' }), 'toString'],
    [format({ type: 'any_text', excludes: ['x'] }), 'excludes'],
    [format({ type: 'json_schema', json_schema: {}, style: 'qwen_xml' }), 'style'],
    [format({ type: 'json_schema' }), 'json_schema'],
    [format({ type: 'sequence' }), 'elements'],
    [format({ type: 'tag', begin: '', end: '' }), 'content'],
    [format({ type: 'tags_with_separator', tags: [], separator: '' }), 'tags'],
    [format({ type: 'regex', pattern: '(' }), 'pattern'],
  ];
  for (const [tag, keyword] of refusals) {
    assert.throws(() => refusalOf(tag, ''), { reason: 'invalid_constraint', keyword }, keyword);
  }
  let deep: unknown = { type: 'any_text' };
  for (let depth = 0; depth < 120; depth++) deep = { type: 'sequence', elements: [deep] };
  assert.throws(() => refusalOf(format(deep), ''), { keyword: 'format' });
  assert.throws(() => parseStructuralTag('{'), { reason: 'invalid_constraint' });
});
