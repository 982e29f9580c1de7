import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../../contract/errors.ts';
import { TimedBudget } from '../../budget.ts';
import type { Machine } from '../../machine.ts';
import { compileJson } from './compile-json.ts';

const compile = (schema: unknown, whitespace: string | null = null): Machine =>
  compileJson(
    typeof schema === 'string' ? schema : JSON.stringify(schema),
    { whitespace },
    new TimedBudget(),
  );

/** Bytes that the machine takes, and whether the text may end behind them. */
function read(machine: Machine, text: string): { at: number; complete: boolean } {
  let state = machine.start;
  const bytes = Buffer.from(text);
  for (const [at, byte] of bytes.entries()) {
    const next = machine.step(state, byte);
    if (next === null) return { at, complete: false };
    state = next;
  }
  return { at: bytes.length, complete: machine.accepts(state) };
}

/** The machine takes what stands before the mark, and not the byte behind it. */
function refuses(schema: unknown, marked: string): void {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  const expected = Buffer.from(marked.slice(0, at)).length;
  assert.deepEqual(read(compile(schema), text), { at: expected, complete: false }, marked);
}

function accepts(schema: unknown, ...texts: readonly string[]): void {
  for (const text of texts) {
    const length = Buffer.from(text).length;
    assert.deepEqual(read(compile(schema), text), { at: length, complete: true }, text);
  }
}

const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  ...more,
});

test('any JSON where nothing is asked, and nothing else', () => {
  accepts(
    {},
    'null',
    'true',
    '-0.5e-3',
    '"a\\u00e9\\ud83d\\ude00é😀"',
    '[1, [], {}]',
    '{"a":\n  1}',
  );
  for (const text of ['nul|e', '-|-', '1.|e', '1e|e', '[1,|]', '{"a"|}', '{"a":1,|}', '"\\|x"']) {
    refuses({}, text);
  }
  refuses({}, '0|1');
  refuses({}, '"\\ud83d|x"');
  refuses({}, '{"a":1,"a|":2}');
  refuses({}, '|\n1');
  refuses({}, '[]| ');
});

test('bytes that are no UTF-8 are refused', () => {
  const machine = compile({});
  for (const bytes of [
    [0x22, 0x80],
    [0x22, 0xc0],
    [0x22, 0xed, 0xa0],
    [0x22, 0xf4, 0x90],
    [0x22, 9],
  ]) {
    let state: object | null = machine.start;
    for (const byte of bytes) state = state === null ? null : machine.step(state, byte);
    assert.equal(state, null, bytes.join(' '));
  }
});

test('numbers are refused at the digit after which none is left', () => {
  refuses({ type: 'integer', maximum: 120 }, '15|0');
  refuses({ type: 'integer' }, '1.|5');
  accepts({ type: 'integer' }, '1.0', '1e16', '1E+2', '-7');
  refuses({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' }, '1|.0');
  refuses({ type: 'number', minimum: 2.5, exclusiveMaximum: 3 }, '|3');
  accepts({ type: 'number', minimum: 2.5, exclusiveMaximum: 3 }, '2.5', '2.99');
  refuses({ type: 'number', minimum: 2.5, exclusiveMaximum: 3 }, '2.|4');
  accepts({ multipleOf: 0.01 }, '1.25', '0', '"text"');
  refuses({ multipleOf: 0.01 }, '1.25|5');
  accepts({ type: 'number', minimum: 0, maximum: 1 }, '1e-07', '0.1E-2', '0');
  accepts({ enum: [1, 2.5, 30] }, '1', '1.0', '2.50', '30');
  refuses({ enum: [1, 2.5, 30] }, '2.|4');
  refuses({ type: 'integer' }, '1.0|0');
  refuses({ enum: [1, 2.5, 30] }, '2.50|0');
  const either = { anyOf: [{ type: 'integer' }, { type: 'number', minimum: 3 }] };
  accepts(either, '1.0', '3.005');
  refuses(either, '1.0|0');
  refuses({ not: { type: 'integer' } }, '1.00|');
  accepts('{"minimum":9007199254740993}', '9007199254740993');
  refuses('{"type":"integer","maximum":9007199254740993}', '900719925474099|4');
});

test('numbers do not run on: no digits beyond any use, none behind a value that is wrong', () => {
  const run = (count: number, digit = '0'): string => digit.repeat(count);
  refuses({ type: 'number' }, `1.${run(30)}|0`);
  refuses({ type: 'number', minimum: 0 }, `1.${run(30)}|0`);
  refuses({}, `${run(40, '7')}|7`);
  accepts({ type: 'number', multipleOf: 1e-40 }, `0.${run(39)}3`);
  accepts({ type: 'integer', minimum: 1e45 }, run(46, '7'));
  accepts({ type: 'number', exclusiveMinimum: 0, maximum: 1e-40 }, `0.${run(40)}1`);
  // With the last digit it is decided.
  refuses({ type: 'number', exclusiveMinimum: 0, maximum: 5 }, `0.${run(29)}|0`);
  const odd = { type: 'integer', not: { enum: [1, 2, 3] }, minimum: 0, maximum: 12 };
  accepts(odd, '0', '4', '10', '11');
  refuses(odd, '|2');
  // It could be 10 yet, as 1.0e1, but not 1.
  refuses(odd, '1.0|0');
  refuses({ type: 'integer', not: { enum: [1] }, minimum: 1, maximum: 9 }, '|1');
  refuses(object({ a: odd }, { required: ['a'] }), '{"a":|3}');
  refuses(
    {
      oneOf: [
        { type: 'integer', maximum: 9 },
        { type: 'integer', minimum: 5 },
      ],
    },
    '7.0|0',
  );
  accepts({ type: 'integer', not: { enum: [1, 2, 3] } }, '30', '5', '-1');
});

test('strings: lengths, patterns, formats, lists', () => {
  refuses({ type: 'string', maxLength: 2 }, '"éé|é"');
  refuses({ type: 'string', minLength: 2 }, '"é|"');
  refuses({ type: 'string', pattern: '^[a-c]+$' }, '"ab|d"');
  accepts({ type: 'string', pattern: '^[a-c]+$' }, '"abc"', '"\\u0061"');
  refuses({ type: 'string', pattern: '^[a-c]+$' }, '"\\u006|4"');
  refuses({ type: 'string', format: 'date' }, '"2023-02-|3"');
  accepts({ enum: ['a"b', 'é', '\n'] }, '"a\\"b"', '"é"', '"\\u00e9"', '"\\n"');
  refuses({ enum: ['a"b', 'é', '\n'] }, '"\\u00|6"');
  refuses({ enum: ['a"b', 'é', '\n'] }, '"\\u00|0a"');
  refuses({ type: 'string', not: { pattern: 'x' } }, '"a|x"');
  refuses({ type: 'string', not: { enum: ['no'] } }, '"no|"');
});

test('declared names come in their order, required ones are not passed by', () => {
  const schema = object({ a: {}, b: {}, c: {} }, { required: ['b'], additionalProperties: false });
  accepts(schema, '{"b":1}', '{"a":1,"b":2,"c":3}');
  refuses(schema, '{"|c":1}');
  refuses(schema, '{"a":1,"b":2,"|a":3}');
  refuses(schema, '{"a":1|}');
  refuses(schema, '{"|x":1}');
  refuses(object({ a: {} }, { required: ['a'] }), '{"|x":1}');
  accepts(object({ a: {}, b: {} }, { required: ['a'] }), '{"a":1,"x":2,"b":3}');
  accepts({ allOf: [object({ a: {} }), object({ b: {} })] }, '{"a":1,"b":2}', '{"b":1,"a":2}');
  const contrary = [object({ a: {}, b: {} }), object({ b: {}, a: {} })];
  accepts({ allOf: contrary }, '{"a":1,"b":2}', '{"b":1,"a":2}');
});

test('names: patterns, propertyNames, counts, dependencies', () => {
  const closed = {
    type: 'object',
    patternProperties: { '^n': { type: 'number' } },
    additionalProperties: false,
  };
  accepts(closed, '{}', '{"n1":1,"n2":2}');
  refuses(closed, '{"|x":1}');
  refuses(closed, '{"n":|"x"}');
  refuses({ type: 'object', propertyNames: { maxLength: 2 } }, '{"ab|c":1}');
  refuses({ type: 'object', maxProperties: 1 }, '{"a":1|,"b":2}');
  refuses({ type: 'object', minProperties: 2 }, '{"a":1|}');
  const dependent = object(
    { a: {}, b: {} },
    { dependentRequired: { a: ['b'] }, additionalProperties: false },
  );
  refuses(dependent, '{"a":1|}');
  accepts(dependent, '{"a":1,"b":2}', '{"b":1}', '{}');
  const few = { type: 'object', patternProperties: { '^[ab]$': {} }, additionalProperties: false };
  refuses(few, '{"a":1,"|a":2}');
});

test('arrays: counts, prefixes, contains, unique', () => {
  refuses({ type: 'array', maxItems: 1 }, '[1|,2]');
  refuses({ type: 'array', minItems: 2 }, '[1|]');
  refuses({ prefixItems: [{ type: 'string' }], items: false }, '["a"|,1]');
  refuses({ type: 'array', contains: { const: 5 }, maxItems: 2 }, '[1,|6]');
  refuses({ type: 'array', contains: { const: 5 } }, '[1|]');
  refuses({ type: 'array', contains: { const: 5 }, maxContains: 1 }, '[5,5|]');
  accepts({ type: 'array', contains: { const: 5 } }, '[1,5]', '[5,6]');
  refuses({ uniqueItems: true }, '[{"a":1,"b":[2]},{"b":[2.0],"a":1|}]');
  refuses({ uniqueItems: true }, '[1, 1|]');
  accepts({ uniqueItems: true }, '[1,"1",true,[1],{"a":1}]');
  refuses({ type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } }, '["a","|a"]');
  refuses({ type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } }, '["a","b"|,"a"]');
});

test('formulas: not, oneOf, if, values of objects and arrays', () => {
  refuses({ type: 'object', not: { required: ['x'] } }, '{"x|":1}');
  const kinds = {
    oneOf: [
      object({ k: { const: 'a' }, v: { type: 'string' } }, { required: ['k', 'v'] }),
      object({ k: { const: 'b' }, v: { type: 'number' } }, { required: ['k', 'v'] }),
    ],
  };
  refuses(kinds, '{"k":"a","v":|1}');
  refuses(kinds, '{"k":"b","v":|"x"}');
  refuses(kinds, '{"k":"|c"}');
  refuses({ oneOf: [{ type: 'number' }, { minimum: 5 }] }, '5|,');
  const chosen = `{"type":"object","if":{"properties":{"a":{"const":1}},"required":["a"]},
    "then":{"properties":{"a":{},"b":{"const":2}},"required":["b"]}}`;
  refuses(chosen, '{"a":1|}');
  accepts(chosen, '{"a":2}', '{"a":1,"b":2}', '{}');
  const listed = { enum: [{ a: 1, b: [2] }, { a: 1 }, [true], 'x'] };
  accepts(listed, '{"a":1,"b":[2]}', '{"a":1.0}', '[true]', '"x"');
  refuses(listed, '{"a":1,"b":[|3]}');
  refuses(listed, '[true|,1]');
});

test('one of very many objects costs few states, and only its own names may come', () => {
  const ways = Array.from({ length: 2000 }, (_, i) => ({
    [`k${i}`]: i,
    same: i % 7,
    [`z${i}`]: {},
  }));
  const budget = new TimedBudget({ milliseconds: 60_000, kept: 150_000 });
  const machine = compileJson(JSON.stringify({ enum: ways }), { whitespace: null }, budget);
  for (const i of [0, 7, 1234, 1999]) {
    const text = JSON.stringify(ways[i]);
    assert.deepEqual(read(machine, text), { at: text.length, complete: true });
    const near = `{"k${i}":${i},"same":${i % 7},"zx"`;
    assert.equal(read(machine, near).at, near.indexOf('x'));
  }
  assert.deepEqual(read(machine, '{"same"').at, 2);
  assert.deepEqual(read(machine, '{"k12":13').at, 8);
  const kinds = Array.from({ length: 400 }, (_, i) =>
    object(
      { kind: { const: `k${i}` }, [`v${i}`]: {} },
      { required: ['kind'], additionalProperties: i % 2 === 0 },
    ),
  );
  const choice = { oneOf: kinds };
  accepts(choice, '{"kind":"k8","v8":1}', '{"kind":"k8","v9":1}', '{"kind":"k9","v9":1}');
  refuses(choice, '{"kind":"k9","v|8":1}');
  refuses(choice, '{"kind":"k90|0"}');
});

test('whitespace: by default a space or a newline and 16; or what the caller says', () => {
  accepts({}, '[1, 2]', '[\n                1]', '{ "a" : 1 }');
  refuses({}, '[ | 1]');
  refuses({}, `[\n${' '.repeat(16)}| 1]`);
  const none = compile({}, '');
  assert.deepEqual(read(none, '[1, 2]'), { at: 3, complete: false });
  assert.deepEqual(read(none, '[1,2]'), { at: 5, complete: true });
  assert.deepEqual(read(compile({}, '[ \\t]*'), '[1, \t 2]'), { at: 8, complete: true });
});

test('states: the same object for the same rest, ended when nothing follows', () => {
  const machine = compile(object({ a: { type: 'string' } }, { additionalProperties: false }));
  const stateAfter = (text: string): object => {
    let state: object | null = machine.start;
    for (const byte of Buffer.from(text)) state = state === null ? null : machine.step(state, byte);
    assert.ok(state !== null, text);
    return state;
  };
  assert.equal(stateAfter('{"a":"x'), stateAfter('{"a":"yz'));
  assert.equal(stateAfter('{"a":"x"}'), stateAfter('{}'));
  const end = stateAfter('{}');
  assert.ok(
    Array.from({ length: 256 }, (_, byte) => machine.step(end, byte)).every((one) => one === null),
  );
  const loop = machine.loop(stateAfter('{"a":"'));
  assert.ok(loop !== null && loop.room === Infinity && loop.characters.beyond);
  assert.equal(loop.characters.ascii[0x22], 0);
  const limited = compile({ type: 'string', maxLength: 9 });
  const inside = limited.step(limited.start, 0x22);
  assert.equal(limited.loop(inside!)?.room, 9);
});

test('risk: never where all is conjunctive, and over once the choice is made', () => {
  const plain = object(
    { a: { type: 'string', pattern: '^x+$' }, n: { type: 'integer', minimum: 3 } },
    { required: ['a'] },
  );
  const machine = compile(plain);
  let state = machine.start;
  for (const byte of Buffer.from('{"a": "xx", "n": 12}')) {
    assert.equal(machine.risky(state), false);
    state = machine.step(state, byte)!;
  }
  const either = compile({
    anyOf: [
      object({ k: { const: 1 }, a: {} }, { required: ['k'] }),
      object({ k: { const: 2 }, b: {} }, { required: ['k'] }),
    ],
  });
  state = either.start;
  const risks = Array.from(Buffer.from('{"k":1,"a":3}'), (byte) => {
    state = either.step(state, byte)!;
    return either.risky(state);
  });
  assert.ok(risks[0] && !risks[6] && !risks.at(-2));
});

test('schemas that nothing satisfies, or that are too large, are refused with a keyword', () => {
  const refused = (schema: unknown, limits = {}): ParlanceError => {
    try {
      const budget = new TimedBudget({ milliseconds: 5000, kept: 2_000_000, ...limits });
      compileJson(JSON.stringify(schema), { whitespace: null }, budget);
    } catch (error) {
      assert.ok(error instanceof ParlanceError && error.reason === 'invalid_constraint');
      return error;
    }
    assert.fail('accepted');
  };
  assert.ok(refused({ type: 'string', enum: ['a'], not: { type: 'string' } }).keyword);
  const half = String.raw`"\ud83d"`;
  for (const one of [half, `{"a":[${half}]}`, `{${half}:1}`]) {
    assert.equal(refused(JSON.parse(`{"properties":{"p":{"const":${one}}}}`)).keyword, 'const');
  }
  refuses(JSON.parse(`{"enum":["a",${half}]}`), '"|\\ud83d"');
  const many = { enum: Array.from({ length: 2000 }, (_, i) => ({ a: i })) };
  assert.equal(refused(many, { kept: 5000 }).keyword, 'enum');
});
