import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { FakeDecoder, fakeTokens } from '../llama/fake-decoder.ts';
import type { GenerateRequest } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { pieceIndexOf } from '../sampler/index.ts';
import { admitRequest } from './admission.ts';

const decoder = new FakeDecoder({ slots: 1, context: 32, batchTokens: 8 });
const sizes = { context: 32, slots: 1 };
const admit = (request: GenerateRequest) => admitRequest(request, decoder);
const refusal = (reason: string, param: string | null) => (error: unknown) =>
  error instanceof ParlanceError && error.reason === reason && error.param === param;

test('the limit is what was asked for, or what is left', () => {
  assert.deepEqual(admit(makeRequest('four')).accepted, {
    promptTokens: 4,
    truncatedTokens: 0,
    maxTokens: 16,
    maxTokensReduced: false,
  });
  const reduced = admit(makeRequest('four', { maxTokens: 100 })).accepted;
  assert.deepEqual([reduced.maxTokens, reduced.maxTokensReduced], [28, true]);
  const unasked = admit(makeRequest('four', { maxTokens: null })).accepted;
  assert.deepEqual([unasked.maxTokens, unasked.maxTokensReduced], [28, false]);
  const small = admit(makeRequest('four', { maxTokens: null, defaultMaxTokens: 5 })).accepted;
  assert.deepEqual([small.maxTokens, small.maxTokensReduced], [5, false]);
});

test('a prompt that leaves no room for one token is refused with both numbers', () => {
  assert.equal(admit(makeRequest('x'.repeat(31))).accepted.maxTokens, 1);
  assert.throws(
    () => admit(makeRequest('x'.repeat(32))),
    (error) =>
      refusal('context_length_exceeded', null)(error) &&
      /is 32 tokens long.* 32 tokens.* truncate_prompt_tokens may be up to 31/.test(String(error)),
  );
});

test('a text too long for any tokens is refused before it is tokenised', () => {
  const untouched = Object.assign(Object.create(decoder.vocabulary) as typeof decoder.vocabulary, {
    tokenize: () => assert.fail('it was tokenised'),
  });
  const { longest } = pieceIndexOf(untouched, true);
  const refused = (length: number, truncatePromptTokens: number | null, words: RegExp) =>
    assert.throws(
      () =>
        admitRequest(makeRequest('x'.repeat(length), {}, { truncatePromptTokens }), {
          ...sizes,
          vocabulary: untouched,
        }),
      (error) => refusal('context_length_exceeded', null)(error) && words.test(String(error)),
    );
  const most = 32 * Math.max(16, longest);
  refused(most + 1, null, new RegExp(`is ${most + 1} characters long.* 32 tokens`));
  const mostCut = 1_000_000;
  refused(mostCut + 1, 5, /truncate_prompt_tokens cuts texts of up to/);
  const cut = makeRequest('x'.repeat(mostCut), {}, { truncatePromptTokens: 5 });
  assert.equal(admit(cut).accepted.truncatedTokens, mostCut - 5);
});

test('a min_tokens that cannot be reached is refused, whatever set the limit', () => {
  const few = { maxTokens: null, defaultMaxTokens: 5 };
  assert.equal(admit(makeRequest('four', { ...few, minTokens: 5 })).accepted.maxTokens, 5);
  assert.equal(admit(makeRequest('four', { maxTokens: 28, minTokens: 28 })).accepted.maxTokens, 28);
  const cases = [
    [
      { ...few, minTokens: 6 },
      /^min_tokens: 6 is too much, without `max_tokens` .* after 5 tokens/,
    ],
    [{ maxTokens: 40, minTokens: 29 }, /^min_tokens: 29 is too much, the context has 28 tokens/],
  ] as const;
  for (const [sampling, words] of cases) {
    assert.throws(
      () => admit(makeRequest('four', sampling)),
      (error) =>
        refusal('conflicting_fields', 'min_tokens')(error) && words.test((error as Error).message),
    );
  }
});

test('truncation keeps the last tokens, before the length is judged', () => {
  const { promptTokens, accepted } = admit(
    makeRequest(`${'x'.repeat(50)}end`, {}, { truncatePromptTokens: 3 }),
  );
  assert.equal(Buffer.from(promptTokens).toString(), 'end');
  assert.equal(accepted.truncatedTokens, 50);
  assert.equal(admit(makeRequest('ab', {}, { truncatePromptTokens: 9 })).accepted.promptTokens, 2);
});

test('token IDs outside the vocabulary are refused by the name of their field', () => {
  const size = fakeTokens.size;
  const cases: [GenerateRequest, string][] = [
    [makeRequest('', {}, { prompt: { tokens: [1, size] } }), 'prompt'],
    [makeRequest('a', { logitBias: [[-1, 5]] }), 'logit_bias'],
    [makeRequest('a', { badTokenIds: [1.5] }), 'bad_token_ids'],
    [makeRequest('a', { stopTokenIds: [50256] }), 'stop_token_ids'],
  ];
  for (const [request, param] of cases) {
    assert.throws(() => admit(request), refusal('invalid_token_id', param));
  }
  const last = makeRequest('a', { logitBias: [[size - 1, 5]], stopTokenIds: [0] });
  assert.equal(admit(last).accepted.promptTokens, 1);
});

test('an empty prompt becomes the model’s begin token, or is refused where there is none', () => {
  assert.deepEqual(admit(makeRequest('')).promptTokens, [fakeTokens.bos]);
  assert.throws(
    () =>
      admitRequest(makeRequest(''), {
        ...sizes,
        vocabulary: { ...decoder.vocabulary, bosId: null },
      }),
    refusal('invalid_value', 'prompt'),
  );
});

test('a dry run spells out the prompt with its special tokens', () => {
  const request = makeRequest(
    'h\u00e9',
    {},
    { dryRun: true, prompt: { text: 'h\u00e9', addSpecial: true } },
  );
  assert.equal(admit(request).accepted.prompt, '<bos>h\u00e9');
  assert.equal(admit(makeRequest('x')).accepted.prompt, undefined);
});

test('more log-probabilities than an answer can hold are refused', () => {
  const wide = { context: 8192, slots: 1, vocabulary: decoder.vocabulary };
  const ask = (choices: number, topLogprobs: number | null) =>
    admitRequest(makeRequest('a', { maxTokens: 4096, topLogprobs }, { choices }), wide);
  assert.throws(() => ask(128, 20), refusal('invalid_value', 'top_logprobs'));
  for (const [choices, top] of [
    [128, 0],
    [20, 20],
    [128, null],
  ] as const) {
    assert.equal(ask(choices, top).accepted.maxTokens, 4096);
  }
});
