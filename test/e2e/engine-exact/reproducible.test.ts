/**
 * The same request with the same seed gives the same bytes: alone, in a crowd, with a cold or a warm
 * prefix cache, after a restart, with drafts, streamed or not.
 */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import {
  chatUrl,
  chunksOf,
  get,
  jsonOf,
  model,
  post,
  type Body,
  type Completion,
} from '../../support/ask.ts';
import { deploy, deploymentUrl } from '../../support/deployments.ts';
import { inCompany } from '../../support/in-company.ts';
import {
  makeHome,
  startServer,
  testModel,
  type ServerProcess,
} from '../../support/server-process.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { toAnswer, type Answer } from './answer.ts';
import { createDice, randomRequests, shuffled } from './random-requests.ts';

const count = Number(process.env['PARLANCE_TEST_REQUESTS'] ?? 200);
const seed = Number(process.env['PARLANCE_TEST_SEED'] ?? 1);
const atOnce = 16;
const context = 512;

interface Case {
  readonly body: Body;
  readonly expected: Answer;
}

interface Figures {
  readonly cached_tokens: number;
  readonly draft_tokens: number;
  readonly preemptions: number;
}

describe(`${count} random requests, alone and in company`, () => {
  let home: string;
  let server: ServerProcess;
  const cases: Case[] = [];
  const dice = createDice(seed + 1);

  /** Fewer slots than requests at once, and less memory than all their prefixes take. */
  const start = (): Promise<ServerProcess> =>
    startServer({
      home,
      args: [
        `--context=${context}`,
        '--slots=6',
        '--prefix-cache-bytes=40MiB',
        `--prefix-cache-dir=${join(home, 'prefixes')}`,
      ],
    });

  before(async () => {
    home = makeHome();
    server = await start();
    // Four slots are needed by beams only: requests come one by one.
    await deploy(server, {
      name: 'alone',
      runtime: 'embedded',
      model: testModel(),
      options: { slots: 4, context, prefix_cache_bytes: 0, speculation: 'off' },
    });
  });

  after(async () => {
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function ask(body: Body): Promise<{ answer: Answer; cached: number }> {
    const streamed = body['stream'] === true;
    const reply = await post(chatUrl(server), {
      ...body,
      ...(streamed ? { stream_options: { include_usage: true } } : {}),
    });
    assert.equal(reply.status, 200, `${reply.text}\n${JSON.stringify(body)}`);
    if (streamed) return { answer: toAnswer(chunksOf(reply.text)), cached: 0 };
    const whole = jsonOf<Completion>(reply);
    const { prompt_tokens_details: details } = whole.usage as unknown as {
      prompt_tokens_details: { cached_tokens: number };
    };
    return { answer: toAnswer(whole), cached: details.cached_tokens };
  }

  /** What must change nothing. */
  const inOtherWords = ({ body, expected }: Case): Body => ({
    ...body,
    model,
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

  /** The requests whose answers were others, told once all are through. */
  async function checkAll(some: readonly Case[], together: number): Promise<number> {
    assert.equal(cases.length, count, 'not all answers are known');
    const different: string[] = [];
    let cached = 0;
    await inCompany(
      some,
      async (one) => {
        const body = inOtherWords(one);
        const found = await ask(body);
        cached += found.cached;
        try {
          assert.deepEqual(found.answer, one.expected);
        } catch (error) {
          different.push(`${JSON.stringify(body)}\n${(error as Error).message}`);
        }
      },
      together,
    );
    assert.deepEqual(different, []);
    return cached;
  }

  async function figures(): Promise<Figures> {
    const reply = await get(deploymentUrl(server, model));
    return jsonOf<{ engine: { stats: Figures } }>(reply).engine.stats;
  }

  it('each has its answer, computed alone with nothing cached', async () => {
    for (const [index, body] of randomRequests(count, seed).entries()) {
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
    const { preemptions } = await waitUntil('figures of the engine', figures);
    assert.ok(preemptions > 0, 'no request had to give way to another');
  });

  it('and with drafts, one after the other', async () => {
    await checkAll(cases.slice(0, Math.ceil(count / 10)), 1);
    await waitUntil('drafts', async () => (await figures()).draft_tokens > 0);
  });

  it('and after a restart, from prefixes on disk', async () => {
    await server.stop();
    server = await start();
    const some = shuffled(cases, dice).slice(0, Math.ceil(count / 6));
    assert.ok((await checkAll(some, atOnce)) > 0);
  });
});
