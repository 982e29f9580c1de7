import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeRequest } from '../request.test-support.ts';
import { alone, Bench } from './scheduler-bench.test-support.ts';

const drawn = { temperature: 1, seed: '3', maxTokens: 9 };

test('best_of tells the choices with the highest mean logprob, and counts all', () => {
  const every = alone(makeRequest('choose', { ...drawn, topLogprobs: 0 }, { choices: 6 }));
  const mean = ({ logprobs }: (typeof every)[number]) =>
    logprobs.reduce((sum, one) => sum + one, 0) / logprobs.length;
  const best = every.toSorted((a, b) => mean(b) - mean(a)).slice(0, 2);
  const bench = new Bench({ slots: 3 });
  const request = makeRequest('choose', drawn, { choices: 2, bestOf: 6 });
  const id = bench.run(request);
  assert.deepEqual(
    bench.choicesOf(id, 2).map(({ text }) => text),
    best.map(({ text }) => text),
  );
  assert.equal(bench.untold.get(id), 4 * 9);
});

test('greedy choices beyond those told are counted', () => {
  const bench = new Bench();
  const id = bench.run(makeRequest('choose', { maxTokens: 5 }, { choices: 2, bestOf: 5 }));
  assert.equal(bench.of(id, 0).text, bench.of(id, 1).text);
  assert.equal(bench.untold.get(id), 3 * 5);
});

test('speculation changes nothing but the number of passes', () => {
  const text = 'abcabcabcabcabcabc';
  for (const options of [{ speculation: true }, { speculation: true, draftModel: true }]) {
    for (const temperature of [0, 0.2, 1]) {
      const sampling = {
        temperature,
        seed: '4',
        maxTokens: 60,
        topLogprobs: 2,
        frequencyPenalty: 1,
      };
      const request = makeRequest(text, sampling, { choices: 2, prediction: 'abcabc' });
      assert.deepEqual(alone(request, options), alone(request));
    }
  }
});

test('a draft model that knows the answer saves passes', () => {
  const request = makeRequest('a prompt', { maxTokens: 100 });
  const plain = new Bench();
  const drafted = new Bench({ speculation: true, draftModel: true });
  const [one, other] = [plain.run(request), drafted.run(request)];
  assert.deepEqual(drafted.of(other), plain.of(one));
  assert.ok(drafted.decoder.decodes < plain.decoder.decodes / 2, `${drafted.decoder.decodes}`);
  const { draftTokens, acceptedDraftTokens } = drafted.scheduler.stats;
  assert.ok(acceptedDraftTokens > 0.9 * draftTokens);
});

test('beams as many as the tree has leaves find the best answer there is', () => {
  const options = { slots: 64, context: 64, batchTokens: 128 };
  const letters = Array.from({ length: 260 }, (_, token) => token).filter(
    (token) => token < 97 || token > 99,
  );
  const sampling = { maxTokens: 3, badTokenIds: letters, topLogprobs: 0, ignoreEos: true };
  const beam = { lengthPenalty: 1, earlyStopping: false } as const;
  const wide = makeRequest('x', sampling, { bestOf: 27, beam });
  const [found] = alone(wide, options);
  const every = ['a', 'b', 'c'].flatMap((a) =>
    ['a', 'b', 'c'].flatMap((b) => ['a', 'b', 'c'].map((c) => a + b + c)),
  );
  const scores = every.map((text) => scoreOf('x', text, options));
  assert.equal(found?.text, every[scores.indexOf(Math.max(...scores))]);
  const sum = found?.logprobs.reduce((total, one) => total + one, 0) ?? 0;
  assert.ok(Math.abs(sum - Math.max(...scores)) < 1e-9);
});

/** The summed raw logprobs of a given answer. */
function scoreOf(prompt: string, answer: string, options: object): number {
  let sum = 0;
  for (let length = 0; length < answer.length; length += 1) {
    const token = answer.charCodeAt(length);
    const sampling = {
      maxTokens: 1,
      logitBias: [[token, 100]] as const,
      topLogprobs: 0,
      ignoreEos: true,
    };
    const [told] = alone(makeRequest(prompt + answer.slice(0, length), sampling), options);
    assert.equal(told?.text, answer[length]);
    sum += told?.logprobs[0] ?? Number.NaN;
  }
  return sum;
}

test('beams run beside others, in as many slots as they are wide', () => {
  const beam = { lengthPenalty: 1, earlyStopping: true } as const;
  const request = makeRequest('beams', { maxTokens: 12 }, { choices: 2, bestOf: 3, beam });
  const bench = new Bench({ slots: 4 });
  const others = ['a', 'b', 'c'].map((text) => bench.submit(makeRequest(text, drawn)));
  const searched = bench.submit(request);
  const later = bench.submit(makeRequest('later', drawn));
  bench.finish();
  assert.deepEqual(bench.choicesOf(searched, 2), alone(request));
  for (const id of [...others, later]) assert.equal(bench.of(id).tokens, 9);
  const tooWide = makeRequest('beams', {}, { bestOf: 5, beam });
  assert.equal(bench.rejected.get(bench.run(tooWide)), 'invalid_value');
  const cancelled = bench.submit(request);
  for (let step = 0; step < 4; step += 1) bench.step();
  bench.scheduler.cancel(cancelled);
  bench.scheduler.checkIntegrity();
  bench.finish();
});

test('a stop string ends a beam', () => {
  const beam = { lengthPenalty: 0, earlyStopping: 'never' } as const;
  const request = makeRequest('beams', { maxTokens: 30 }, { choices: 4, bestOf: 4, beam });
  const options = { slots: 4 };
  const letter = alone(request, options)[0]?.text[6] ?? '';
  const stopped = alone({ ...request, sampling: { ...request.sampling, stop: [letter] } }, options);
  for (const { text, finish } of stopped) {
    assert.ok(!text.includes(letter));
    if (finish?.reason === 'stop') assert.equal(finish.stopReason, letter);
  }
  assert.ok(stopped.some(({ finish }) => finish?.reason === 'stop'));
});
