import assert from 'node:assert/strict';
import { it } from 'node:test';

import { detectFormat } from './detect-format.ts';

it('what comments of a template say does not count, what is around them does', () => {
  const found = detectFormat('{# no <tool_call> #}<think>{# nor [TOOL_CALLS] #}');
  assert.deepEqual(found, { tools: null, reasoning: 'think' });
  assert.equal(detectFormat('{# a #}<tool_{# b #}call>').tools, 'hermes');
  assert.equal(detectFormat('{#}<tool_call>').tools, 'hermes', 'no comment without an end');
});

it('a template of comments that never end is read once', () => {
  const many = '{#'.repeat(400_000);
  assert.equal(detectFormat(`{% raw %}${many}{% endraw %}<tool_call>`).tools, 'hermes');
});
