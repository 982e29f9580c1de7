/**
 * The same request with the same seed gives the same bytes: alone, in a crowd, with a cold or a warm
 * prefix cache, after a restart, with drafts, streamed or not.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import {
  chatUrl,
  chunksOf,
  jsonOf,
  post,
  send,
  type Body,
  type Completion,
} from '../../support/ask.ts';
import { inCompany } from '../../support/in-company.ts';
import { testModel } from '../../support/server-process.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { cachedOf, toAnswer, type Answer } from './answer.ts';
import { createDice, randomRequests, shuffled, type Sizes } from './random-requests.ts';
import { engineOf, startTinyServer, tinyVocabularySize, type TinyServer } from './tiny-server.ts';

const seed = Number(process.env['PARLANCE_TEST_SEED'] ?? 1);
const atOnce = 16;
const context = 512;

interface Setting {
  readonly name: string;
  readonly count: number;
  /** Default: a tiny one. */
  readonly model?: () => string;
  /** Fewer slots than requests at once, and less memory than all their prefixes take. */
  readonly crowd: Body;
  readonly sizes: Sizes;
}

const settings: readonly Setting[] = [
  {
    name: 'the real model',
    count: Number(process.env['PARLANCE_TEST_REQUESTS'] ?? 200),
    model: testModel,
    crowd: { slots: 6, prefix_cache_bytes: 40_000_000 },
    sizes: { tokenIds: 49_152, words: [6, 12, 12, 24, 40], longest: 8 },
  },
  {
    name: 'a tiny model with hardly any room',
    count: Number(process.env['PARLANCE_TEST_TINY_REQUESTS'] ?? 300),
    crowd: { slots: 3, prefix_cache_bytes: 600_000 },
    sizes: { tokenIds: tinyVocabularySize, words: [3, 12, 24, 40, 60], longest: 43 },
  },
];

interface Case {
  readonly body: Body;
  readonly expected: Answer;
}

for (const setting of settings) {
  const { count } = setting;
  describe(`${count} random requests to ${setting.name}`, () => {
    let served: TinyServer;
    const cases: Case[] = [];
    const dice = createDice(seed + 1);

    before(async () => {
      served = await startTinyServer({
        ...(setting.model === undefined ? {} : { model: setting.model() }),
        deployments: {
          crowd: { context, ...setting.crowd },
          // Four slots are needed by beams only: requests come one by one.
          alone: { context, slots: 4, prefix_cache_bytes: 0, speculation: 'off' },
        },
        args: (folder) => [`--prefix-cache-dir=${join(folder, 'prefixes')}`],
      });
    });

    after(async () => {
      await served?.stop();
    });

    async function ask(body: Body): Promise<{ answer: Answer; cached: number }> {
      const streamed = body['stream'] === true;
      const reply = await post(chatUrl(served.server), {
        ...body,
        ...(streamed ? { stream_options: { include_usage: true } } : {}),
      });
      assert.equal(reply.status, 200, `${reply.text}\n${JSON.stringify(body)}`);
      const answer = streamed ? chunksOf(reply.text) : jsonOf<Completion>(reply);
      return { answer: toAnswer(answer), cached: cachedOf(answer) };
    }

    /** What must change nothing. */
    const inOtherWords = ({ body, expected }: Case): Body => ({
      ...body,
      model: 'crowd',
      stream: dice.chance(0.5),
      priority: dice.below(5) - 2,
      ...(body['use_beam_search'] === true || dice.chance(0.4)
        ? {}
        : { prediction: { type: 'content', content: predictionOf(expected) } }),
    });

    /** Sometimes right, sometimes right for a while. */
    function predictionOf({ choices }: Answer): string {
      const text = choices[0]?.text ?? '';
      return dice.chance(0.5) ? `${text} ` : `${text.slice(0, text.length / 2)} or something else`;
    }

    /** Fails with all the requests whose answers were others. @returns tokens that were cached */
    async function checkAll(some: readonly Case[], together: number): Promise<number> {
      assert.equal(cases.length, count, 'not all answers are known');
      const asked = some.map((one) => ({
        body: inOtherWords(one),
        expected: one.expected,
        after: together > 1 && dice.chance(0.1) ? comeAndGo : null,
      }));
      const different: string[] = [];
      let cached = 0;
      await inCompany(
        asked,
        async ({ body, expected, after }) => {
          await after?.(body);
          const found = await ask(body);
          cached += found.cached;
          try {
            assert.deepEqual(found.answer, expected);
          } catch (error) {
            different.push(`${JSON.stringify(body)}\n${(error as Error).message}`);
          }
        },
        together,
      );
      assert.deepEqual(different, []);
      return cached;
    }

    /** A request that is left once its first bytes are there. */
    async function comeAndGo(body: Body): Promise<void> {
      const { use_beam_search: _, ...plain } = body;
      const longer = { ...plain, stream: true, ignore_eos: true, max_tokens: 60 };
      const controller = new AbortController();
      const response = await send(chatUrl(served.server), longer, { signal: controller.signal });
      assert.equal(response.status, 200);
      await response.body?.getReader().read();
      controller.abort();
    }

    const untilSome = (figure: 'draft_tokens' | 'preemptions'): Promise<boolean> =>
      waitUntil(figure, async () => {
        const { stats } = await engineOf(served.server, 'crowd');
        return (stats?.[figure] ?? 0) > 0;
      });

    it('each has its answer, computed alone with nothing cached', async () => {
      for (const [index, body] of randomRequests(count, seed, setting.sizes).entries()) {
        const alone = { ...body, model: 'alone', cache_salt: `alone ${index}` };
        const { answer, cached } = await ask(alone);
        assert.equal(cached, 0);
        cases.push({ body, expected: answer });
      }
      const texts = cases.flatMap(({ expected }) => expected.choices.map(({ text }) => text));
      assert.ok(new Set(texts).size > texts.length / 3, 'the answers are all alike');
    });

    it('and the same in a crowd of 16, half of them twice', async () => {
      const some = shuffled([...cases, ...cases.slice(0, count / 2)], dice);
      assert.ok((await checkAll(some, atOnce)) > 0);
      await untilSome('preemptions');
    });

    it('and with drafts, one after the other', async () => {
      await checkAll(cases.slice(0, Math.ceil(count / 10)), 1);
      await untilSome('draft_tokens');
    });

    it('and after a restart, from prefixes on disk', async () => {
      await served.restart();
      const some = shuffled(cases, dice).slice(0, Math.ceil(count / 6));
      assert.ok((await checkAll(some, atOnce)) > 0);
    });
  });
}
