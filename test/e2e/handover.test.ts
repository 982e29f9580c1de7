/** A prompt computed in one request and gone on from in another, over HTTP on the real server. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  get,
  jsonOf,
  model,
  post,
  stream,
  textOf,
  type Body,
  type Completion,
} from '../support/ask.ts';
import { deploy, deploymentUrl, undeploy, type Deployment } from '../support/deployments.ts';
import { testModel, type ServerProcess } from '../support/server-process.ts';
import { sharedServer } from '../support/shared-server.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Handover {
  readonly request_type: string;
  readonly first_gen_tokens: readonly number[];
  readonly ctx_request_id: number;
  readonly opaque_state: string;
}

const other = 'handover-other';
let server: ServerProcess;

const drawn = { temperature: 0.9, seed: 11, max_tokens: 24 };

/** Every test has a prompt of its own, so that nothing is there already. */
const promptOf = (topic: string): Body => ({
  ...drawn,
  messages: [{ role: 'user', content: `Tell me something short about ${topic}.` }],
});

async function compute(body: Body): Promise<{ answer: Completion; handover: Handover }> {
  const wish = { disaggregated_params: { request_type: 'context_only' } };
  const answer = await complete(server, { ...body, ...wish });
  const [choice] = answer.choices as unknown as { disaggregated_params?: Handover }[];
  assert.ok(choice?.disaggregated_params !== undefined);
  return { answer, handover: choice.disaggregated_params };
}

const later = (handover: Handover, changes: Body = {}): Body => ({
  disaggregated_params: { ...handover, request_type: 'generation_only', ...changes },
});

async function refused(body: Body, words: RegExp): Promise<void> {
  const error = errorOf(await post(chatUrl(server), chatBody(body)));
  assert.equal(error.reason, 'invalid_handle', error.message);
  assert.equal(error.code, 400);
  assert.match(error.message, words);
}

async function heldBy(name: string): Promise<number> {
  const { engine } = jsonOf<Deployment>(await get(deploymentUrl(server, name)));
  const { stats } = engine as { stats: { held_contexts: number } | null };
  return stats?.held_contexts ?? 0;
}

describe('a handover', () => {
  before(async () => {
    server = await sharedServer();
    // The start model's file may be a link in the home folder: the same file all the same.
    const options = { slots: 2, context: 1024 };
    await deploy(server, { name: other, runtime: 'embedded', model: testModel(), options });
  });
  after(() => undeploy(server, other));

  it('ends in the text of one request, here and on another engine', async () => {
    const body = promptOf('tides');
    const whole = textOf(await complete(server, body));
    for (const name of [model, other]) {
      const { answer, handover } = await compute(body);
      assert.equal(answer.choices[0]?.finish_reason, 'length');
      assert.equal(answer.usage.completion_tokens, 1);
      assert.equal(handover.first_gen_tokens.length, 1);
      assert.ok(whole.startsWith(textOf(answer)));
      const rest = await complete(server, { ...body, model: name, ...later(handover) });
      assert.equal(textOf(rest), whole, name);
    }
  });

  it('is told in the last chunk of a stream, and gone on from in a stream', async () => {
    const body = promptOf('glaciers');
    const wish = { disaggregated_params: { request_type: 'context_only' } };
    const first = await stream(server, { ...body, ...wish });
    const end = first.at(-1)?.choices[0] as unknown as { disaggregated_params: Handover };
    const rest = await stream(server, { ...body, ...later(end.disaggregated_params) });
    const text = rest.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    assert.equal(text, textOf(await complete(server, body)));
  });

  it('is good once, wherever it is used', async () => {
    for (const name of [model, other]) {
      const body = { ...promptOf('comets'), model: name };
      const { handover } = await compute(promptOf('comets'));
      await complete(server, { ...body, ...later(handover) });
      await refused({ ...body, ...later(handover) }, /not held any more/);
    }
  });

  it('is refused when it is changed, or goes with another prompt or model', async () => {
    const body = promptOf('volcanoes');
    const { handover } = await compute(body);
    const { opaque_state: state } = handover;
    const changed = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
    await refused({ ...body, ...later(handover, { opaque_state: changed }) }, /not one of this/);
    await refused({ ...body, ...later(handover, { opaque_state: 'x' }) }, /not one of this/);
    await refused({ ...promptOf('moss'), ...later(handover) }, /another prompt/);
    await refused(
      { ...body, ...later(handover, { first_gen_tokens: [1, 2] }) },
      /first_gen_tokens/,
    );
    await refused({ ...body, ...later(handover, { ctx_request_id: 5 }) }, /ctx_request_id/);
    await refused({ ...body, cache_salt: 'tenant', ...later(handover) }, /./);
    const without = { disaggregated_params: { request_type: 'generation_only' } };
    const error = errorOf(await post(chatUrl(server), chatBody({ ...body, ...without })));
    assert.equal(error.reason, 'missing_field');
    // None of it used the context up.
    await complete(server, { ...body, ...later(handover) });
  });

  it('holds nothing once it was used', async () => {
    const { handover } = await compute(promptOf('owls'));
    await waitUntil('the context to be held', async () => (await heldBy(model)) > 0);
    await complete(server, { ...promptOf('owls'), ...later(handover) });
    await waitUntil('nothing to be held', async () => (await heldBy(model)) === 0);
  });
});
