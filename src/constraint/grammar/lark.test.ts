/** Grammars in Lark's notation: samples by tables, every construct, refusals. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { commonTerminals } from './lark-common.ts';
import { compileGrammar, refusalOf } from './walk.test-support.ts';

const calculator = `
?start: sum
      | NAME "=" sum    -> assign_var

?sum: product
    | sum "+" product   -> add
    | sum "-" product   -> sub

?product: atom
    | product "*" atom  -> mul
    | product "/" atom  -> div

?atom: NUMBER           -> number
     | "-" atom         -> neg
     | NAME             -> var
     | "(" sum ")"

%import common.CNAME -> NAME
%import common.NUMBER
%import common.WS_INLINE

%ignore WS_INLINE
`;

const json = String.raw`
// JSON, as in the tutorial
?start: value
?value: object | array | string
      | SIGNED_NUMBER -> number
      | "true" -> true | "false" -> false | "null" -> null
array  : "[" [value ("," value)*] "]"
object : "{" [pair ("," pair)*] "}"
pair   : string ":" value
string : ESCAPED_STRING

%import common (ESCAPED_STRING, SIGNED_NUMBER, WS)
%ignore WS
`;

const sql = `
start: select_statement
select_statement: "SELECT"i columns "FROM"i table ("WHERE"i condition)? ";"
columns: "*" | _list{column, ","}
column: NAME
table: NAME
condition: NAME OPERATOR value
value: NAME | INT | STRING
OPERATOR.2: "=" | "<" | ">" | "<="
STRING: /'[^']*'/
NAME: /[a-zA-Z_]\\w*/
_list{item, sep}: item (sep item)*
%import common.INT
%import common.WS
%import common.SQL_COMMENT
%ignore WS
%ignore SQL_COMMENT
`;

const samples: readonly (readonly [
  name: string,
  source: string,
  accepted: readonly string[],
  refused: readonly (readonly [text: string, at: number])[],
])[] = [
  [
    'a calculator',
    calculator,
    ['1', 'x = 1 + 2.5e-3*(y - -4)', '  1 + 1\t'],
    [
      ['1 +', 3],
      ['1 + )', 4],
      ['x = = 1', 4],
      ['1\n', 1],
    ],
  ],
  [
    'JSON',
    json,
    ['{"a": [1, -2.5e3, {"é€": "\\u00e9"}], "b" : null}', ' [ ]\n', '"\\""'],
    [
      ['{"a": 1,}', 8],
      ['[1 2]', 3],
      ['"\n', 1],
    ],
  ],
  [
    'SQL with a template, any case, comments',
    sql,
    ['SELECT * FROM t;', "select a , b from T where x <= 'it' -- why\n ;"],
    [
      ['SELECT , FROM t;', 7],
      ['SELECT a FROM t', 15],
    ],
  ],
  [
    'indentation is not needed, alternatives begin lines',
    'start: a\n    | b\n\n  | c // end\na: "a"\nb: "b"\nc: "c"',
    ['a', 'b', 'c'],
    [['d', 0]],
  ],
  [
    'counts',
    'start: "a"~2 "b"~1..3 ["c"] ("d" "e")* "f"? X{2}\nX: "x"',
    ['aabxx', 'aabbbcdedefxx'],
    [
      ['aaabxx', 2],
      ['aabxxx', 5],
    ],
  ],
  [
    'texts and escapes',
    String.raw`start: "\n\x41\u00e9\"\\" "stra\u00dfe"i "\d" "é"i`,
    ['\nAé"\\STRAßE\\dÉ', '\nAé"\\straße\\dé'],
    [['\nAé"\\straSe', 10]],
  ],
  [
    'ranges and regexes',
    String.raw`start: "a".."c" /[x-z]{2}/i /a.b/s /\/\d/`,
    ['bXya\nb/1'],
    [
      ['d', 0],
      ['axya\nb/x', 7],
    ],
  ],
  [
    'lazy regexes stop at their first match',
    String.raw`start: S+ | C+
S: /".*?"/
C: /\/\*(.|\n)*?\*\//`,
    ['"a""b"', '/* a *//* b\n */'],
    [
      ['"a"b"', 3],
      ['/* a */ b */', 7],
    ],
  ],
  [
    'ignored terminals stand between tokens, not in them',
    'start: WORD+ "end"\nWORD: LETTER ("-" LETTER)*\nLETTER: "a".."z"\n%ignore " "',
    [' a-b  c end ', 'a-bend'],
    [
      ['a -b', 2],
      ['a- b', 2],
    ],
  ],
  [
    'templates in templates, with groups and regexes',
    `start: _pairs{/[a-z]+/, ("1" | "2")}
_pairs{key, value}: _list{_pair{key, value}}
_pair{key, value}: key "=" value
_list{x}: x | _list{x} "," x`,
    ['a=1', 'a=1,bc=2,d=1'],
    [['a=3', 2]],
  ],
  [
    'modifiers and priorities mean nothing',
    '!start.3: _a b\n_a.1: "a"\n?b: "b" -> c\n',
    ['ab'],
    [['b', 0]],
  ],
  [
    'JSON schemas in a grammar',
    'start: "call" %json {"type": "object", "properties": {"}": {"const": "\\"}"}}} ";"\n%ignore " "',
    ['call {"}": "\\"}"} ;', 'call{};'],
    [
      ['call {"a";', 9],
      ['call {"}": 1', 11],
    ],
  ],
  ['settings of others', '%llguidance {"no_forcing": true}\nstart: "a"', ['a'], [['b', 0]]],
  ['any recursion', 'start: start "a" | "b" | | start start', ['', 'ba', 'bab'], [['bc', 1]]],
];

for (const [name, source, accepted, refused] of samples) {
  test(name, () => {
    const machine = compileGrammar(source);
    for (const text of accepted) assert.equal(refusalOf(machine, text), null, text);
    for (const [text, at] of refused) assert.equal(refusalOf(machine, text), at, text);
  });
}

test('special tokens stand outside of quotes', () => {
  const machine = compileGrammar('start: <|x|> "y"', ['<|x|>']);
  let state: object | null = machine.start;
  for (const byte of [0xff, ...Buffer.from('<|x|>'), 0xfe, 0x79]) {
    state = state === null ? null : machine.step(state, byte);
  }
  assert.ok(state !== null && machine.accepts(state));
});

describe('common terminals', () => {
  const table: Readonly<Record<string, readonly [accepted: string[], refused: string[]]>> = {
    DIGIT: [['7'], ['', '77']],
    HEXDIGIT: [['a', 'F', '0'], ['g']],
    INT: [['007'], ['-1']],
    SIGNED_INT: [['+1', '-22', '3'], ['--1']],
    DECIMAL: [
      ['1.', '.5', '1.5'],
      ['.', '1'],
    ],
    FLOAT: [
      ['1e5', '1.5E-3', '.5'],
      ['1', 'e5'],
    ],
    SIGNED_FLOAT: [['-1.5'], ['-1']],
    NUMBER: [['1', '1.5e3'], ['-1']],
    SIGNED_NUMBER: [['-1', '+1.5'], ['1-']],
    ESCAPED_STRING: [
      ['""', '"a\\"b"', '"\\\\"'],
      ['"a"b"', '"\\"', '"\n"'],
    ],
    LCASE_LETTER: [['a'], ['A', 'é']],
    UCASE_LETTER: [['A'], ['a']],
    LETTER: [['a', 'Z'], ['1']],
    WORD: [['abC'], ['', 'a1']],
    CNAME: [['_a1', 'b'], ['1a']],
    WS_INLINE: [[' \t'], ['\n', '']],
    WS: [[' \t\r\n\f'], ['x']],
    CR: [['\r'], ['\n']],
    LF: [['\n'], ['\r']],
    NEWLINE: [['\n', '\r\n\n'], ['\r']],
    SH_COMMENT: [['# a'], ['# a\n']],
    CPP_COMMENT: [['// a'], ['// a\n', '/']],
    C_COMMENT: [
      ['/* a\n * **/', '/**/'],
      ['/* a */ */', '/*/'],
    ],
    SQL_COMMENT: [['-- a'], ['- a']],
  };

  for (const [name, [accepted, refused]] of Object.entries(table)) {
    test(name, () => {
      const machine = compileGrammar(`start: ${name}\n%import common.${name}`);
      for (const text of accepted) assert.equal(refusalOf(machine, text), null, text);
      for (const text of refused) assert.notEqual(refusalOf(machine, text), null, text);
    });
  }

  test('all are tried', () => {
    const tried = Object.keys(commonTerminals).filter((name) => !name.startsWith('_'));
    assert.deepEqual(tried.toSorted(), Object.keys(table).toSorted());
  });
});

describe('refusals name the place and the construct', () => {
  const refusals: readonly (readonly [source: string, keyword: string, message: RegExp])[] = [
    ['start: "a" thing', 'thing', /line 1, column 12: there is no rule thing/],
    ['a: "a"', 'start', /no rule start/],
    ['start: "a\n', 'literal', /not closed/],
    ['start: /a', 'regex', /not closed/],
    ['start: /a/x', '/x', /flag x/],
    ['start: ("a"', 'group', /line 1, column 8/],
    ['start: "a")', ')', /cannot stand/],
    ['start: "a"\nstart: "b"', 'start', /line 2, column 1: start is defined twice/],
    ['start: "ab".."c"', '..', /one character/],
    ['start: "c".."a"', '..', /before it begins/],
    ['start: "a"~3..2', '~', /before it begins/],
    ['start: A\n%declare A', '%declare', /line 2, column 1: %declare is not supported/],
    ['start: A\n%import python.A', '%import', /common/],
    ['start: A\n%import common.NOTHING', '%import', /NOTHING/],
    ['start: t{"a"}', 't', /no template t/],
    ['start: t{"a", "b"}\nt{x}: x', 't', /takes 1/],
    ['start: t\nt{x}: x', 't', /parameters/],
    ['start: "a" start', 'start', /No text/],
    ['start: /(/', 'pattern', /./],
    ['start: %json {', '%json', /braces/],
    ['start: %json {"type": 1}', 'type', /./],
    ['start: %lark {}', '%lark', /not supported/],
    [`start: ${'('.repeat(300)}`, 'group', /deep/],
    ['start: t{"a"}\nt{x}: "x" t{(x x)} | x', 't', /too large/],
  ];
  for (const [source, keyword, message] of refusals) {
    test(source.slice(0, 40).replaceAll('\n', ' '), () => {
      assert.throws(
        () => compileGrammar(source),
        (error) => {
          assert.ok(error instanceof ParlanceError);
          assert.equal(error.reason, 'invalid_constraint');
          assert.equal(error.keyword, keyword);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});
