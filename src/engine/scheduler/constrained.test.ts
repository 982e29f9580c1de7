import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GenerateRequest, Sampling } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { FakeConstraint, type Language } from './fake-constraint.test-support.ts';
import { alone, Bench, type BenchOptions } from './scheduler-bench.test-support.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** `{"name":"<3 to 6 letters>","ok":true|false}`: much of it forced. */
const object: Language = (text) => {
  const begin = '{"name":"';
  if (text.length < begin.length) return { bytes: begin.charAt(text.length) };
  const rest = text.slice(begin.length);
  const quote = rest.indexOf('"');
  if (quote === -1) {
    const { length } = rest;
    return { bytes: (length < 6 ? letters : '') + (length >= 3 ? '"' : '') };
  }
  const middle = '","ok":';
  const after = rest.slice(quote);
  if (after.length < middle.length) return { bytes: middle.charAt(after.length) };
  const value = after.slice(middle.length);
  const left = ['true}', 'false}'].filter((word) => word.startsWith(value));
  if (left.includes(value)) return { bytes: '', complete: true };
  return { bytes: [...new Set(left.map((word) => word.charAt(value.length)))].join('') };
};
const whole = /^\{"name":"[a-z]{3,6}","ok":(?:true|false)\}$/;

const request = (sampling: Partial<Sampling> = {}, rest: Partial<GenerateRequest> = {}) =>
  makeRequest('say it', { temperature: 1, seed: '7', maxTokens: 60, ...sampling }, rest);

interface Run {
  readonly language?: Language;
  readonly delay?: number;
  readonly options?: Partial<BenchOptions>;
}

function run(asked: GenerateRequest, { language = object, delay = 0, options = {} }: Run = {}) {
  const bench = new Bench(options);
  const constraint = new FakeConstraint(language, delay);
  const id = bench.submit(asked, constraint);
  bench.finish();
  assert.equal(constraint.released, 1);
  assert.ok(constraint.sessions.every(({ closed }) => closed));
  return { bench, constraint, id, told: bench.told.get(`${id}/0`) };
}

describe('a text under a constraint', () => {
  it('is as asked for, whatever is drawn', () => {
    const texts = Array.from({ length: 20 }, (_, seed) => run(request({ seed: String(seed) })));
    for (const { told } of texts) {
      assert.match(told?.text ?? '', whole);
      assert.deepEqual(told?.finish, { reason: 'stop', stopReason: null });
      assert.equal(told?.tokens, told?.text.length);
    }
    assert.ok(new Set(texts.map(({ told }) => told?.text)).size > 10);
  });

  it('takes no pass for what is forced', () => {
    const { bench, told } = run(request());
    const drawn = (told?.text.match(/^\{"name":"([a-z]+)"/)?.[1]?.length ?? 0) + 2;
    assert.ok(bench.decoder.decodes <= drawn + 1, `${bench.decoder.decodes} passes`);
  });

  it('is told with the tokens of its prompt that were there, though it begins before they are known', () => {
    const { bench, id } = run(request());
    assert.equal(bench.cached.get(id), 0);
    const again = bench.run(request(), new FakeConstraint(object));
    assert.equal(bench.cached.get(again), 'say it'.length);
  });

  it('is the same with log-probabilities, with late answers, and with drafts', () => {
    const plain = run(request()).told;
    const scored = run(request({ topLogprobs: 0 })).told;
    assert.equal(scored?.text, plain?.text);
    assert.equal(scored?.logprobs.length, scored?.tokens);
    assert.equal(run(request(), { delay: 5 }).told?.text, plain?.text);
    const drafted = run(request({}, { prediction: plain?.text ?? '' }), {
      options: { speculation: true },
    });
    assert.equal(drafted.told?.text, plain?.text);
    assert.ok(drafted.constraint.sessions.some(({ looks }) => looks > 0));
  });

  it('works for several choices, for the best of several, and beside others', () => {
    const bench = new Bench();
    const one = new FakeConstraint(object, 3);
    const ids = [
      bench.submit(request({}, { choices: 3, bestOf: 3 }), one),
      bench.submit(request({}, { choices: 1, bestOf: 4 }), new FakeConstraint(object)),
      bench.submit(request({ maxTokens: 30 })),
    ];
    bench.finish();
    const [several = 0, best = 0, free = 0] = ids;
    const texts = bench.choicesOf(several, 3).map(({ text }) => text);
    for (const text of texts) assert.match(text, whole);
    assert.ok(new Set(texts).size > 1);
    assert.match(bench.of(best).text, whole);
    assert.equal(bench.of(free).text, alone(request({ maxTokens: 30 }))[0]?.text);
  });

  it('is cut by max_tokens, and then its finish says so', () => {
    for (const maxTokens of [1, 5, 11]) {
      const { told } = run(request({ maxTokens }));
      assert.deepEqual(told?.finish, { reason: 'length', stopReason: null });
      assert.equal(told?.tokens, maxTokens);
      assert.ok(told?.text.startsWith('{"name":"'.slice(0, maxTokens)));
    }
  });

  it('forces nothing beyond the context, with log-probabilities neither', () => {
    const prompt = 'say it'.length;
    for (let left = 1; left <= 12; left += 1) {
      const options = { context: prompt + left };
      const { told } = run(request({ topLogprobs: 0, maxTokens: 60 }), { options });
      assert.deepEqual(told?.finish, { reason: 'length', stopReason: null }, `${left} left`);
      assert.equal(told?.tokens, left);
      assert.equal(told?.logprobs.length, left);
    }
  });

  it('ends where nothing may follow, whatever min_tokens and ignore_eos say', () => {
    const { told } = run(request({ minTokens: 50, ignoreEos: true }));
    assert.match(told?.text ?? '', whole);
    assert.equal(told?.finish?.reason, 'stop');
  });

  it('holds nobody up while an answer is late', () => {
    const bench = new Bench();
    const late = new FakeConstraint(object, 100_000);
    const slow = bench.submit(request(), late);
    const free = bench.submit(makeRequest('go on', { maxTokens: 20, ignoreEos: true }));
    for (let step = 0; step < 25; step += 1) bench.step();
    assert.equal(bench.of(free).finish?.reason, 'length');
    assert.equal(bench.told.has(`${slow}/0`), false);
    bench.scheduler.cancel(slow);
    assert.equal(late.released, 1);
    bench.finish();
  });
});

describe('a dead end', () => {
  /** Three digits, the last one 7; the mask only knows at the end. */
  const digits: Language = (text) => {
    if (text.length < 3) return { bytes: '0123456789', risky: true };
    return text.endsWith('7') ? { bytes: '', complete: true } : { bytes: '', risky: true };
  };

  it('is left by going back, and nothing of it is told', () => {
    for (const options of [{}, { forgetsParts: false }]) {
      for (let seed = 0; seed < 10; seed += 1) {
        const { told, constraint } = run(request({ seed: String(seed) }), {
          language: digits,
          options,
        });
        assert.match(told?.text ?? '', /^\d\d7$/);
        assert.equal(told?.tokens, 3);
        assert.ok(constraint.sessions.every(({ rewinds }) => rewinds <= 10));
      }
    }
  });

  it('of every way is an error', () => {
    const never: Language = (text) =>
      text.length < 2 ? { bytes: 'ab', risky: true } : { bytes: '', risky: true };
    const { bench, id, told } = run(request(), { language: never });
    assert.equal(bench.rejected.get(id), 'constraint_not_met');
    assert.equal(told, undefined);
  });

  it('where the bans leave no token is an error too', () => {
    const { bench, id } = run(request({ badTokenIds: [0x61, 0x62] }), {
      language: (text) => ({ bytes: text === '' ? 'ab' : '', complete: text !== '' }),
    });
    assert.equal(bench.rejected.get(id), 'constraint_not_met');
  });
});

it('what cannot be had together is refused', () => {
  const beam = { lengthPenalty: 1, earlyStopping: false } as const;
  const bench = new Bench();
  const constraint = new FakeConstraint(object);
  const spec = { kind: 'text' } as const;
  const id = bench.submit(request({}, { beam, constraint: spec }), constraint);
  assert.equal(bench.rejected.get(id), 'conflicting_fields');
  assert.equal(constraint.released, 1);
});
