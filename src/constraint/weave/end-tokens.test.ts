import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TimedBudget } from '../budget.ts';
import { compileConstraint } from '../compile.ts';
import { specialBegin, specialEnd } from '../machine.ts';
import type { ConstraintSpec } from '../spec.ts';

const ends = ['<|im_end|>', '<|call|>'];
const specials = [...ends, '<|tool|>'];

const compile = (spec: ConstraintSpec) =>
  compileConstraint(spec, { specials, ends, budget: new TimedBudget() });

/** Whether the text is taken, special tokens for their names: null where it is left before its end. */
function read(spec: ConstraintSpec, text: string): boolean | null {
  const machine = compile(spec);
  const pieces = text.split(/(<\|\w+\|>)/).map((piece) => {
    const bytes = Buffer.from(piece);
    return specials.includes(piece) ? [specialBegin, ...bytes, specialEnd] : [...bytes];
  });
  let state: object | null = machine.start;
  for (const byte of pieces.flat()) {
    if (state === null) return null;
    state = machine.step(state, byte);
  }
  return state === null ? null : machine.accepts(state);
}

const literal = (text: string): ConstraintSpec => ({ kind: 'literal', text });
const sequence = (...parts: ConstraintSpec[]): ConstraintSpec => ({ kind: 'sequence', parts });
const json: ConstraintSpec = { kind: 'json', schema: '{"type":"integer"}', whitespace: null };
const tags = (
  tag: { begin?: string; end?: string },
  more: { triggers?: string[]; atLeastOne?: boolean } = {},
): ConstraintSpec => ({
  kind: 'tags',
  triggers: ['<'],
  tags: [{ begin: '<f>', content: json, end: '</f>', ...tag }],
  atLeastOne: true,
  stopAfterFirst: false,
  ...more,
});

test('what cannot be completed behind an end token is refused by the field that names it', () => {
  const refused: readonly (readonly [ConstraintSpec, string])[] = [
    [literal('<|im_end|>x'), 'literal'],
    [sequence(literal('<|im_end|>'), json, literal('</f>')), 'begin'],
    [sequence(literal('<f>'), { kind: 'text-until', until: 'a<|im_end|>b' }), 'end'],
    [sequence({ kind: 'text-until', until: '<|im_end|>' }, json), 'begin'],
    [{ kind: 'repeat', of: json, min: 2, max: null, separator: '<|im_end|>' }, 'separator'],
    [tags({ begin: '<|im_end|>', end: '' }, { triggers: ['<|im_end|>'] }), 'begin'],
    [tags({ begin: 'f:<|im_end|>,' }, { triggers: ['f:'] }), 'begin'],
    [tags({ end: '<|im_end|>.' }), 'end'],
    [{ kind: 'grammar', source: 'root ::= a "x"\na ::= <|im_end|>' }, 'root'],
    [{ kind: 'grammar', source: 'root ::= "a" <|im_end|> "x"' }, 'root'],
  ];
  for (const [spec, keyword] of refused) {
    assert.throws(
      () => compile(spec),
      { reason: 'invalid_constraint', keyword, message: /ends its answer/ },
      JSON.stringify(spec),
    );
    // The same with a token that ends nothing.
    const other = JSON.parse(JSON.stringify(spec).replaceAll('<|im_end|>', '<|tool|>'));
    assert.doesNotThrow(() => compile(other as ConstraintSpec), JSON.stringify(other));
  }
});

test('texts may end with such a token, and go ways on which none stands', () => {
  const calls = {
    kind: 'repeat',
    of: sequence(literal('c:'), json, literal('<|call|>')),
    min: 1,
    max: null,
    separator: '',
  } as const;
  assert.equal(read(calls, 'c:1<|call|>'), true);
  assert.equal(read(sequence(literal('a'), calls), 'ac:1'), false);
  assert.equal(read(tags({ end: '<|call|>' }), 'text <f>1<|call|>'), true);
  const either: ConstraintSpec = {
    kind: 'either',
    of: [sequence(literal('a<|im_end|>'), json), literal('b')],
  };
  assert.equal(read(either, 'b'), true);
  // It leads nowhere, and is not begun.
  assert.equal(read(either, 'a'), null);
  const optional = tags({ begin: '<|im_end|>' }, { triggers: ['<|im_end|>'], atLeastOne: false });
  assert.equal(read(optional, 'text'), true);
  assert.equal(read(optional, '<|im_end|>'), null);
  const grammar: ConstraintSpec = {
    kind: 'grammar',
    source: 'root ::= "(" root ")" | a\na ::= "x" b\nb ::= <|im_end|> | "y"',
  };
  assert.equal(read(grammar, 'x<|im_end|>'), true);
  assert.equal(read(grammar, '(xy)'), true);
});

test('an end token whose refusal has another cause is not blamed', () => {
  const source = 'root ::= <|im_end|> | a\na ::= a "x"';
  assert.equal(read({ kind: 'grammar', source }, '<|im_end|>'), true);
  assert.throws(() => compile({ kind: 'grammar', source: 'root ::= a <|im_end|>\na ::= a "x"' }), {
    keyword: 'root',
    message: /No text satisfies/,
  });
});
