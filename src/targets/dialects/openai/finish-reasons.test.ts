import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finishReasonsInPayload } from './finish-reasons.ts';

test('the reasons of a payload, one for each choice that ends in it', () => {
  assert.deepEqual(finishReasonsInPayload('{"choices":[{"finish_reason":"stop"}]}'), ['stop']);
  const spaced = '{"choices": [{"finish_reason": "length"}, {"finish_reason" : "tool_calls"}]}';
  assert.deepEqual(finishReasonsInPayload(spaced), ['length', 'tool_calls']);
});

test('a chunk that goes on has none, and the text of an answer is not read', () => {
  assert.deepEqual(finishReasonsInPayload('{"choices":[{"finish_reason":null}]}'), []);
  const content = '"finish_reason":"stop"';
  const chunk = JSON.stringify({ choices: [{ delta: { content }, finish_reason: null }] });
  assert.deepEqual(finishReasonsInPayload(chunk), []);
});
