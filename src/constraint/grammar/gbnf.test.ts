/** Grammars in GBNF style: random ones against a slow reading, real ones by tables, refusals, bombs. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { TimedBudget } from '../budget.ts';
import { compileConstraint } from '../compile.ts';
import { createDice } from '../mask/random-machine.test-support.ts';
import { randomGrammar, readNaively, writeGrammar } from './naive-grammar.test-support.ts';
import { compileGrammar, refusalOf } from './walk.test-support.ts';

function textsUpTo(length: number): string[] {
  const texts = [''];
  for (const text of texts) if (text.length < length) texts.push(`${text}a`, `${text}b`);
  return texts;
}

describe('random grammars', () => {
  const texts = textsUpTo(6);
  let compared = 0;
  let unproductive = 0;

  for (let group = 0; group < 4; group++) {
    test(`accept and refuse as a slow reading does (${group})`, () => {
      for (let round = 0; round < 40; round++) {
        const dice = createDice(group * 1000 + round);
        const grammar = randomGrammar(dice, dice.whole(1, 4));
        const source = writeGrammar(grammar);
        if (!readNaively(grammar, '').live) {
          assert.throws(() => compileGrammar(source), { reason: 'invalid_constraint' }, source);
          unproductive++;
          continue;
        }
        const machine = compileGrammar(source);
        for (const text of texts) {
          const { accepted, live } = readNaively(grammar, text);
          const found = refusalOf(machine, text);
          assert.equal(found === null, accepted, `${source}\n"${text}"`);
          assert.equal(found === null || found === text.length, live, `${source}\n"${text}" live`);
          compared++;
        }
      }
    });
  }

  test('many were compared, and some read nothing at all', () => {
    assert.ok(compared > 10_000, String(compared));
    assert.ok(unproductive > 5, String(unproductive));
  });
});

const json = String.raw`
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws

object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws

array  ::=
  "[" ws (
            value
    ("," ws value)*
  )? "]" ws

string ::=
  "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
  )* "\"" ws

number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
# Optional space: by convention, applied in this grammar after literal chars when allowed
ws ::= | " " | "\n" [ \t]{0,20}
`;

const arithmetic = `
root  ::= (expr "=" term "\\n")+
expr  ::= term ([-+*/] term)*
term  ::= num | "(" expr ")"
num   ::= [0-9]+
`;

const c = `
root ::= (declaration)*
declaration ::= dataType identifier "(" parameter? ")" "{" statement* "}"
dataType  ::= "int" ws | "float" ws | "char" ws
identifier ::= [a-zA-Z_] [a-zA-Z_0-9]*
parameter ::= dataType identifier
statement ::=
    ( dataType identifier ws "=" ws expression ";" ) |
    ( identifier ws "=" ws expression ";" ) |
    ( identifier ws "(" argList? ")" ";" ) |
    ( "return" ws expression ";" ) |
    ( "while" "(" condition ")" "{" statement* "}" ) |
    ( "if" "(" condition ")" "{" statement* "}" ("else" "{" statement* "}")? )
condition ::= expression relationOperator expression
relationOperator ::= ("<=" | "<" | "==" | "!=" | ">=" | ">")
expression ::= term (("+" | "-") term)*
term ::= factor(("*" | "/") factor)*
factor ::= identifier | number | unaryTerm | funcCall | parenExpression
unaryTerm ::= "-" factor
funcCall ::= identifier "(" argList? ")"
parenExpression ::= "(" ws expression ws ")"
argList ::= expression ("," ws expression)*
number ::= [0-9]+
ws ::= ([ \\t\\n]+)
`;

/** Grammar, texts that it accepts, and others with the byte at which each is refused. */
const samples: readonly (readonly [
  name: string,
  source: string,
  accepted: readonly string[],
  refused: readonly (readonly [text: string, at: number])[],
])[] = [
  [
    'JSON',
    json,
    ['{}', '{"a": [1, -2.5e3, {"é€😀": "\\u00e9\\n"}], "b":null}', '{ "a" :1}'.replace(' :', ':')],
    [
      ['[]', 0],
      ['{"a": 01}', 7],
      ['{"a":1,}', 7],
      ['{"a": tru', 9],
      ['{"a": "\n', 7],
      ['{"a": "\\x"}', 8],
    ],
  ],
  [
    'arithmetic',
    arithmetic,
    ['1+2=3\n', '(1*(2+3))/4=5\n6=6\n'],
    [
      ['1+=', 2],
      ['1=2+', 3],
      ['(1)=1', 5],
    ],
  ],
  [
    'a language like C',
    c,
    [
      'int main(){int x = 1;x = x+2*( 3 );return x;}',
      'float f(int a){while(a<10){a = a+1;}if(a==1){g (a);}else{}return -a;}',
    ],
    [
      ['int main(){x}', 12],
      ['int 1', 4],
    ],
  ],
  [
    'left recursion',
    'root ::= root "a" | "b"',
    ['b', 'baaaa'],
    [
      ['a', 0],
      ['bb', 1],
    ],
  ],
  [
    'hidden left recursion',
    'root ::= n root "a" | "b"\nn ::= "" | "c"',
    ['b', 'ccbaaa', 'cba'],
    [
      ['ccba', 4],
      ['cb', 2],
    ],
  ],
  [
    'mutual left recursion',
    'root ::= x "1" | "z"\nx ::= root "2" | "y"',
    ['z', 'y1', 'z21', 'y121'],
    [['z1', 1]],
  ],
  [
    'ambiguity',
    'root ::= root root | "a" | "aa"',
    ['a', 'aaaaaaa'],
    [
      ['', 0],
      ['ab', 1],
    ],
  ],
  ['cycles', 'root ::= root | x\nx ::= root | "a" x | ""', ['', 'aaa'], [['b', 0]]],
  [
    'palindromes',
    'root ::= "a" root "a" | "b" root "b" | [ab]?',
    ['', 'abba', 'ababa'],
    [['abc', 2]],
  ],
  [
    'names, quotes, comments',
    "root ::= my-rule_2 # \"::=\nmy-rule_2::='it''s' [^\\n\\]-]",
    ['itsx', 'its['],
    [
      ['its]', 3],
      ['its-', 3],
    ],
  ],
  [
    'escapes',
    String.raw`root ::= "\x41\u00e9\U0001F600\"\\\t" [\x00-\x1f] .`,
    ['Aé😀"\\\t\n\n'],
    [['Aê', 2]],
  ],
  ['empty alternatives', 'root ::= "a" | | "b"\n', ['', 'a', 'b'], [['ab', 1]]],
  [
    'counts',
    'root ::= "a"{2} "b"{,2} "c"{1,} [d-]?',
    ['aac', 'aabbccc-', 'aacd'],
    [
      ['aabbb', 4],
      ['ab', 1],
    ],
  ],
  [
    'classes beyond ASCII',
    'root ::= [à-ÿ€-₿😀-😂]+ [^a-z]',
    ['é€😁1', 'ÿé', 'éz'.replace('z', '中')],
    [
      ['é7a', 3],
      ['z', 0],
      ['é😃a', 6],
    ],
  ],
];

for (const [name, source, accepted, refused] of samples) {
  test(name, () => {
    const machine = compileGrammar(source);
    for (const text of accepted) assert.equal(refusalOf(machine, text), null, text);
    for (const [text, at] of refused) assert.equal(refusalOf(machine, text), at, text);
  });
}

test('special tokens: outside of quotes the token, inside of them its letters', () => {
  const machine = compileGrammar('root ::= <|x|> "<|x|>"', ['<|x|>']);
  const token = [0xff, ...Buffer.from('<|x|>'), 0xfe];
  let state: object | null = machine.start;
  for (const byte of [...token, ...Buffer.from('<|x|>')]) state = machine.step(state!, byte);
  assert.ok(state !== null && machine.accepts(state));
  assert.equal(refusalOf(machine, '<'), 0);
});

describe('refusals name the place and the construct', () => {
  const refusals: readonly (readonly [source: string, keyword: string, message: RegExp])[] = [
    ['root ::= "a" thing', 'thing', /line 1, column 14: there is no rule thing/],
    ['a ::= "a"', 'root', /no rule root/],
    ['root ::= "a\\q"', 'escape', /line 1, column 12/],
    ['root ::= "a', 'literal', /not closed/],
    ['root ::= [a', '[', /not closed/],
    ['root ::= [z-a]', '[', /ends before/],
    ['root ::= ("a"', 'group', /line 1, column 10/],
    ['root ::= "a")', 'group', /closes nothing/],
    ['root ::= "a"\nroot ::= "b"', 'root', /line 2, column 1/],
    ['root ::= "a"{3,2}', '{3,2}', /ends before/],
    ['root ::= "a"{x}', '{', /expected/],
    ['root ::= (= "a") "b"', '(=', /lookaheads/],
    ['root ::= <|none|>', '<|none|>', /no special token/],
    ['root ::= *', '*', /nothing begins/],
    ['root ::= root "a"', 'root', /no text/i],
    [`root ::= ${'('.repeat(300)}`, 'group', /deep/],
  ];
  for (const [source, keyword, message] of refusals) {
    test(source.slice(0, 40), () => {
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

describe('states recur', () => {
  /** Distinct states while the same stretch is written again and again. */
  function statesOf(source: string, start: string, stretch: string): number {
    const machine = compileGrammar(source);
    const seen = new Set<object>();
    let state: object | null = machine.start;
    for (const byte of Buffer.from(start + stretch.repeat(50))) {
      state = machine.step(state, byte);
      assert.ok(state !== null);
      seen.add(state);
    }
    return seen.size;
  }

  const cases: readonly (readonly [
    name: string,
    source: string,
    start: string,
    stretch: string,
  ])[] = [
    ['JSON', json, '{"a":[', '{"b":[1,"x"]},'],
    ['right recursion', 'root ::= "x" "," root | "x"', '', 'x,'],
    [
      'indirect right recursion',
      'root ::= item\nitem ::= "x" rest\nrest ::= "," item | ""',
      '',
      'x,',
    ],
    ['left recursion', 'root ::= root "," "x" | "x"', 'x', ',x'],
    ['ambiguous operators', 'root ::= root [-+] root | [0-9] | "(" root ")"', '1', '+(2-3)'],
    [
      'operators in levels',
      'root ::= root "+" t | t\nt ::= t "*" f | f\nf ::= "(" root ")" | "x"',
      '',
      'x*x+(x)+',
    ],
    ['everything is ambiguous', 'root ::= root root | "a"', '', 'a'],
  ];
  for (const [name, source, start, stretch] of cases) {
    test(name, () => {
      const found = statesOf(source, start, stretch);
      assert.ok(found <= start.length + 3 * stretch.length + 3, String(found));
    });
  }
});

test('tables that grow too large begin anew, and what was reached stays right', () => {
  const machine = compileGrammar('root ::= "(" root ")" | "x"');
  const text = `${'('.repeat(13_000)}x${')'.repeat(13_000)}`;
  assert.equal(refusalOf(machine, text), null);
  assert.equal(refusalOf(machine, `${text})`), text.length);
  assert.equal(refusalOf(machine, text.slice(0, -1)), text.length - 1);
});

describe('bombs end within their limits', () => {
  const limited = (source: string, text: string): void => {
    const budget = new TimedBudget({ milliseconds: 3000, kept: 300_000 });
    const machine = compileConstraint({ kind: 'grammar', source }, { specials: [], budget });
    let state: object | null = machine.start;
    for (const byte of Buffer.from(text)) {
      budget.renew(1000);
      state = machine.step(state!, byte);
    }
  };

  test('copies of copies are refused by name', () => {
    for (const source of [
      'root ::= "a"{1000}{1000}{1000}',
      'root ::= x{99999}\nx ::= ""\n y::="b"{999999}',
    ]) {
      try {
        limited(source, 'aaaa');
      } catch (error) {
        assert.ok(error instanceof ParlanceError);
        assert.equal(error.reason, 'invalid_constraint');
        assert.ok(['root', 'grammar'].includes(error.keyword!), error.keyword!);
      }
    }
    assert.throws(() => limited('root ::= "a"{1000}{1000}{1000}', ''), { keyword: 'root' });
  });

  test('more copies than there is room for are refused before they are drawn', () => {
    for (const source of [
      'root ::= "a"{1000000}',
      'root ::= "abc"{0,500000}',
      'root ::= ("a"{1000} | [x-z]){1000,}',
      'root ::= "x" other\nother ::= ([^"] "b"){200000}',
    ]) {
      const spent = { kept: 0 };
      const budget = {
        spend: (_work: number, kept: number) => {
          spent.kept += kept;
        },
      };
      assert.throws(
        () => compileConstraint({ kind: 'grammar', source }, { specials: [], budget }),
        { reason: 'invalid_constraint', keyword: source.includes('other') ? 'other' : 'root' },
      );
      assert.ok(spent.kept < 10_000, `${source}: ${spent.kept} kept`);
    }
    limited('root ::= "a"{50000}', 'aaaa');
  });

  test('long chains, wide alternatives, deep stacks', () => {
    const chain = Array.from(
      { length: 1000 },
      (_, index) => `r${index} ::= r${index + 1} | "x" r0`,
    );
    limited(`root ::= r0\n${chain.join('\n')}\nr1000 ::= "y"`, 'xxxy');
    const words = Array.from({ length: 5000 }, (_, index) => `"word${index}"`);
    limited(`root ::= ${words.join(' | ')}`, 'word4999');
    limited('root ::= "(" root ")" | ""', '('.repeat(3000) + ')'.repeat(3000));
    limited('root ::= "x" root ws | ""\nws ::= " "*', `${'x'.repeat(400)}   `);
  });
});
