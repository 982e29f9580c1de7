/** The machine beside the plain evaluator, on random schemas and documents. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../../contract/errors.ts';
import { TimedBudget } from '../../budget.ts';
import { readJson } from '../../json/read-json.ts';
import type { Machine } from '../../machine.ts';
import { evaluate } from '../../verify/evaluate.ts';
import { RegexTests } from '../../verify/text-tests.ts';
import type { SchemaGraph } from '../node.ts';
import { readSchema } from '../read-schema.ts';
import { compileJsonMachine } from './compile-json.ts';
import { Dice, randomDocument, randomSchema, writeDocument } from './random-schema.test-support.ts';

interface Compiled {
  readonly text: string;
  readonly graph: SchemaGraph;
  /** null: refused, since nothing satisfies the schema. */
  readonly machine: Machine | null;
  readonly tests: RegexTests;
}

function compile(dice: Dice): Compiled | null {
  const text = JSON.stringify(randomSchema(dice));
  const budget = new TimedBudget({ milliseconds: 60_000, kept: 5_000_000 });
  const tests = new RegexTests(budget);
  let graph: SchemaGraph | null = null;
  try {
    graph = readSchema(text, budget);
    return { text, graph, machine: compileJsonMachine(graph, { whitespace: null }, budget), tests };
  } catch (error) {
    assert.ok(error instanceof ParlanceError, String(error));
    return graph === null ? null : { text, graph, machine: null, tests };
  }
}

function takes(machine: Machine | null, text: string): boolean {
  if (machine === null) return false;
  let state: object | null = machine.start;
  for (const byte of Buffer.from(text)) {
    state = machine.step(state, byte);
    if (state === null) return false;
  }
  return machine.accepts(state);
}

test('a whole document is taken iff it satisfies the schema', () => {
  const dice = new Dice(11);
  let valid = 0;
  let invalid = 0;
  for (let round = 0; round < 160; round++) {
    const compiled = compile(dice);
    if (compiled === null) continue;
    const { text, graph, machine, tests } = compiled;
    for (let i = 0; i < 30; i++) {
      const document = writeDocument(dice, randomDocument(dice));
      // Exponents are taken only where the digits before them are right too.
      if (/[0-9]e/.test(document)) continue;
      const expected = evaluate(graph, readJson(document), tests) === null;
      assert.equal(takes(machine, document), expected, `${text}\n${document}`);
      if (expected) valid++;
      else invalid++;
    }
  }
  assert.ok(valid > 800 && invalid > 800, `${valid} valid, ${invalid} invalid`);
});

test('nothing wrong is taken, however it is spelled', () => {
  const dice = new Dice(12);
  let taken = 0;
  for (let round = 0; round < 80; round++) {
    const compiled = compile(dice);
    if (compiled === null) continue;
    const { text, graph, machine, tests } = compiled;
    for (let i = 0; i < 20; i++) {
      const document = respell(dice, writeDocument(dice, randomDocument(dice)));
      if (!takes(machine, document)) continue;
      taken++;
      assert.equal(evaluate(graph, readJson(document), tests), null, `${text}\n${document}`);
    }
  }
  assert.ok(taken > 200, `${taken} taken`);
});

/** Numbers with fractions and exponents, letters of values as escapes. */
function respell(dice: Dice, document: string): string {
  return document
    .replaceAll(/(?<=[[:, ]|^)-?\d+(?=[,\]}]|$)/g, (number) =>
      dice.pick(['.0', 'e1', 'e-1', '0e-1', 'E+2', '.50'].map((end) => number + end)),
    )
    .replaceAll(/[ab](?=[^:"]*"[^:])/g, (letter) =>
      dice.chance(0.5) ? letter : `\\u00${letter.codePointAt(0)!.toString(16)}`,
    )
    .replaceAll('é', '\\u00e9');
}

test('where every rule must hold, no way leads to a dead end', () => {
  const dice = new Dice(13);
  let steps = 0;
  for (let round = 0; round < 150; round++) {
    const machine = compile(dice)?.machine ?? null;
    if (machine === null) continue;
    let state: object = machine.start;
    let path = '';
    for (let i = 0; i < 60 && !machine.risky(state); i++) {
      const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
        (byte) => byte > 0x20 && machine.step(state, byte) !== null,
      );
      assert.ok(bytes.length > 0 || machine.accepts(state), `round ${round}: ${path}`);
      if (bytes.length === 0) break;
      const marks = bytes.filter((byte) => '"{}[],:'.includes(String.fromCharCode(byte)));
      const byte = dice.pick(marks.length > 0 && dice.chance(0.5) ? marks : bytes);
      state = machine.step(state, byte)!;
      path += String.fromCharCode(byte);
      steps++;
    }
  }
  assert.ok(steps > 1000, `${steps} steps`);
});
