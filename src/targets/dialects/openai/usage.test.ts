import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseUsage, usageInPayload } from './usage.ts';

describe('usage in bytes', () => {
  test('is found with all its details', () => {
    const payload =
      '{"choices":[],"usage": {"prompt_tokens": 12,"completion_tokens":5,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":3}}}';
    assert.deepEqual(usageInPayload(payload), {
      promptTokens: 12,
      completionTokens: 5,
      cachedTokens: 8,
      reasoningTokens: 3,
    });
  });

  test('is not found in the text of an answer', () => {
    const content = '"usage":{"prompt_tokens":1}';
    assert.equal(usageInPayload(JSON.stringify({ delta: { content } })), null);
    assert.equal(usageInPayload('{"usage":null}'), null);
  });
});

test('what is no usage is none', () => {
  assert.equal(parseUsage('null'), null);
  assert.equal(parseUsage('{'), null);
});
