import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ParlanceError } from '../../../src/contract/errors.ts';
import { startEngine, type Engine, type EngineOptions } from '../../../src/engine/index.ts';
import { writeTinyModel, type TinyModelOptions } from '../../support/tiny-models/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, chat, run, runAlone, runTogether, tightOptions, type Answers } from './run-engine.ts';

interface Kind {
  readonly name: string;
  readonly model: TinyModelOptions;
  /** Whether results are the same bits whatever else runs. */
  readonly exact: boolean;
  /** Whether what was computed of a prompt's beginning is used again. */
  readonly reuses: boolean;
}

const kinds: readonly Kind[] = [
  { name: 'llama', model: { architecture: 'llama' }, exact: true, reuses: true },
  {
    name: 'llama with SentencePiece',
    model: { architecture: 'llama', vocabulary: 'spm' },
    exact: true,
    reuses: true,
  },
  { name: 'qwen2', model: { architecture: 'qwen2' }, exact: true, reuses: true },
  { name: 'qwen3', model: { architecture: 'qwen3' }, exact: true, reuses: true },
  {
    name: 'qwen3 with heads that Q8_0 cannot hold',
    model: { architecture: 'qwen3', headSize: 16 },
    exact: false,
    reuses: true,
  },
  { name: 'gemma3 (sliding window)', model: { architecture: 'gemma3' }, exact: true, reuses: true },
  { name: 'mamba (recurrent)', model: { architecture: 'mamba' }, exact: true, reuses: false },
  { name: 'lfm2 (hybrid)', model: { architecture: 'lfm2' }, exact: true, reuses: false },
];

/** Longer than the sliding window and than two passes: about 170 tokens. */
const longBeginning = 'The cat sat on the mat and it was good for the cat. '.repeat(6);

const questions = ['What is it?', 'Who are you?', 'Tell me more.', 'Why?', 'In one word: when?'];

/** `alone` and `others` are answers to the same requests, one by one. */
function assertSame(others: readonly Answers[], alone: readonly Answers[], exact: boolean): void {
  assert.equal(others.length, alone.length);
  others.forEach(({ choices }, request) => {
    const expected = alone[request]?.choices ?? [];
    if (exact) return assert.deepEqual(choices, expected, `request ${request}`);
    // The arithmetic may differ in its last bits, and then a near tie goes the other way.
    choices.forEach(({ tokens, finish, logprobs }, choice) => {
      assert.equal(tokens, expected[choice]?.tokens);
      assert.equal(finish, expected[choice]?.finish);
      const [[first] = [0]] = logprobs;
      const [[other] = [0]] = expected[choice]?.logprobs ?? [];
      assert.ok(Math.abs((first ?? NaN) - (other ?? NaN)) < 1, `request ${request}: ${first}`);
    });
  });
}

const isCancelled = (error: unknown): boolean =>
  error instanceof ParlanceError && error.reason === 'cancelled';

for (const { name, model, exact, reuses } of kinds) {
  describe(`the engine with a tiny ${name}`, () => {
    let folder: string;
    let engine: Engine;

    const start = (options: Partial<EngineOptions> = {}): Promise<Engine> =>
      startEngine({
        path: join(folder, 'model.gguf'),
        options: { ...tightOptions, ...options },
      });

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'parlance-architecture-'));
      writeTinyModel(join(folder, 'model.gguf'), model);
      engine = await start();
    });

    after(async () => {
      await engine.stop();
      rmSync(folder, { recursive: true });
    });

    /** Nothing runs, waits or holds a slot. */
    const isIdle = (): boolean =>
      engine.load.running + engine.load.waiting === 0 && engine.stats?.slotsTaken === 0;

    test('it says what it can', () => {
      // A model without attention has no keys and values.
      if (model.architecture !== 'mamba') {
        assert.equal(engine.info.kvType, exact ? 'q8_0/f16' : 'f16/f16');
      }
      assert.equal(engine.info.deterministic.on, exact);
      assert.equal(engine.info.prefixReuse.on, reuses);
      assert.equal(engine.info.prefixReuse.why === null, reuses);
      assert.equal(engine.info.slots, 3);
    });

    test('it answers a chat, the same again, and another question otherwise', async () => {
      const first = await run(engine, ask(chat('What is it?')));
      const [answer] = first.choices;
      assert.equal(answer?.tokens, 24);
      assert.equal(answer.finish, 'length');
      assert.equal(answer.logprobs.length, 24);
      for (const [taken = NaN, best = NaN, second = NaN] of answer.logprobs) {
        assert.ok(taken <= 0 && taken === best && best >= second, `${taken} ${best} ${second}`);
      }
      assert.ok(new Set(answer.text).size > 5, answer.text);
      assertSame([await run(engine, ask(chat('What is it?')))], [first], exact);
      const other = await run(engine, ask(chat('What is that?')));
      assert.notEqual(other.choices[0]?.text, answer.text);
    });

    test('requests that share a beginning give together what they give alone', async () => {
      const requests = questions.map((question) => ask(chat(longBeginning + question)));
      const alone = await runAlone(engine, requests);
      assert.equal(new Set(alone.map(({ choices }) => choices[0]?.text)).size, questions.length);
      assert.deepEqual(new Set(alone.map(({ cachedTokens }) => cachedTokens)), new Set([0]));
      const twice = [...requests, ...requests];
      assertSame(await runTogether(engine, twice), [...alone, ...alone], exact);
      const warm = await runTogether(engine, requests);
      assertSame(warm, alone, exact);
      for (const { cachedTokens, promptTokens } of warm) {
        assert.ok(cachedTokens < promptTokens, `${cachedTokens} of ${promptTokens}`);
      }
      const saved = warm.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0);
      assert.equal(saved > 150, reuses, `${saved} tokens were there`);
    });

    test('a conversation that is sent whole at each turn reads as if it were new', async () => {
      let text = chat(longBeginning);
      for (const question of questions) {
        const [alone] = await runAlone(engine, [ask(text)]);
        const warm = await run(engine, ask(text));
        assert.ok(alone !== undefined);
        assertSame([warm], [alone], exact);
        text += `${warm.choices[0]?.text}<|im_end|>\n${chat(question)}`;
      }
    });

    test('prompts that share a little, in another order each time, never mix', async () => {
      const requests = Array.from({ length: 12 }, (_, i) =>
        ask(chat(`${longBeginning.slice(0, 25 * (i + 1))} ${i} ${'or that '.repeat(3 * i)}`), {
          maxTokens: 4 + i,
        }),
      );
      const alone = await runAlone(engine, requests);
      for (const step of [1, 5, 7]) {
        const order = requests.map((_, i) => (i * step) % requests.length);
        const pick = <T>(from: readonly T[]): T[] => order.flatMap((i) => from.slice(i, i + 1));
        assertSame(await runTogether(engine, pick(requests)), pick(alone), exact);
      }
      await waitUntil('the engine to fall idle', isIdle);
      assert.ok((engine.stats?.prefixBytes ?? Infinity) <= 400_000);
    });

    test('what is copied from a slot is right, also where the slot is needed at once', async () => {
      const kept = chat(`Kept. ${longBeginning}`);
      await run(engine, ask(kept));
      await waitUntil('the engine to fall idle', isIdle);
      // While this one runs nothing is put away, so the next one's slot still holds all it did.
      const controller = new AbortController();
      const long = ask(chat('For a long time'), { maxTokens: 400 });
      const begun = Promise.withResolvers<void>();
      const endless = run(engine, long, controller.signal, begun.resolve).catch(() => {});
      await begun.promise;
      const left = ask(chat(`Left. ${longBeginning}`));
      const before = await run(engine, left);
      // The first is copied out of that slot, and the second, out of the cache, goes into it.
      const further = ask(`${kept}Well`);
      const together = await runTogether(engine, [left, further]);
      controller.abort();
      await endless;
      assertSame([before, ...together], await runAlone(engine, [left, left, further]), exact);
    });

    test('choices: the first draws as if it were alone, and more than slots all come', async () => {
      const sampling = { temperature: 1, seed: '7', maxTokens: 8 };
      const one = await run(engine, ask(chat('Why?'), sampling));
      const five = await run(engine, ask(chat('Why?'), sampling, { choices: 5 }));
      assert.equal(new Set(five.choices.map(({ text }) => text)).size, 5);
      if (exact) assert.deepEqual(five.choices[0], one.choices[0]);
    });

    test('a context that is handed over goes on, and what it leaves misleads nobody', async () => {
      const salt = { cacheSalt: 'handed over' };
      const [request, ...others] = ['Why?', ...questions].map((question) =>
        ask(chat(longBeginning + question), { topLogprobs: null }, salt),
      );
      assert.ok(request !== undefined);
      const alone = await runAlone(engine, [request, ...others]);
      const hold = { type: 'hold', milliseconds: 60_000 } as const;
      const { context } = await run(engine, { ...request, handover: hold });
      assert.ok(context !== undefined);
      // Others need all slots, so that only the held state has what was computed.
      await runTogether(
        engine,
        questions.map((question) => ask(chat(question.repeat(9)))),
      );
      const { id, firstTokens } = context;
      const resume = { type: 'resume', context: id, firstTokens } as const;
      const resumed = await run(engine, { ...request, handover: resume });
      assertSame([resumed, ...(await runTogether(engine, others))], alone, exact);
    });

    test('cancelled requests are gone, and the others do not notice', async () => {
      const requests = questions.map((question) =>
        ask(chat(question + longBeginning), { maxTokens: 40 }),
      );
      const alone = await runAlone(engine, requests);
      const { pid } = engine;
      const cancelled = requests.map(async (request, i) => {
        const controller = new AbortController();
        let steps = 0;
        const onStep = (): void => {
          steps += 1;
          if (steps > i) controller.abort();
        };
        // One is cancelled before it begins, the others here and there in the middle.
        if (i === 0) controller.abort();
        const long = { ...request, sampling: { ...request.sampling, maxTokens: 300 } };
        try {
          // The fastest engine is through before we come to read.
          await run(engine, long, controller.signal, onStep);
        } catch (error) {
          assert.ok(isCancelled(error), String(error));
          return 1;
        }
        return 0;
      });
      const [answers, ...ended] = await Promise.all([runTogether(engine, requests), ...cancelled]);
      assertSame(answers, alone, exact);
      assert.ok(ended.includes(1));
      await waitUntil('the engine to fall idle', isIdle);
      assert.equal(engine.pid, pid);
    });

    test('what it keeps outlives a restart, and changes nothing', async () => {
      const keeping = { prefixCacheBytes: 20_000_000, prefixCacheDir: join(folder, 'prefixes') };
      const texts = questions.map((question) => chat(longBeginning + question));
      const first = await start(keeping);
      await runTogether(
        first,
        texts.map((text) => ask(text, { maxTokens: 1 })),
      );
      await first.stop();
      const further = texts.map((text) => ask(`${text}Well, that`));
      const second = await start(keeping);
      const again = await runTogether(second, further);
      await second.stop();
      assertSame(again, await runAlone(engine, further), exact);
      const saved = again.map(({ cachedTokens }) => cachedTokens);
      assert.equal(Math.min(...saved) > 150, reuses, `${saved} tokens were there`);
    });
  });
}
