/** Constraints that blow up in a careless engine, each with what may become of it. For end-to-end tests. */

import type { Body } from './ask.ts';

export interface Bomb {
  readonly name: string;
  readonly fields: Body;
  /** The refusal's message names it. */
  readonly refusal: RegExp;
  /** It cannot be made to work, however much time there is. */
  readonly refused: boolean;
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** A schema in a schema in a schema. */
function nested(depth: number, around: (inner: object) => object, core: object): object {
  let schema = core;
  for (let level = 0; level < depth; level += 1) schema = around(schema);
  return schema;
}

const word = (at: number): string =>
  `${String.fromCharCode(97 + (at % 26))}${String(at * 7919)}${String.fromCharCode(97 + ((at * 11) % 26))}`;

const may = (name: string, fields: Body, refusal: RegExp): Bomb => ({
  name,
  fields,
  refusal,
  refused: false,
});
const never = (name: string, fields: Body, refusal: RegExp): Bomb => ({
  ...may(name, fields, refusal),
  refused: true,
});

const json = (schema: object): Body => ({ guided_json: schema });
const regex = (pattern: string): Body => ({ guided_regex: pattern });
const grammar = (source: string): Body => ({ guided_grammar: source });

const quantifier = /quantifier|regex|pattern|\{|\*|\+/i;

export const regexBombs: readonly Bomb[] = [
  may('nested quantifiers', regex('(((a{1,100}){1,100}){1,100}){1,100}'), quantifier),
  may('nested stars', regex('((a*)*)*b'), quantifier),
  may('what makes others backtrack', regex('(x+x+)+y'), quantifier),
  may('a counted class', regex('(a|b){50000}c'), quantifier),
  may('what has exponentially many states', regex('(a|b)*a(a|b){40}'), quantifier),
  may('a pattern of 100,000 characters', regex('ab?'.repeat(33_334)), /regex|pattern/i),
  may('an alternation of 5,000 words', regex(times(5000, word).join('|')), /regex|pattern|\|/i),
  may('a million repeats of a million', regex('(a{1000000}){1000000}'), quantifier),
  never(
    'parentheses 20,000 deep',
    regex(`${'('.repeat(20_000)}a${')'.repeat(20_000)}`),
    /regex|nest|\(|group/i,
  ),
  never('a back reference', regex('(a)\\1'), /back ?reference|\\1/i),
  may('a large choice', { guided_choice: times(20_000, word) }, /choice/i),
  may(
    'whitespace',
    { ...json({ type: 'object' }), guided_whitespace_pattern: '((( *)*)*)*' },
    /whitespace|regex|pattern/i,
  ),
];

const tree = {
  $defs: {
    node: {
      type: 'object',
      properties: {
        left: { $ref: '#/$defs/node' },
        right: { $ref: '#/$defs/node' },
        value: { type: 'integer' },
      },
      required: ['value'],
      additionalProperties: false,
    },
  },
  $ref: '#/$defs/node',
};

const endlessTree = {
  $defs: {
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] },
  },
  $ref: '#/$defs/node',
};

export const schemaBombs: readonly Bomb[] = [
  may('a huge enum', json({ enum: times(10_000, word) }), /enum/),
  may(
    'a huge enum of objects',
    json({ enum: times(3000, (at) => ({ [word(at)]: [at, word(at)] })) }),
    /enum/,
  ),
  may(
    'deep allOf',
    json(nested(80, (inner) => ({ allOf: [inner, { type: 'object', minProperties: 1 }] }), {})),
    /allOf/,
  ),
  may(
    'an allOf of choices',
    json({
      allOf: times(24, (at) => ({ anyOf: [{ required: [`a${at}`] }, { required: [`b${at}`] }] })),
    }),
    /allOf|anyOf/,
  ),
  may(
    'a oneOf of what overlaps',
    json({ oneOf: times(30, (at) => ({ type: 'string', minLength: at, maxLength: 40 + at })) }),
    /oneOf|Length/,
  ),
  may('not in not', json(nested(101, (inner) => ({ not: inner }), { type: 'string' })), /not/),
  may('a recursive tree', json(tree), /\$ref/),
  never(
    'a recursion without an end',
    json(endlessTree),
    /\$ref|required|nothing|no (?:value|document)/i,
  ),
  never('a schema that is itself', json({ $ref: '#' }), /\$ref/),
  never(
    'two that are each other',
    json({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }),
    /\$ref/,
  ),
  never('a $ref elsewhere', json({ $ref: 'http://169.254.169.254/latest/meta-data' }), /\$ref/),
  never('a $ref to a file', json({ properties: { a: { $ref: 'file:///etc/passwd' } } }), /\$ref/),
  may(
    'maxItems 100000',
    json({ type: 'array', items: { type: 'integer' }, maxItems: 100_000 }),
    /maxItems/,
  ),
  may(
    'minItems 100000',
    json({ type: 'array', items: { type: 'integer' }, minItems: 100_000 }),
    /minItems/,
  ),
  may(
    'unique items',
    json({ type: 'array', uniqueItems: true, items: { enum: times(300, word) }, minItems: 250 }),
    /uniqueItems|enum|minItems/,
  ),
  may(
    'maxLength 10000000',
    json({ type: 'string', maxLength: 10_000_000, minLength: 9_999_999 }),
    /Length/,
  ),
  may('minProperties 100000', json({ type: 'object', minProperties: 100_000 }), /minProperties/),
  may(
    '200-fold nesting',
    json(
      nested(200, (inner) => ({ type: 'object', properties: { a: inner }, required: ['a'] }), {
        type: 'null',
      }),
    ),
    /properties|nest/,
  ),
  may(
    '5,000-fold nesting',
    { guided_json: `${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}` },
    /items|nest|deep/,
  ),
  may(
    'a pattern with nested quantifiers',
    json({ type: 'string', pattern: '^((a{1,90}){1,90}){1,90}$' }),
    /pattern/,
  ),
  may(
    'patterns that overlap',
    json({
      type: 'object',
      patternProperties: Object.fromEntries(times(40, (at) => [`a.*${word(at)}`, { minimum: at }])),
    }),
    /patternProperties/,
  ),
  may(
    '2,000 properties that are needed',
    json({
      type: 'object',
      properties: Object.fromEntries(times(2000, (at) => [word(at), { type: 'integer' }])),
      required: times(2000, word),
    }),
    /properties|required/,
  ),
  may(
    'a number of no end',
    json({ type: 'number', multipleOf: 1e-300, maximum: 1e300 }),
    /multipleOf|maximum/,
  ),
  may(
    'a large divisor',
    json({ type: 'integer', multipleOf: 999_999_937, minimum: 1 }),
    /multipleOf|minimum/,
  ),
  may(
    'contains in contains',
    json(
      nested(30, (inner) => ({ type: 'array', contains: inner, minContains: 2, maxItems: 9 }), {
        const: 1,
      }),
    ),
    /contains|Contains|maxItems/,
  ),
];

const doubling = [
  'root ::= r0',
  ...times(40, (at) => `r${at} ::= r${at + 1} r${at + 1}`),
  'r40 ::= "a"?',
].join('\n');

export const grammarBombs: readonly Bomb[] = [
  may('an ambiguous grammar', grammar('root ::= root root | "a"'), /root|recurs/),
  may('left recursion', grammar('root ::= root "a" | "b"'), /root|recurs/),
  may(
    'rules that may be empty, in a circle',
    grammar('root ::= a\na ::= b a | ""\nb ::= a b | "" | "x"'),
    /rule|`[ab]`|root|recurs/,
  ),
  may('a doubling chain', grammar(doubling), /r\d+|root|rule/),
  may('a million repeats', grammar('root ::= ("a" | "bc"){1000000}'), /root|repeat|\{/),
  may(
    'repeats of repeats',
    grammar('root ::= ((("a"{1,99}){1,99}){1,99}){1,99}'),
    /root|repeat|\{/,
  ),
  may(
    '5,000 rules',
    grammar(
      [
        'root ::= r0',
        ...times(5000, (at) => `r${at} ::= "${word(at)}" r${at + 1} | "."`),
        'r5000 ::= "end"',
      ].join('\n'),
    ),
    /rule|r\d+|root/,
  ),
  never('a rule that is only itself', grammar('root ::= root'), /root|rule/),
  never('nothing but a rule that is missing', grammar('root ::= missing'), /missing/),
  may(
    'Lark with a nested terminal',
    grammar('start: A\nA: /((a{1,90}){1,90}){1,90}/'),
    /A|regex|pattern|\{/,
  ),
  may(
    'a thousand tags',
    {
      structural_tag: {
        type: 'structural_tag',
        structures: times(1000, (at) => ({
          begin: `<${word(at)}>`,
          schema: { type: 'object' },
          end: `</${word(at)}>`,
        })),
        triggers: ['<'],
      },
    },
    /tag|trigger|structures|begin/,
  ),
];
