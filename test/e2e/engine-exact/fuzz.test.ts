/** Random requests, right and wrong, many of them given up: the engine lives, and nothing is lost. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pool } from 'undici';

import { errorCatalogue, type Reason } from '../../../src/contract/errors.ts';
import { complete, jsonOf, payloadsOf, textOf } from '../../support/ask.ts';
import { inCompany } from '../../support/in-company.ts';
import { untilLoad } from '../../support/load.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fuzzRequest, type FuzzRequest } from './fuzz-requests.ts';
import { createDice } from './random-requests.ts';
import { engineOf, startTinyServer, type TinyServer } from './tiny-server.ts';

const count = Number(process.env['PARLANCE_TEST_FUZZ'] ?? 20_000);
const seed = Number(process.env['PARLANCE_TEST_SEED'] ?? 1);
const atOnce = 24;

/** What is no fault of the request: more contexts are held for later ones than the engine holds. */
const excused: ReadonlySet<string> = new Set(['queue_full']);

describe(`${count} random requests`, () => {
  let tiny: TinyServer;
  let pool: Pool;
  /** How often an answer was 200, left, or refused with this reason. */
  const outcomes = new Map<string, number>();

  before(async () => {
    const options = { slots: 6, context: 256, prefix_cache_bytes: 1_000_000 };
    tiny = await startTinyServer({ deployments: { tiny: options } });
    pool = new Pool(tiny.server.url, { connections: atOnce });
  });

  after(async () => {
    await pool?.close();
    await tiny?.stop();
  });

  async function send({ path, text, leaves }: FuzzRequest): Promise<string> {
    const controller = new AbortController();
    if (leaves === 'at once') setImmediate(() => setImmediate(() => controller.abort()));
    try {
      const { statusCode, body } = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
        signal: controller.signal,
      });
      let answer = '';
      for await (const chunk of body.setEncoding('utf8')) {
        answer += chunk as string;
        if (leaves === 'at the first bytes') controller.abort();
      }
      return judge(statusCode, answer);
    } catch (error) {
      if (controller.signal.aborted) return 'left';
      throw error;
    }
  }

  function judge(status: number, text: string): string {
    const streamed = text.startsWith('data: ') || text.startsWith(':');
    const error = (streamed ? payloadsOf(text) : [text]).find((one) => one.startsWith('{"error"'));
    if (error === undefined) {
      assert.equal(status, 200, text.slice(0, 500));
      if (streamed) assert.equal(payloadsOf(text).at(-1), '[DONE]');
      return '200';
    }
    const { reason, code, message } = jsonOf<{
      error: { reason: Reason; code: number; message: string };
    }>({ text: error }).error;
    assert.equal(code, errorCatalogue[reason].status, error);
    if (!streamed) assert.equal(status, code, error);
    assert.ok((code >= 400 && code < 500) || excused.has(reason), error);
    assert.ok(message.length > 10 && !/undefined|\[object|NaN is/.test(message), error);
    return reason;
  }

  const greedy = () =>
    complete(tiny.server, {
      model: 'tiny',
      max_tokens: 20,
      ignore_eos: true,
      cache_salt: 'greedy',
    });

  it('never end the engine, and each is answered or refused with a reason', async () => {
    const { pid } = await engineOf(tiny.server, 'tiny');
    const before = textOf(await greedy());
    const dice = createDice(seed);
    const requests = Array.from({ length: count }, () => fuzzRequest(dice));
    await inCompany(
      requests,
      async (request) => {
        let outcome: string;
        try {
          outcome = await send(request);
        } catch (error) {
          throw new Error(`${request.path} ${request.leaves} ${request.text.slice(0, 2000)}`, {
            cause: error,
          });
        }
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      },
      atOnce,
    );
    await untilLoad(tiny.server, 0, 0);
    assert.equal((await engineOf(tiny.server, 'tiny')).pid, pid);
    assert.equal(textOf(await greedy()), before);
  });

  it('are of all kinds: answered, refused, given up', () => {
    const share = (outcome: string): number => (outcomes.get(outcome) ?? 0) / count;
    const seen = JSON.stringify(Object.fromEntries(outcomes));
    assert.ok(share('200') > 0.3, seen);
    assert.ok(share('left') > 0.1, seen);
    const reasons = ['invalid_json', 'invalid_value', 'unknown_field', 'conflicting_fields'];
    reasons.push('unsupported_parameter', 'invalid_token_id', 'context_length_exceeded');
    for (const reason of reasons) assert.ok((outcomes.get(reason) ?? 0) > 0, `${reason}: ${seen}`);
  });

  it('leave no slot taken and nothing parked', async () => {
    await waitUntil('free slots', async () => {
      const { stats } = await engineOf(tiny.server, 'tiny');
      return stats !== null && stats.slots_taken === 0 && stats.parked_bytes === 0;
    });
  });
});
