/** The MaskBench sample through the machine, byte by byte; prints its counts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../../contract/errors.ts';
import { TimedBudget } from '../../budget.ts';
import type { Machine } from '../../machine.ts';
import { compileJson } from './compile-json.ts';
import { readMaskbench } from './maskbench.test-support.ts';
import type { MaskbenchCase } from './maskbench.test-support.ts';

interface Counts {
  passing: number;
  refused: number;
  rejectedValid: number;
  acceptedInvalid: number;
  /** Of the invalid instances of passing schemas. */
  invalid: number;
  early: number;
}

/** Where the machine refuses the text; null where it takes all of it and may end. */
function refusedAt(machine: Machine, text: string): number | null {
  const bytes = Buffer.from(text);
  let state: object | null = machine.start;
  for (const [at, byte] of bytes.entries()) {
    state = machine.step(state, byte);
    if (state === null) return at;
  }
  return machine.accepts(state) ? null : bytes.length;
}

function run({ id, schema, tests }: MaskbenchCase, counts: Counts, problems: string[]): void {
  let machine: Machine;
  try {
    machine = compileJson(schema, { whitespace: null }, new TimedBudget());
  } catch (error) {
    assert.ok(error instanceof ParlanceError && error.keyword !== null, `${id}: ${String(error)}`);
    counts.refused++;
    problems.push(`${id}: refused for ${error.keyword}`);
    return;
  }
  const results = tests.map(({ valid, text }) => ({
    valid,
    at: refusedAt(machine, text),
    last: Buffer.from(text).length - 1,
  }));
  const wrong = results.filter(({ valid, at }) => valid !== (at === null));
  for (const { valid, at } of wrong) {
    if (valid) counts.rejectedValid++;
    else counts.acceptedInvalid++;
    problems.push(`${id}: ${valid ? `a valid instance refused at ${at}` : 'an invalid one taken'}`);
  }
  if (wrong.length > 0) return;
  counts.passing++;
  for (const { at, last } of results) {
    if (at === null) continue;
    counts.invalid++;
    if (at < last) counts.early++;
  }
}

test('MaskBench: nothing wrong is let through, nearly all is supported', (t) => {
  const cases = readMaskbench();
  if (cases === null) {
    t.skip('NO CORPUS: ../shared/schemas/maskbench.jsonl is not there');
    return;
  }
  const counts: Counts = {
    passing: 0,
    refused: 0,
    rejectedValid: 0,
    acceptedInvalid: 0,
    invalid: 0,
    early: 0,
  };
  const problems: string[] = [];
  for (const one of cases) run(one, counts, problems);
  t.diagnostic(`${cases.length} schemas: ${JSON.stringify(counts)}`);
  for (const problem of problems) t.diagnostic(problem);
  assert.equal(counts.acceptedInvalid, 0);
  assert.ok(counts.passing >= 0.97 * cases.length, `${counts.passing} of ${cases.length} pass`);
  assert.ok(counts.early >= 0.95 * counts.invalid, `${counts.early} of ${counts.invalid} early`);
});
