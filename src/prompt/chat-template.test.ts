/** Whose template it is decides how much it may do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileTemplate } from './chat-template.ts';

/** Looks at all messages for each message, as some templates do. */
const source =
  '{% for a in messages %}{% for b in messages %}{% if b.role == a.content %}{% endif %}{% endfor %}{% endfor %}done';

test('a model’s own template renders a long conversation that a request’s may not', () => {
  const messages = Array.from({ length: 600 }, () => ({ role: 'user', content: 'hi' }));
  assert.equal(compileTemplate(source, 'model').render({ messages }), 'done');
  assert.throws(() => compileTemplate(source).render({ messages }), /LimitError/);
  const limits = { limits: { steps: 100 } };
  assert.throws(() => compileTemplate(source, 'model').render({ messages }, limits), /100 steps/);
});

test('both name what they read', () => {
  for (const origin of ['model', 'request'] as const) {
    const template = compileTemplate(source, origin);
    assert.deepEqual([template.mentions('messages'), template.mentions('tools')], [true, false]);
  }
});
