import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { Budget } from '../machine.ts';
import { compileRegex } from './compile-regex.ts';
import { compileText } from './compile-text.ts';

/** Work and memory, counted; the clock plays no part. */
class CountingBudget implements Budget {
  work = 0;
  kept = 0;
  readonly #mostWork: number;

  constructor(mostWork = Infinity) {
    this.#mostWork = mostWork;
  }

  spend(work: number, kept: number, keyword: string): void {
    this.work += work;
    this.kept += kept;
    if (this.work > this.#mostWork) {
      throw new ParlanceError('invalid_constraint', `${keyword} costs too much`, { keyword });
    }
  }
}

/** How many bytes of the text are taken. */
function follow(pattern: string, text: string, budget: Budget): number {
  const machine = compileRegex(pattern, budget);
  let state: object | null = machine.start;
  let taken = 0;
  for (const byte of Buffer.from(text)) {
    state = machine.step(state, byte);
    if (state === null) return taken;
    taken += 1;
  }
  return taken;
}

const words = Array.from({ length: 5000 }, (_, i) => `w${i.toString(36)}`);

test('bombs for backtracking engines cost little', () => {
  const bombs: readonly (readonly [pattern: string, text: string])[] = [
    ['(a*)*b', 'a'.repeat(2000)],
    ['(a|a)*b', 'a'.repeat(2000)],
    ['(a|b)*a(a|b){20}', 'ab'.repeat(1000)],
    ['(.*a.{0,1000}b){3}', 'xab'.repeat(600)],
    ['((a{1,100}){1,100}){1,100}', 'a'.repeat(2000)],
    ['((((a?){50}){50}){50}){50}', 'a'.repeat(2000)],
    ['(x{1000}){1000}', 'x'.repeat(2000)],
    [`(${words.join('|')})*`, words.slice(0, 500).join('')],
    ['ab?'.repeat(33_000), 'a'.repeat(500)],
    ['a?'.repeat(50_000), 'a'.repeat(500)],
    [`${'('.repeat(190)}a${')*'.repeat(190)}`, 'a'.repeat(2000)],
    ['a{0,100000}', 'a'.repeat(2000)],
    ['(?=(a+)+$)(a|aa)*', 'a'.repeat(2000)],
  ];
  for (const [pattern, text] of bombs) {
    const budget = new CountingBudget();
    assert.equal(follow(pattern, text, budget), text.length, pattern.slice(0, 40));
    assert.ok(budget.work < 2_000_000, `${pattern.slice(0, 40)}: ${budget.work} work`);
    assert.ok(budget.kept < 500_000, `${pattern.slice(0, 40)}: ${budget.kept} kept`);
  }
});

test('what would cost too much is refused by the budget, with the keyword of the caller', () => {
  const greedy = '((a{1,100}b?){1,100}c?){1,100}';
  const rules = { patterns: [], whole: [greedy], minLength: 0, maxLength: Infinity };
  const machine = compileText(rules, new CountingBudget(20_000), 'propertyNames');
  assert.throws(
    () => {
      let state: object | null = machine.start;
      for (let i = 0; i < 5000 && state !== null; i += 1) state = machine.step(state, 0x61);
    },
    { reason: 'invalid_constraint', keyword: 'propertyNames' },
  );
});

test('what no text is long enough for is refused by `pattern` before a step', () => {
  const tooLong = [
    '(a{1000000}){1000000}',
    'a{1000001}',
    'x|(?:a{1000}b?){1001}',
    'a{600000}[bc]{600000}',
    '(?:(?=a)ab?){1000,}'.repeat(1001),
  ];
  for (const pattern of tooLong) {
    assert.throws(() => compileRegex(pattern, new CountingBudget(20_000)), {
      reason: 'invalid_constraint',
      keyword: 'pattern',
      message: /more than 1000000 characters/,
    });
  }
  for (const pattern of ['a{1000000}', '(?:a{1000}){1000}', '(?:a{0,1000000}){1000000}']) {
    assert.equal(follow(pattern, 'a'.repeat(3000), new CountingBudget()), 3000);
  }
});

test('states are made as they are visited, counted ones too', () => {
  const budget = new CountingBudget();
  const rules = { patterns: ['^[^x]*$'], whole: [], minLength: 5, maxLength: 100_000 };
  const machine = compileText(rules, budget, 'maxLength');
  assert.ok(budget.kept < 200, `${budget.kept} at first`);
  let state: object | null = machine.start;
  for (let i = 0; i < 100_000; i += 1) state = machine.step(state!, 0x61);
  assert.notEqual(state, null);
  assert.equal(machine.step(state!, 0x61), null);
  assert.ok(budget.kept < 300_000, `${budget.kept} in the end`);
});

test('conditions inside conditions do not endanger the stack', () => {
  const pattern = `${'(?:(?=a*b)x?)'.repeat(3000)}b`;
  try {
    follow(pattern, 'ab', new CountingBudget(1_000_000));
  } catch (error) {
    assert.ok(error instanceof ParlanceError, String(error));
  }
});
