/** Handles: what they let through, what they refuse, and the way of a context between two engines. */

import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import type { Engine } from '../../engine/index.ts';
import { Handovers, holdMs, type HandoverPlace, type HandoverWish } from './handovers.ts';

const held = { id: 'ctx-1', firstTokens: [7] };

/** An engine that exports each context once. */
function engineThatHolds(...contexts: string[]): Engine {
  const there = new Set(contexts);
  const engine = {
    exportContext(context: string, path: string) {
      if (!there.delete(context)) {
        return Promise.reject(new ParlanceError('invalid_handle', 'This context is used up.'));
      }
      writeFileSync(path, context);
      return Promise.resolve();
    },
  };
  return engine as unknown as Engine;
}

function setUp() {
  let now = 1000;
  const handovers = new Handovers({ now: () => now });
  const engine = engineThatHolds('ctx-1');
  handovers.join(engine);
  const place: HandoverPlace = { engine, model: 'weights', prompt: 'Hello' };
  const { firstGenTokens, ctxRequestId, opaqueState } = handovers.issue(held, place);
  const wish = {
    first_gen_tokens: firstGenTokens,
    ctx_request_id: ctxRequestId,
    opaque_state: opaqueState,
  };
  return { handovers, place, wish, pass: (ms: number) => void (now += ms) };
}

/** Both ways to look at a handle refuse it in the same words. */
async function refused(
  handovers: Handovers,
  wish: HandoverWish,
  place: HandoverPlace,
  words: RegExp,
): Promise<void> {
  const expected = (error: unknown): boolean => {
    assert.ok(error instanceof ParlanceError);
    const missing = wish.opaque_state === undefined;
    assert.equal(error.reason, missing ? 'missing_field' : 'invalid_handle');
    assert.equal(error.status, 400);
    assert.match(error.message, words);
    assert.match(error.param ?? '', /^disaggregated_params\./);
    return true;
  };
  assert.throws(() => handovers.check(wish, place), expected);
  await assert.rejects(handovers.redeem(wish, place), expected);
}

describe('a handle', () => {
  it('leads back to its context on the engine that holds it', async () => {
    const { handovers, place, wish } = setUp();
    handovers.check(wish, place);
    const { handover } = await handovers.redeem(wish, place);
    assert.deepEqual(handover, { type: 'resume', context: 'ctx-1', firstTokens: [7] });
    const { handover: short } = await handovers.redeem({ opaque_state: wish.opaque_state }, place);
    assert.deepEqual(short, handover);
  });

  it('says nothing of the prompt', () => {
    const { wish } = setUp();
    const [body = ''] = wish.opaque_state.split('.');
    assert.doesNotMatch(Buffer.from(body, 'base64url').toString(), /Hello/);
  });

  it('brings the context to another engine of the same model, once', async () => {
    const { handovers, place, wish } = setUp();
    const other = { ...place, engine: engineThatHolds() };
    handovers.join(other.engine);
    const { handover, release } = await handovers.redeem(wish, other);
    assert.ok(handover.type === 'import');
    assert.equal(statSync(dirname(handover.path)).mode & 0o077, 0);
    await release();
    assert.equal(existsSync(dirname(handover.path)), false);
    await assert.rejects(handovers.redeem(wish, other), {
      reason: 'invalid_handle',
      message: /used up\. Send the context_only request again/,
      param: 'disaggregated_params.opaque_state',
    });
  });

  it('is refused when it is missing, changed, expired, or another server’s', async () => {
    const { handovers, place, wish, pass } = setUp();
    await refused(handovers, {}, place, /opaque_state` is required/);
    const foreign = new Handovers().issue(held, place).opaqueState;
    const [body = '', signature = ''] = wish.opaque_state.split('.');
    const forged = Buffer.from(
      Buffer.from(body, 'base64url').toString().replace('ctx-1', 'ctx-2'),
    ).toString('base64url');
    for (const state of ['', 'x', '.', body, `${forged}.${signature}`, `${body}.é`, foreign]) {
      await refused(handovers, { opaque_state: state }, place, /not one of this server/);
    }
    pass(holdMs - 1);
    handovers.check(wish, place);
    pass(1);
    await refused(handovers, wish, place, /expired: a context is held for 60 seconds/);
  });

  it('is refused for another model, prompt, or first token', async () => {
    const { handovers, place, wish } = setUp();
    await refused(handovers, wish, { ...place, model: 'others' }, /another model/);
    await refused(handovers, wish, { ...place, prompt: 'Hallo' }, /another prompt/);
    await refused(handovers, { ...wish, first_gen_tokens: [8] }, place, /first_gen_tokens/);
    await refused(handovers, { ...wish, ctx_request_id: 1 }, place, /ctx_request_id/);
  });

  it('is refused once its engine is gone', async () => {
    const { handovers, place, wish } = setUp();
    handovers.leave(place.engine);
    await assert.rejects(handovers.redeem(wish, place), { message: /deployment .* is gone/ });
  });
});
