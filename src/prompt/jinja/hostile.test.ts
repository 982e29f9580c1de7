/** Templates that mean harm: each ends, by count, in an error that names what was too much. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hostileTemplates } from './hostile.test-support.ts';
import { compileTemplate } from './template.ts';

const context = { s: 'x'.repeat(1_000_000) };

for (const [name, source] of Object.entries(hostileTemplates)) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => compileTemplate(source).render(context),
      (error: unknown) => {
        assert.ok(error instanceof Error && error.name === 'ParlanceError', String(error));
        assert.match(
          error.message,
          /LimitError|RecursionError|OverflowError|nested|too (?:many|long)|ValueError: Exceeds/,
        );
        return true;
      },
    );
  });
}

test('limits are those that were given', () => {
  const template = compileTemplate('{% for i in range(100) %}{{ i }}{% endfor %}');
  assert.ok(template.render({}).startsWith('0123'));
  assert.throws(() => template.render({}, { limits: { steps: 100 } }), /100 steps/);
  assert.throws(() => template.render({}, { limits: { textLength: 50 } }), /50 characters/);
  const deep = compileTemplate(
    '{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(20) }}',
  );
  assert.equal(deep.render({}), '');
  assert.throws(() => deep.render({}, { limits: { callDepth: 10 } }), /recursion/);
});
