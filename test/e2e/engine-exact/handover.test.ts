/** Handles of contexts that are no good: of another model or server, out of time, and one too many. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  post,
  textOf,
  type Body,
} from '../../support/ask.ts';
import { deploy } from '../../support/deployments.ts';
import { writeTinyModel } from '../../support/tiny-models/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { engineOf, startTinyServer, type TinyServer } from './tiny-server.ts';

interface Handed {
  readonly request_type: string;
  readonly first_gen_tokens: readonly number[];
  readonly ctx_request_id: number;
  readonly opaque_state: string;
}

/** Puts the server's clock a minute ahead at a signal. */
const laterAtSignal = `
  const now = Date.now;
  let ahead = 0;
  Date.now = () => now() + ahead;
  process.on('SIGUSR2', () => { ahead += 61_000; });
`;

const question = 'The cat is on the mat and the dog is in the house. Where are they?';
const drawn = { temperature: 1, seed: 7, max_tokens: 12, ignore_eos: true };

describe('contexts that one request leaves to another', () => {
  let tiny: TinyServer;
  let whole: string;

  before(async () => {
    const clock = `--import=data:text/javascript,${encodeURIComponent(laterAtSignal)}`;
    const options = { slots: 2, context: 512 };
    tiny = await startTinyServer({
      deployments: { one: options, two: options },
      env: { NODE_OPTIONS: clock },
    });
    const path = writeTinyModel(join(tiny.folder, 'other.gguf'), {
      architecture: 'llama',
      seed: 3,
    });
    await deploy(tiny.server, { name: 'other', runtime: 'embedded', model: path, options });
    whole = textOf(await complete(tiny.server, ask('one', {})));
  });

  after(async () => {
    await tiny?.stop();
  });

  const ask = (model: string, extra: Body): Body => ({
    model,
    messages: [{ role: 'user', content: question }],
    ...drawn,
    ...extra,
  });

  async function hold(model: string): Promise<Handed> {
    const params = { request_type: 'context_only' };
    const answer = await complete(tiny.server, ask(model, { disaggregated_params: params }));
    const [choice] = answer.choices as unknown as { disaggregated_params: Handed }[];
    assert.ok(choice !== undefined);
    return choice.disaggregated_params;
  }

  const goingOn = (model: string, handed: Handed, extra: Body = {}): Body =>
    ask(model, { disaggregated_params: { ...handed, request_type: 'generation_only' }, ...extra });

  async function refused(body: Body): Promise<ReturnType<typeof errorOf>> {
    const reply = await post(chatUrl(tiny.server), chatBody(body));
    assert.equal(reply.status, 400, reply.text);
    return errorOf(reply);
  }

  it('a handle of another model is refused, and good for an engine of its own', async () => {
    const handed = await hold('one');
    const { reason, message } = await refused(goingOn('other', handed));
    assert.equal(reason, 'invalid_handle');
    assert.match(message, /another model/);
    assert.equal(textOf(await complete(tiny.server, goingOn('two', handed))), whole);
  });

  it('a handle whose time was made longer is refused', async () => {
    const handed = await hold('one');
    const [body = '', signature = ''] = handed.opaque_state.split('.');
    const changed = Buffer.from(body, 'base64url').toString().replace('"until":', '"until":9');
    const state = `${Buffer.from(changed).toString('base64url')}.${signature}`;
    const { reason, message } = await refused(goingOn('one', { ...handed, opaque_state: state }));
    assert.equal(reason, 'invalid_handle');
    assert.match(message, /was changed/);
  });

  it('a handle of the server before a restart is foreign', async () => {
    const handed = await hold('one');
    await tiny.restart();
    const { reason, message } = await refused(goingOn('one', handed));
    assert.equal(reason, 'invalid_handle');
    assert.match(message, /not one of this server/);
  });

  it('a handle whose time is over is refused', async () => {
    const handed = await hold('one');
    tiny.server.signal('SIGUSR2');
    const reply = await waitUntil('the clock to be ahead', async () => {
      const dry = goingOn('one', handed, { dry_run: true });
      const found = await post(chatUrl(tiny.server), chatBody(dry));
      return found.status === 400 ? found : null;
    });
    assert.equal(errorOf(reply).reason, 'invalid_handle');
    assert.match(errorOf(reply).message, /expired/);
    assert.equal((await refused(goingOn('one', handed))).reason, 'invalid_handle');
  });

  it('held contexts are counted, and bounded', async () => {
    const reasons: string[] = [];
    for (let count = 0; count < 70; count += 1) {
      const body = ask('two', { disaggregated_params: { request_type: 'context_only' } });
      const reply = await post(chatUrl(tiny.server), chatBody(body));
      if (reply.status !== 200) reasons.push(errorOf(reply).reason);
    }
    assert.deepEqual(new Set(reasons), new Set(['queue_full']));
    await waitUntil('the figures of 64 contexts', async () => {
      const { stats } = await engineOf(tiny.server, 'two');
      return stats !== null && stats.held_contexts === 64 && stats.held_bytes > 0;
    });
    await complete(tiny.server, ask('two', {}));
  });
});
