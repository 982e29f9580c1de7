/** Adapters as deployments: made, found under both names, refused, restored, and ended with care. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ParlanceError, type Reason } from '../contract/index.ts';
import { openStore, type Store } from '../records/index.ts';
import { createRouting } from '../routing/index.ts';
import type { Log } from '../telemetry/index.ts';
import { createDeployments, type Deployments } from './create-deployments.ts';
import {
  createFakeRuntime,
  createFakeTarget,
  type FakeRuntime,
} from './fake-runtime.test-support.ts';
import type { Attached, Running, StartContext } from './runtimes/runtime.ts';
import type { AdapterSpec, EmbeddedSpec, ExternalSpec } from './spec.ts';

let home = '';
let path = '';
let store: Store;
let runtime: FakeRuntime<EmbeddedSpec>;
let deployments: Deployments;
let warnings: string[] = [];
/** What happened to adapters, in order. */
let events: string[] = [];
let contexts: Map<string, StartContext>;

const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (_facts, message) => void warnings.push(message),
  error: () => {},
};

/** A base that takes adapters. */
const base = (): Partial<Running> => ({
  stop: () => Promise.resolve(void events.push('stop base')),
  attach(spec: AdapterSpec, context: StartContext): Promise<Attached> {
    contexts.set(spec.name, context);
    if (readFileSync(spec.path, 'utf8') === 'broken') {
      return Promise.reject(new ParlanceError('invalid_adapter', 'It is truncated.'));
    }
    events.push(`attach ${spec.name}`);
    return Promise.resolve({
      target: createFakeTarget(spec.name).target,
      details: () => ({}),
      load: () => ({ running: 0, waiting: 0 }),
      stop: () => Promise.resolve(void events.push(`detach ${spec.name}`)),
    });
  },
});

async function start(): Promise<void> {
  runtime = createFakeRuntime<EmbeddedSpec>();
  contexts = new Map();
  events = [];
  warnings = [];
  deployments = createDeployments({
    records: store.deployments,
    runtimes: { embedded: runtime, external: createFakeRuntime<ExternalSpec>() },
    log,
    drainMs: 60_000,
  });
  await deployments.restore(null);
}

describe('adapters of deployments', () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parlance-adapters-'));
    path = join(home, 'adapter.gguf');
    writeFileSync(path, 'adapter');
    store = await openStore(home);
    await start();
  });
  afterEach(async () => {
    await deployments.close(0);
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  const baseBody = { name: 'm', runtime: 'embedded', model: 'smollm2-135m' };
  const bodyOf = (name: string, of = 'm') => ({ name, adapter_of: of, path });

  async function makeBase(): Promise<void> {
    await deployments.deploy(baseBody);
    (await runtime.started(0)).succeed(base());
    await deployments.settled('m');
  }

  const fails = (reason: Reason, words: RegExp) => (error: unknown) => {
    assert.ok(error instanceof ParlanceError);
    assert.equal(error.reason, reason);
    assert.match(error.message, words);
    return true;
  };

  describe('an adapter', () => {
    it('waits for its base, and is found under its name and as base:adapter', async () => {
      await deployments.deploy(baseBody);
      assert.equal((await deployments.deploy(bodyOf('a'))).state, 'loading');
      await deployments.deploy(bodyOf('b'));
      assert.throws(
        () => deployments.resolve('m:a'),
        fails('model_loading', /"a" is being loaded/),
      );
      (await runtime.started(0)).succeed(base());
      const view = await deployments.settled('a');
      await deployments.settled('b');
      assert.equal(view.state, 'ready');
      assert.equal(view.adapter_of, 'm');
      assert.equal(view.runtime, 'adapter');
      assert.equal(view.path, path);
      for (const name of ['a', 'm:a']) assert.equal(deployments.resolve(name).name, 'fake:a');
      assert.equal(deployments.resolve('m').name, 'fake:m');
      assert.throws(
        () => deployments.resolve('m:c'),
        fails('unknown_model', /models are: m, a, b/),
      );
      const { created } = deployments.get('a');
      assert.deepEqual(createRouting(deployments).list().slice(1), [
        { id: 'a', object: 'model', created, owned_by: 'parlance', parent: 'm' },
        {
          id: 'b',
          object: 'model',
          created: deployments.get('b').created,
          owned_by: 'parlance',
          parent: 'm',
        },
      ]);
    });

    it('needs a base that can be changed, and a file that is there', async () => {
      await makeBase();
      await deployments.deploy({
        name: 'x',
        runtime: 'external',
        base_url: 'http://h',
        model: 'y',
      });
      await deployments.deploy(bodyOf('a'));
      const cases: readonly (readonly [object, RegExp])[] = [
        [bodyOf('b', 'n'), /^adapter_of: there is no deployment "n".* There are: m, x, a\./],
        [bodyOf('b', 'x'), /^adapter_of: "x" is no deployment that adapters/],
        [bodyOf('b', 'a'), /^adapter_of: "a" is no deployment that adapters/],
        [
          { ...bodyOf('b'), path: `${path}.no` },
          /^path: the file .*\.no does not exist on the server/,
        ],
        [{ ...bodyOf('b'), path: home }, /^path: .* is no file/],
      ];
      for (const [body, words] of cases) {
        await assert.rejects(deployments.deploy(body), fails('invalid_deployment', words));
      }
      assert.equal(deployments.list().length, 3);
    });

    it('that its base refuses is a refusal, and never was there', async () => {
      await makeBase();
      writeFileSync(path, 'broken');
      await assert.rejects(deployments.deploy(bodyOf('a')), fails('invalid_adapter', /truncated/));
      assert.throws(() => deployments.get('a'), fails('unknown_deployment', /"a"/));
      assert.equal((await store.deployments.list()).length, 1);
      writeFileSync(path, 'mended');
      assert.equal((await deployments.deploy(bodyOf('a'))).state, 'ready');
    });

    it('takes no name that means something else, neither way round', async () => {
      await makeBase();
      await deployments.deploy({ ...baseBody, name: 'm:a' });
      await assert.rejects(deployments.deploy(bodyOf('a')), fails('deployment_conflict', /"m:a"/));
      await deployments.deploy(bodyOf('b'));
      const clash = deployments.deploy({ ...baseBody, name: 'm:b' });
      await assert.rejects(clash, fails('deployment_conflict', /"m:b" would name both/));
      assert.equal((await deployments.deploy(bodyOf('b'))).name, 'b');
      const other = deployments.deploy({ ...bodyOf('b'), path: import.meta.filename });
      await assert.rejects(other, fails('deployment_conflict', /path: /));
    });

    it('keeps its base from being removed, and is removed itself', async () => {
      await makeBase();
      await deployments.deploy(bodyOf('a'));
      await deployments.deploy(bodyOf('b'));
      await deployments.settled('b');
      await assert.rejects(
        deployments.remove('m'),
        fails('deployment_conflict', /"m" has adapters: a, b\. Remove them first/),
      );
      await deployments.remove('a');
      await deployments.remove('b');
      while (deployments.list().length > 1) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(events, ['attach a', 'attach b', 'detach a', 'detach b']);
      assert.equal((await deployments.remove('m')).state, 'draining');
    });

    it('fails with its base, and comes back with it', async () => {
      await deployments.deploy(baseBody);
      await deployments.deploy(bodyOf('a'));
      (await runtime.started(0)).fail(new ParlanceError('invalid_model_file', 'bad magic'));
      const failed = await deployments.settled('a');
      assert.match(failed.reason ?? '', /^Its base "m" failed: bad magic/);
      await deployments.deploy(baseBody);
      (await runtime.started(1)).succeed(base());
      assert.equal((await deployments.settled('a')).state, 'ready');
      contexts.get('a')?.onFailed(new ParlanceError('invalid_adapter', 'gone after a restart'));
      assert.equal(deployments.get('a').state, 'failed');
      await deployments.deploy(bodyOf('a'));
      assert.equal((await deployments.settled('a')).state, 'ready');
    });

    it('outlives a restart, and stays aside where its base is not there', async () => {
      // The store lists by age and name: the adapter comes before what it changes.
      await store.deployments.put({ name: 'a', spec: bodyOf('a'), created: 1 });
      await store.deployments.put({ name: 'm', spec: baseBody, created: 2 });
      await store.deployments.put({ name: 'o', spec: bodyOf('o', 'away'), created: 3 });
      await start();
      assert.deepEqual(
        deployments.list().map(({ name }) => name),
        ['m', 'a'],
      );
      assert.match(warnings.join(), /a stored adapter stays aside/);
      (await runtime.started(0)).succeed(base());
      assert.equal((await deployments.settled('a')).state, 'ready');
      assert.equal((await store.deployments.list()).length, 3);
    });

    it('is ended before its base', async () => {
      await makeBase();
      await deployments.deploy(bodyOf('a'));
      await deployments.settled('a');
      await deployments.close(0);
      assert.deepEqual(events, ['attach a', 'detach a', 'stop base']);
    });
  });
});
