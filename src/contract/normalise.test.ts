import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatRequest, refusalOf } from '../../test/support/chat-body.ts';
import { withoutParameters } from './normalise.ts';
import { parseChatRequest, parseUnsupportedMode } from './parse-chat.ts';

const parameters = (extra: Record<string, unknown>) => chatRequest(extra).parameters;
const fn = { name: 'f', parameters: { type: 'object' } };

test('synonyms fold into one name, and the client’s spelling is kept', () => {
  const request = chatRequest({
    max_completion_tokens: 7,
    eos_token_id: 2,
    chat_template_args: { a: 1 },
  });
  assert.deepEqual(request.parameters, {
    max_tokens: 7,
    stop_token_ids: [2],
    chat_template_kwargs: { a: 1 },
  });
  assert.deepEqual(request.given, [
    { field: 'max_completion_tokens', parameter: 'max_tokens' },
    { field: 'eos_token_id', parameter: 'stop_token_ids' },
    { field: 'chat_template_args', parameter: 'chat_template_kwargs' },
  ]);
});

test('of max_tokens and max_completion_tokens the smaller counts', () => {
  assert.equal(parameters({ max_tokens: 5, max_completion_tokens: 9 }).max_tokens, 5);
  assert.equal(parameters({ max_tokens: 9, max_completion_tokens: 5 }).max_tokens, 5);
  assert.equal(parameters({ max_tokens: 9, max_completion_tokens: null }).max_tokens, 9);
});

test('end tokens of both fields are joined, each once', () => {
  assert.deepEqual(
    parameters({ eos_token_id: [2, 3], stop_token_ids: [3, 4] }).stop_token_ids,
    [2, 3, 4],
  );
});

test('functions become tools, and function_call a tool_choice', () => {
  assert.deepEqual(parameters({ functions: [fn], function_call: { name: 'f' } }), {
    tools: [{ type: 'function', function: fn }],
    tool_choice: { type: 'function', function: { name: 'f' } },
  });
  assert.equal(parameters({ functions: [fn], function_call: 'none' }).tool_choice, 'none');
});

test('stream options are read, and absent ones are false', () => {
  const both = chatRequest({
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  });
  assert.deepEqual([both.includeUsage, both.continuousUsage], [true, true]);
  const none = chatRequest({ stream: true, stream_options: { include_usage: null } });
  assert.deepEqual([none.includeUsage, none.continuousUsage], [false, false]);
});

test('a request without parameters has lost them in every form and spelling', () => {
  const request = chatRequest({ max_completion_tokens: 7, max_tokens: 9, top_k: 5 });
  const left = withoutParameters(request, ['max_tokens']);
  assert.deepEqual(left.parameters, { top_k: 5 });
  assert.deepEqual(Object.keys(left.wire), ['model', 'messages', 'top_k']);
  assert.equal(withoutParameters(request, []), request);
});

test('the source is the body as it was sent', () => {
  const source = '{ "model" : "m", "prompt":"x" }';
  assert.equal(parseChatRequest(source).source, source);
});

test('x-parlance-unsupported takes three words', () => {
  assert.equal(parseUnsupportedMode(undefined), 'error');
  for (const word of ['error', 'warn', 'drop'] as const)
    assert.equal(parseUnsupportedMode(word), word);
  const error = refusalOf(() => parseUnsupportedMode('ignore'));
  assert.equal(error.reason, 'invalid_header');
  assert.equal(error.param, 'x-parlance-unsupported');
});
