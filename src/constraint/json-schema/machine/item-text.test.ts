/** Items that must differ: what masks forget of their texts never changes what may follow. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TimedBudget } from '../../budget.ts';
import { readJson } from '../../json/read-json.ts';
import type { Machine } from '../../machine.ts';
import { compileJson } from './compile-json.ts';
import { Dice, randomDocument, randomSchema, writeDocument } from './random-schema.test-support.ts';
import { sameSoFar } from './same-so-far.ts';

const compile = (schema: unknown, budget = new TimedBudget()): Machine =>
  compileJson(JSON.stringify(schema), { whitespace: null }, budget);

/** The states on the way of the text, as far as it is taken. */
function statesOf(machine: Machine, text: string): object[] {
  const states = [machine.start];
  for (const byte of Buffer.from(text)) {
    const next = machine.step(states.at(-1)!, byte);
    if (next === null) break;
    states.push(next);
  }
  return states;
}

const bytes = Array.from('"ab1,:]}[{ \\', (one) => one.codePointAt(0)!);

function sameFor(machine: Machine, a: object, b: object, length: number): void {
  assert.equal(machine.accepts(a), machine.accepts(b));
  if (length === 0) return;
  for (const byte of bytes) {
    const [one, other] = [machine.step(a, byte), machine.step(b, byte)];
    assert.equal(one === null, other === null, String.fromCharCode(byte));
    if (one !== null && one !== other) sameFor(machine, one, other!, length - 1);
  }
}

test('the state that masks are made of takes what the state itself takes', () => {
  const dice = new Dice(31);
  let different = 0;
  for (let round = 0; round < 30; round++) {
    const items = round % 2 === 0 ? {} : randomSchema(dice, 1);
    const machine = compile({ anyOf: [{ items, uniqueItems: true }, { const: 1 }] });
    for (let i = 0; i < 8; i++) {
      const document = [0, 1, 2, 3].map(() => randomDocument(dice, 1));
      for (const state of statesOf(machine, writeDocument(dice, document))) {
        const alike = machine.alike!(state);
        if (alike === state) continue;
        different++;
        sameFor(machine, state, alike, 3);
      }
    }
  }
  assert.ok(different > 500, `${different} states`);
});

test('a document of many items costs few states for masks', () => {
  const budget = new TimedBudget();
  const machine = compile(
    { items: { type: 'string', maxLength: 20 }, type: 'array', uniqueItems: true },
    budget,
  );
  const names = Array.from({ length: 50 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}x${i}`);
  const found = new Set<object>();
  const states = statesOf(machine, JSON.stringify(names));
  assert.equal(states.length, JSON.stringify(names).length + 1);
  // Behind a closed item, its text matters; inside, only where another one began so.
  for (const state of states) {
    const alike = machine.alike!(state);
    if (machine.loop(state) !== null) found.add(alike);
  }
  assert.ok(found.size <= 20, `${found.size}`);
  assert.ok(budget.kept < 5000, `${budget.kept}`);
});

test('a duplicate is refused at its end, however it is spelled', () => {
  const machine = compile({ type: 'array', uniqueItems: true });
  const cases = [
    '["ab", "a\\u0062"|',
    '[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}|',
    '[1, 1.0|]',
    '["\\ud83d\\ude00", "\u{1f600}"|',
    '[null, {}, {"a": {}}, {"a" :{}}|',
  ];
  for (const marked of cases) {
    const end = Buffer.from(marked.slice(0, marked.indexOf('|'))).length;
    const text = marked.replace('|', '');
    const taken = statesOf(machine, text).length - 1;
    assert.equal(taken, marked.endsWith('|') ? end - 1 : end, marked);
  }
});

test('each beginning of an equal text may still become the value, another text in the end may not', () => {
  const dice = new Dice(32);
  let told = 0;
  for (let round = 0; round < 300; round++) {
    const document = randomDocument(dice, 2);
    const value = readJson(JSON.stringify(document));
    const text = writeDocument(dice, document);
    for (let i = 0; i <= text.length; i++) assert.ok(sameSoFar(text.slice(0, i), value), text);
    const other = randomDocument(dice, 2);
    if (typeof other !== 'object' || JSON.stringify(other) === JSON.stringify(document)) continue;
    assert.ok(!sameSoFar(writeDocument(dice, other), value), JSON.stringify([document, other]));
    told++;
  }
  assert.ok(told > 100, `${told} told apart`);
});
