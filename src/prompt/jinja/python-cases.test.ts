/** The language's corners against what Python says, one template each. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cases, context } from './python-cases.test-support.ts';
import { readJsonObject } from './template-input.ts';
import { compileTemplate } from './template.ts';

const now = new Date(2026, 10, 21);

function run(template: string): { text: string } | { error: string } {
  try {
    return {
      text: compileTemplate(template).render(readJsonObject(context, 'context'), { now }),
    };
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'ParlanceError', String(error));
    return { error: error.message };
  }
}

for (const [template, expected] of cases) {
  test(`as Python has it: ${template.slice(0, 70)}`, () => {
    const got = run(template);
    if ('text' in expected) assert.deepEqual(got, expected);
    else {
      assert.ok('error' in got, JSON.stringify(got));
      assert.ok(got.error.includes(`: ${expected.error}`), `${got.error} / ${expected.error}`);
      assert.match(got.error, /\(line \d+\)$/);
    }
  });
}
