/** What the server answers is what a straightforward computation with the same library gives. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { chatUrl, complete, jsonOf, post, stream, type Body } from '../../support/ask.ts';
import { endless, openStream } from '../../support/open-stream.ts';
import {
  openPlainModel,
  type PlainAnswer,
  type PlainBeams,
  type PlainModel,
} from '../../support/plain-model.ts';
import { testModel, type ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { toAnswer, type Answer } from './answer.ts';

const maxTokens = 20;
const top = 3;
/** Sums of 49,152 terms in another order differ by less. */
const tolerance = 1e-6;

const user = (content: string) => [{ role: 'user', content }];

const inputs: readonly Body[] = [
  { messages: user("What's the capital of France? Answer in one sentence.") },
  { messages: user('Write a haiku about rain, in German with umlauts: äöü.') },
  {
    messages: [
      { role: 'system', content: 'You count. You say nothing else.' },
      ...user('1, 2, 3, 4'),
      { role: 'assistant', content: '5, 6, 7, 8' },
      ...user('Go on.'),
    ],
  },
  { messages: user('Reply with the word yes.') },
  { messages: undefined, prompt: 'def fibonacci(n):\n    """Return the n-th number."""\n' },
];

const searches: readonly PlainBeams[] = [
  { width: 3, choices: 3, lengthPenalty: 1, earlyStopping: false, maxTokens: 7 },
  { width: 4, choices: 2, lengthPenalty: 0, earlyStopping: true, maxTokens: 6 },
  { width: 3, choices: 2, lengthPenalty: 2, earlyStopping: 'never', maxTokens: 6 },
  { width: 2, choices: 1, lengthPenalty: -1, earlyStopping: false, maxTokens: 10 },
];
const rulesOf = (index: number): PlainBeams => searches[index % searches.length] as PlainBeams;

function checkEqual(found: Answer, expected: readonly PlainAnswer[]): void {
  assert.deepEqual(
    found.choices.map(({ text, finish }) => ({ text, finish })),
    expected.map(({ text, finish }) => ({ text, finish })),
  );
  found.choices.forEach(({ logprobs }, index) => {
    const tokens = expected[index]?.tokens ?? [];
    assert.deepEqual(
      logprobs.map(({ bytes }) => bytes),
      tokens.map(({ bytes }) => bytes),
    );
    logprobs.forEach((one, position) => {
      const plain = tokens[position];
      assert.ok(plain !== undefined && Math.abs(one.logprob - plain.logprob) <= tolerance);
      one.top_logprobs.forEach(({ logprob }, rank) => {
        assert.ok(Math.abs(logprob - (plain.top[rank]?.logprob ?? Number.NaN)) <= tolerance);
      });
    });
  });
}

describe('answers beside a plain computation', () => {
  let server: ServerProcess;
  let plain: PlainModel;
  const prompts: (readonly number[])[] = [];
  const greedy: PlainAnswer[] = [];
  const searched: PlainAnswer[][] = [];
  const asked = { temperature: 0, max_tokens: maxTokens, logprobs: true, top_logprobs: top };

  before(async () => {
    server = await sharedServer();
    plain = openPlainModel(testModel());
    for (const input of inputs) {
      const reply = await post(chatUrl(server), { model: 'smollm2-135m', ...input, dry_run: true });
      const plan = jsonOf<{ prompt: string; prompt_tokens: number }>(reply);
      const tokens = plain.tokenize(plan.prompt);
      assert.equal(tokens.length, plan.prompt_tokens);
      prompts.push(tokens);
    }
    // Nothing else is under way: it blocks.
    for (const [index, prompt] of prompts.entries()) {
      greedy.push(plain.greedy(prompt, maxTokens, top));
      searched.push(plain.beams(prompt, rulesOf(index)));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  after(() => plain?.close());

  /** Streamed and not. */
  async function checkGreedy(): Promise<void> {
    for (const [index, input] of inputs.entries()) {
      const expected = greedy[index] as PlainAnswer;
      const whole = await complete(server, { ...asked, ...input });
      checkEqual(toAnswer(whole), [expected]);
      assert.equal(whole.usage.completion_tokens, expected.count);
      checkEqual(toAnswer(await stream(server, { ...asked, ...input })), [expected]);
    }
  }

  /** `work` while others decode, and come and go. */
  async function inCrowd(others: number, work: () => Promise<void>): Promise<void> {
    const streams = await Promise.all(
      Array.from({ length: others }, (_, seed) => openStream(server, { temperature: 1, seed })),
    );
    try {
      await work();
    } finally {
      for (const one of streams) one.leave();
    }
  }

  it('has answers of both endings to compare', () => {
    assert.deepEqual([...new Set(greedy.map(({ finish }) => finish))].toSorted(), [
      'length',
      'stop',
    ]);
    assert.ok(endless['ignore_eos']);
  });

  it('greedy text and logprobs are equal', checkGreedy);

  it('and so they are while six other requests run', () => inCrowd(6, checkGreedy));

  async function checkBeams(): Promise<void> {
    for (const [index, input] of inputs.entries()) {
      const rules = rulesOf(index);
      const whole = await complete(server, {
        ...asked,
        top_logprobs: 0,
        ...input,
        max_tokens: rules.maxTokens,
        use_beam_search: true,
        n: rules.choices,
        best_of: rules.width,
        length_penalty: rules.lengthPenalty,
        early_stopping: rules.earlyStopping,
      });
      checkEqual(toAnswer(whole), searched[index] ?? []);
    }
  }

  it('beam search finds the same', checkBeams);

  it('and so it does while four other requests run', () => inCrowd(4, checkBeams));
});
