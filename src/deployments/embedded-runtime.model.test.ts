/** The runtime `embedded` with a real model: a file becomes a target that answers. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { admit, parseChatRequest } from '../contract/index.ts';
import { openStore, type Store } from '../records/index.ts';
import { createTargetServices, localOnly } from '../targets/index.ts';
import { createDeployments, type Deployments } from './create-deployments.ts';
import { createFakeRuntime } from './fake-runtime.test-support.ts';
import { createEmbeddedRuntime } from './runtimes/embedded.ts';
import type { ExternalSpec } from './spec.ts';

const model = process.env['PARLANCE_TEST_MODEL'];
assert.ok(model, 'PARLANCE_TEST_MODEL must name the GGUF file of smollm2-135m');

let home = '';
let store: Store;
let deployments: Deployments;
const services = createTargetServices(localOnly);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'parlance-embedded-'));
  store = await openStore(home);
  deployments = createDeployments({
    records: store.deployments,
    runtimes: {
      embedded: createEmbeddedRuntime({ home, services, maxWaiting: 4, prefixCacheDir: null }),
      external: createFakeRuntime<ExternalSpec>(),
    },
    log: silent,
  });
});
after(async () => {
  await deployments.close(0);
  await services.close();
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const options = { slots: 1, context: 512, threads: 1 };

describe('an embedded deployment', () => {
  it('answers, and shows what it runs on', async () => {
    await deployments.deploy({ name: 'tiny', runtime: 'embedded', model, options });
    const view = await deployments.settled('tiny');
    assert.equal(view.state, 'ready', view.reason);
    assert.equal(view.engine?.['slots'], 1);
    assert.equal(view.engine['context'], 512);
    assert.equal(view.engine['trained_context'], 8192);
    const target = deployments.resolve('tiny');
    const asked = parseChatRequest(
      JSON.stringify({
        model: 'tiny',
        temperature: 0,
        max_tokens: 12,
        messages: [
          { role: 'user', content: "What's the capital of France? Answer in one sentence." },
        ],
      }),
    );
    const answer = await target.run({
      request: admit(asked, target.capabilities, target.name).request,
      identity: { id: 'x', model: 'tiny', created: 0, episodeId: null },
      signal: new AbortController().signal,
    });
    assert.ok(answer.kind === 'events');
    let text = '';
    for await (const events of answer.events) {
      for (const event of events) if (event.type === 'text') text += event.text;
    }
    assert.match(text, /Paris/);
    assert.deepEqual(deployments.load(), { running: 0, waiting: 0 });
  });

  it('fails with the name of a file that is no model', async () => {
    const broken = join(home, 'broken.gguf');
    writeFileSync(broken, 'not a model');
    await deployments.deploy({ name: 'broken', runtime: 'embedded', model: broken, options });
    const view = await deployments.settled('broken');
    assert.equal(view.state, 'failed');
    assert.ok(view.reason?.includes(broken), view.reason);
  });

  it('says that it is the draft model which is no model', async () => {
    const draft = join(home, 'missing.gguf');
    const drafting = { ...options, draft_model: draft };
    await deployments.deploy({ name: 'drafting', runtime: 'embedded', model, options: drafting });
    const view = await deployments.settled('drafting');
    assert.equal(view.state, 'failed');
    assert.match(view.reason ?? '', /^draft_model: .*missing\.gguf/);
  });
});
