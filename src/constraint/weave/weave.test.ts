/** Combinators: random trees against a slow reading, liveness, special tokens, tags, loops, refusals. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { TimedBudget } from '../budget.ts';
import { compileConstraint } from '../compile.ts';
import { specialBegin, specialEnd, type Machine } from '../machine.ts';
import { createDice, type Dice } from '../mask/random-machine.test-support.ts';
import type { ConstraintSpec } from '../spec.ts';
import { letters, matchesNaively, randomSpec } from './random-spec.test-support.ts';

const specials = ['<|tool|>', '<|end|>', '<|tool|>s'];

function compile(spec: ConstraintSpec): Machine {
  return compileConstraint(spec, { specials, budget: new TimedBudget() });
}

/** The bytes of a text; `⟨name⟩` is the special token `<|name|>`. */
function bytesOf(text: string): number[] {
  return text.split(/(⟨\w+⟩)/).flatMap((part) => {
    const name = /^⟨(\w+)⟩$/.exec(part)?.[1];
    if (name === undefined) return [...Buffer.from(part)];
    return [specialBegin, ...Buffer.from(`<|${name}|>`), specialEnd];
  });
}

function walk(machine: Machine, text: string, from: object = machine.start): object | null {
  let state: object | null = from;
  for (const byte of bytesOf(text)) {
    state = machine.step(state, byte);
    if (state === null) return null;
  }
  return state;
}

/** `yes`, `begun` where it may go on, `no`. */
function verdict(machine: Machine, text: string): string {
  const state = walk(machine, text);
  if (state === null) return 'no';
  return machine.accepts(state) ? 'yes' : 'begun';
}

/** Some state that accepts can be reached from here. */
function canFinish(machine: Machine, from: object): boolean {
  const seen = new Set([from]);
  for (const state of seen) {
    if (machine.accepts(state)) return true;
    for (let byte = 0; byte < 256; byte++) {
      const next = machine.step(state, byte);
      if (next !== null) seen.add(next);
    }
    assert.ok(seen.size < 5000, 'too many states to look through');
  }
  return false;
}

function randomText(dice: Dice): string {
  return Array.from({ length: dice.whole(0, 7) }, () => dice.pick(letters)).join('');
}

describe('random trees', () => {
  for (let group = 0; group < 8; group++) {
    test(`are read as piece by piece (${group})`, () => {
      let accepted = 0;
      for (let round = 0; round < 16; round++) {
        const dice = createDice(7000 + group * 100 + round);
        const spec = randomSpec(dice, 3);
        const machine = compile(spec);
        for (let count = 0; count < 60; count++) {
          const text = randomText(dice);
          const expected = matchesNaively(spec, text);
          const found = verdict(machine, text) === 'yes';
          assert.equal(found, expected, `${JSON.stringify(spec)} "${text}"`);
          if (expected) accepted++;
        }
      }
      assert.ok(accepted > 40, String(accepted));
    });
  }

  test('every state that is kept can still end well, and every beginning of a text is kept', () => {
    for (let round = 0; round < 25; round++) {
      const dice = createDice(99_000 + round);
      const spec = randomSpec(dice, 2);
      const machine = compile(spec);
      for (let count = 0; count < 20; count++) {
        const text = randomText(dice);
        const reached = Array.from(text, (_, index) => walk(machine, text.slice(0, index)));
        if (matchesNaively(spec, text)) assert.ok(reached.every((state) => state !== null));
        for (const state of reached) {
          assert.ok(state === null || canFinish(machine, state), JSON.stringify(spec));
        }
      }
    }
  });

  test('a loop says what steps do', () => {
    let loops = 0;
    for (let round = 0; round < 32; round++) {
      const dice = createDice(31_000 + round);
      const machine = compile(randomSpec(dice, 2));
      const state = walk(machine, randomText(dice).slice(0, 3));
      const loop = state === null ? null : machine.loop(state);
      if (state === null || loop === null) continue;
      loops++;
      assert.equal(loop.room, Infinity);
      const inside = [...loop.characters.ascii.entries()].filter(([, flag]) => flag === 1);
      const characters = inside.map(([code]) => String.fromCodePoint(code));
      if (loop.characters.beyond) characters.push('é', '€', '\ud7ff', '\ue000', '😀', '\u{10ffff}');
      for (const character of characters) assert.equal(walk(machine, character, state), state);
    }
    assert.ok(loops > 8, String(loops));
  });
});

const literal = (text: string): ConstraintSpec => ({ kind: 'literal', text });

describe('special tokens', () => {
  test('a text that names one means the token, the longest name first', () => {
    const machine = compile(literal('a<|tool|>b<|end|>'));
    assert.equal(verdict(machine, 'a⟨tool⟩b⟨end⟩'), 'yes');
    assert.equal(verdict(machine, 'a<|'), 'no');
    assert.equal(verdict(compile(literal('<|tool|>s')), '⟨tool⟩s'), 'no');
  });

  test('free text has none, but the names of them are letters there', () => {
    const machine = compile({ kind: 'text' });
    assert.equal(verdict(machine, 'a <|tool|> é😀'), 'yes');
    assert.equal(verdict(machine, 'a⟨tool⟩'), 'no');
    assert.equal(machine.step(machine.start, 0xc0), null);
    assert.equal(machine.step(machine.start, 0xfe), null);
  });

  test('free text up to one', () => {
    const machine = compile({ kind: 'text-until', until: 'x<|end|>' });
    assert.equal(verdict(machine, 'a<|end|>x⟨end⟩'), 'yes');
    assert.equal(verdict(machine, 'a⟨end⟩'), 'no');
    assert.equal(verdict(machine, 'x⟨tool⟩'), 'no');
  });

  test('in triggers and in the middle of a begin', () => {
    const machine = compile({
      kind: 'tags',
      triggers: ['<|tool|>', '<|e'],
      tags: [
        { begin: '<|tool|>a', content: literal('1'), end: '<|end|>' },
        { begin: '<|end|>', content: literal('2'), end: '' },
      ],
      atLeastOne: false,
      stopAfterFirst: false,
    });
    assert.equal(verdict(machine, 'x⟨tool⟩a1⟨end⟩y⟨end⟩2 <|tool|>'), 'yes');
    assert.equal(verdict(machine, '⟨tool⟩x'), 'no');
    assert.equal(verdict(machine, '⟨end⟩3'), 'no');
  });
});

describe('tags', () => {
  const tags: ConstraintSpec = {
    kind: 'tags',
    triggers: ['<f', '<function='],
    tags: [
      { begin: '<function=a>', content: literal('{}'), end: '</f>' },
      { begin: '<function=b>', content: { kind: 'text' }, end: '</f>' },
      { begin: '<function=a>', content: { kind: 'regex', pattern: '[0-9]+' }, end: '0</f>' },
    ],
    atLeastOne: false,
    stopAfterFirst: false,
  };

  test('after a trigger only what one of the tags begins with', () => {
    const machine = compile(tags);
    assert.equal(verdict(machine, 'a < b <g>'), 'yes');
    assert.equal(verdict(machine, 'a <fo'), 'no');
    assert.equal(verdict(machine, 'a <function=c'), 'no');
    assert.equal(verdict(machine, 'a <function=a>'), 'begun');
  });

  test('tags with the same begin, and contents that go on after they might end', () => {
    const machine = compile(tags);
    assert.equal(verdict(machine, '<function=a>{}</f>'), 'yes');
    assert.equal(verdict(machine, '<function=a>100</f> and'), 'yes');
    assert.equal(verdict(machine, '<function=a>1</f>'), 'no');
  });

  test('free text in a tag goes up to the first end', () => {
    const machine = compile(tags);
    assert.equal(verdict(machine, '<function=b>x <f </f><fu'), 'begun');
    assert.equal(verdict(machine, '<function=b>x</f>y</f>'), 'yes');
    assert.equal(verdict(machine, '<function=b>x</f><x'), 'yes');
  });

  test('at least one, and nothing after the first', () => {
    const one = compile({ ...tags, atLeastOne: true, stopAfterFirst: true });
    assert.equal(verdict(one, 'text'), 'begun');
    assert.equal(verdict(one, 'text<function=a>{}</f>'), 'yes');
    assert.equal(verdict(one, 'text<function=a>{}</f> '), 'no');
    const more = compile({ ...tags, atLeastOne: true });
    assert.equal(verdict(more, 'text<function=a>{}</f> '), 'yes');
  });

  test('a trigger that begins no tag cannot be written', () => {
    const machine = compile({ ...tags, triggers: ['<f', 'no'] });
    assert.equal(verdict(machine, 'yes n'), 'yes');
    assert.equal(verdict(machine, 'yes no'), 'no');
  });

  test('the same place is the same state, after tags too', () => {
    const machine = compile(tags);
    const home = walk(machine, 'a');
    assert.equal(walk(machine, 'a text, é'), home);
    assert.equal(walk(machine, 'a<function=a>{}</f>'), home);
    const loop = machine.loop(home!)!;
    assert.equal(loop.characters.beyond, true);
    assert.equal(loop.characters.ascii['<'.charCodeAt(0)], 0);
    assert.equal(loop.characters.ascii['f'.charCodeAt(0)], 1);
    assert.equal(machine.loop(walk(machine, 'a<')!), null);
  });
});

test('long and wide constraints are quick', () => {
  const options = Array.from({ length: 20_000 }, (_, index) => `option number ${index}`);
  const choice: ConstraintSpec = { kind: 'choice', options };
  assert.equal(verdict(compile(choice), 'option number 19999'), 'yes');
  assert.equal(verdict(compile(choice), 'option number 20000'), 'no');
  const list = compile({ kind: 'repeat', of: choice, min: 1, max: null, separator: ', ' });
  assert.equal(verdict(list, 'option number 1, option number 12'), 'yes');
  const many = compile({ kind: 'repeat', of: literal('ab'), min: 0, max: 10_000, separator: ',' });
  assert.equal(verdict(many, Array(5000).fill('ab').join(',')), 'yes');
});

describe('refusals', () => {
  const text: ConstraintSpec = { kind: 'text' };
  const refusals: readonly (readonly [name: string, spec: ConstraintSpec, keyword: string])[] = [
    ['no options', { kind: 'choice', options: [] }, 'choice'],
    ['no alternatives', { kind: 'either', of: [] }, 'or'],
    [
      'a begin without a trigger',
      {
        kind: 'tags',
        triggers: ['<a'],
        tags: [{ begin: '<b', content: text, end: '' }],
        atLeastOne: false,
        stopAfterFirst: false,
      },
      'triggers',
    ],
    [
      'an empty trigger',
      { kind: 'tags', triggers: [''], tags: [], atLeastOne: false, stopAfterFirst: false },
      'triggers',
    ],
    [
      'at least one of none',
      { kind: 'tags', triggers: ['<'], tags: [], atLeastOne: true, stopAfterFirst: false },
      'tags',
    ],
    ['fewer than the least', { kind: 'repeat', of: text, min: 2, max: 1, separator: '' }, 'repeat'],
    [
      'a part that is wrong',
      { kind: 'sequence', parts: [text, { kind: 'regex', pattern: '(' }] },
      'pattern',
    ],
    [
      'far too many',
      { kind: 'repeat', of: literal('abc'), min: 0, max: 1e9, separator: '' },
      'repeat',
    ],
  ];
  for (const [name, spec, keyword] of refusals) {
    test(name, () => {
      assert.throws(() => compile(spec), { reason: 'invalid_constraint', keyword });
    });
  }

  test('a tree that is too deep', () => {
    let spec: ConstraintSpec = text;
    for (let depth = 0; depth < 1000; depth++) spec = { kind: 'sequence', parts: [spec] };
    assert.throws(() => compile(spec), { reason: 'invalid_constraint', keyword: 'sequence' });
  });
});
