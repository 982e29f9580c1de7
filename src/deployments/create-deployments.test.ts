/** Deployments over a real store and a fake runtime: made, followed, refused, removed, restored. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ParlanceError, type Reason } from '../contract/index.ts';
import { openStore, type Store } from '../records/index.ts';
import type { AnswerEvent, TargetRun } from '../targets/index.ts';
import type { Log } from '../telemetry/index.ts';
import { createDeployments, type Deployments } from './create-deployments.ts';
import {
  createFakeRuntime,
  createFakeTarget,
  type FakeRuntime,
} from './fake-runtime.test-support.ts';
import { noOptions } from './embedded-options.ts';
import type { EmbeddedSpec, ExternalSpec } from './spec.ts';
import { toStartModel } from './start-model.ts';

let home = '';
let store: Store;
let runtime: FakeRuntime<EmbeddedSpec>;
let warnings: string[] = [];
let deployments: Deployments;

const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (_facts, message) => void warnings.push(message),
  error: () => {},
};

/** A server's worth of deployments, as after a start. */
async function start(model: EmbeddedSpec | null = null): Promise<void> {
  runtime = createFakeRuntime<EmbeddedSpec>();
  deployments = createDeployments({
    records: store.deployments,
    runtimes: { embedded: runtime, external: createFakeRuntime<ExternalSpec>() },
    log,
    drainMs: 60_000,
  });
  await deployments.restore(model);
}

describe('deployments', () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parlance-deployments-'));
    store = await openStore(home);
    warnings = [];
    await start();
  });
  afterEach(async () => {
    await deployments.close(0);
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  const body = { name: 'm', runtime: 'embedded', model: 'smollm2-135m' };

  const fails =
    (reason: Reason, words: RegExp, check: (error: ParlanceError) => void = () => {}) =>
    (error: unknown) => {
      assert.ok(error instanceof ParlanceError);
      assert.equal(error.reason, reason);
      assert.match(error.message, words);
      check(error);
      return true;
    };

  async function makeReady(index = 0): Promise<void> {
    await deployments.deploy(body);
    (await runtime.started(index)).succeed();
    assert.equal((await deployments.settled('m')).state, 'ready');
  }

  /** Resolves when no deployment has the name any more. */
  async function untilGone(name: string): Promise<void> {
    while (deployments.list().some((one) => one.name === name)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  describe('deploy', () => {
    it('answers at once, shows how far it is, and ends ready', async () => {
      assert.equal((await deployments.deploy(body)).state, 'pulling');
      const begun = await runtime.started(0);
      const { context } = begun;
      context.onPull({
        phase: 'download',
        source: 'a shelf',
        bytes: 50_000_000,
        totalBytes: 100_000_000,
        bytesPerSecond: 5e6,
        etaSeconds: 10,
      });
      assert.deepEqual(deployments.get('m').progress, {
        phase: 'download',
        source: 'a shelf',
        bytes: 50_000_000,
        total_bytes: 100_000_000,
        bytes_per_second: 5_000_000,
        eta_seconds: 10,
      });
      assert.throws(
        () => deployments.resolve('m'),
        fails(
          'model_loading',
          /50.* of 100.*\(50%\), about 10 s left/,
          ({ status, retryAfter }) => {
            assert.equal(status, 503);
            assert.equal(retryAfter, 10);
          },
        ),
      );
      context.onLoad(0.25);
      assert.deepEqual(deployments.get('m').progress, { phase: 'load', fraction: 0.25 });
      assert.throws(() => deployments.resolve('m'), fails('model_loading', /loaded, 25% done/));
      begun.succeed();
      const view = await deployments.settled('m');
      assert.equal(view.state, 'ready');
      assert.equal(view.progress, undefined);
      assert.deepEqual(view.engine, { slots: 8 });
      assert.equal(view.capabilities?.['temperature'], 'honoured');
      assert.equal(deployments.resolve('m').name, 'fake:m');
    });

    it('makes one deployment of the same body sent twice, also at once', async () => {
      const written = { ...body, options: { slots: null } };
      await Promise.all([deployments.deploy(body), deployments.deploy(written)]);
      assert.equal(deployments.list().length, 1);
      (await runtime.started(0)).succeed();
      await deployments.settled('m');
      assert.equal((await deployments.deploy(body)).state, 'ready');
      assert.equal(runtime.starts.length, 1);
    });

    it('refuses another body under the same name, and shows the difference', async () => {
      await makeReady();
      const other = { ...body, model: 'qwen3-0.6b', options: { slots: 2 } };
      await assert.rejects(
        deployments.deploy(other),
        fails(
          'deployment_conflict',
          /model: "smollm2-135m" -> "qwen3-0\.6b"; options\.slots: null -> 2/,
          ({ status }) => assert.equal(status, 409),
        ),
      );
      assert.equal(deployments.get('m').model, 'smollm2-135m');
    });

    it('keeps the reason of a failure, and tries again when asked in the same words', async () => {
      await deployments.deploy(body);
      const first = await runtime.started(0);
      first.fail(new ParlanceError('model_unavailable', 'every source was tried'));
      assert.equal((await deployments.settled('m')).reason, 'every source was tried');
      assert.throws(
        () => deployments.resolve('m'),
        fails('deployment_failed', /"m" failed: every source was tried/),
      );
      const again = await deployments.deploy(body);
      assert.equal(again.state, 'pulling');
      assert.equal(again.reason, undefined);
      (await runtime.started(1)).succeed();
      assert.equal((await deployments.settled('m')).state, 'ready');
      first.context.onLoad(0.5);
      assert.equal(deployments.get('m').state, 'ready', 'late news changed the state');
    });

    it('shows nothing of an error that nobody foresaw', async () => {
      await deployments.deploy(body);
      (await runtime.started(0)).fail(new TypeError('secret detail'));
      assert.doesNotMatch((await deployments.settled('m')).reason ?? 'none', /secret|none/);
    });

    it('fails when its engine is gone for good, and can be had again', async () => {
      await makeReady();
      const { context } = await runtime.started(0);
      context.onFailed(new ParlanceError('engine_failed', 'it broke three times'));
      assert.throws(() => deployments.resolve('m'), fails('deployment_failed', /three times/));
      await deployments.deploy(body);
      (await runtime.started(1)).succeed();
      assert.equal((await deployments.settled('m')).state, 'ready');
      assert.deepEqual(runtime.stopped, ['m']);
    });
  });

  describe('remove', () => {
    const run = (): TargetRun & { abort: () => void } => {
      const controller = new AbortController();
      return {
        request: {} as TargetRun['request'],
        identity: { id: 'x', model: 'm', created: 0, episodeId: null },
        signal: controller.signal,
        abort: () => controller.abort(),
      };
    };

    /** Starts an answer on a ready deployment and reads its first events. */
    async function answerOn(fake: ReturnType<typeof createFakeTarget>, request: TargetRun) {
      await deployments.deploy(body);
      (await runtime.started(0)).succeed({ target: fake.target });
      await deployments.settled('m');
      const answer = await deployments.resolve('m').run(request);
      assert.ok(answer.kind === 'events');
      const events: AsyncIterator<readonly AnswerEvent[]> = answer.events[Symbol.asyncIterator]();
      await events.next();
      return events;
    }

    it('lets running requests finish, takes no new ones, and then stops', async () => {
      const fake = createFakeTarget('m');
      const events = await answerOn(fake, run());
      assert.deepEqual(deployments.load(), { running: 1, waiting: 0 });
      assert.equal((await deployments.remove('m')).state, 'draining');
      assert.throws(() => deployments.resolve('m'), fails('unknown_model', /being removed/));
      await assert.rejects(
        deployments.deploy(body),
        fails('deployment_conflict', /still being rem/),
      );
      assert.deepEqual(await store.deployments.list(), []);
      assert.deepEqual(runtime.stopped, []);
      fake.finish();
      assert.equal((await events.next()).done, true);
      await untilGone('m');
      assert.deepEqual(runtime.stopped, ['m']);
      assert.throws(() => deployments.get('m'), fails('unknown_deployment', /There are none/));
    });

    it('waits no longer than the server does when that is closed', async () => {
      const events = await answerOn(createFakeTarget('m'), run());
      await deployments.remove('m');
      await deployments.close(0);
      assert.deepEqual(runtime.stopped, ['m']);
      await events.return?.();
    });

    it('does not wait for requests whose client left', async () => {
      const request = run();
      await answerOn(createFakeTarget('m'), request);
      request.abort();
      await deployments.remove('m');
      await untilGone('m');
      assert.deepEqual(runtime.stopped, ['m']);
    });

    it('breaks off a start', async () => {
      await deployments.deploy(body);
      const { context } = await runtime.started(0);
      await deployments.remove('m');
      await untilGone('m');
      assert.equal(context.signal.aborted, true);
      await makeReady(1);
    });

    it('stops what came up too late', async () => {
      await deployments.deploy(body);
      const late = await runtime.started(0);
      late.succeed();
      await deployments.remove('m');
      await untilGone('m');
      assert.deepEqual(runtime.stopped, ['m']);
    });

    it('takes a failed one away, and knows what it does not know', async () => {
      await deployments.deploy(body);
      (await runtime.started(0)).fail(new ParlanceError('model_unavailable', 'no'));
      await deployments.settled('m');
      await assert.rejects(
        deployments.remove('n'),
        fails('unknown_deployment', /"n" \(did you mean "m"\?\)\. The deployments are: m\./),
      );
      await deployments.remove('m');
      await untilGone('m');
    });
  });

  describe('resolve', () => {
    it('lists the names there are when there is no such one', async () => {
      assert.throws(
        () => deployments.resolve('x'),
        fails('unknown_model', /No model is there at all/),
      );
      await makeReady();
      assert.throws(
        () => deployments.resolve('x'),
        fails('unknown_model', /The models are: m\./, ({ status }) => assert.equal(status, 404)),
      );
    });
  });

  describe('a restart', () => {
    const options = { slots: null, context: null, threads: null };

    it('brings stored deployments back, and not the start model', async () => {
      await start(toStartModel({ model: 'smollm2-135m', ...options }));
      await deployments.deploy(body);
      const created = deployments.get('m').created;
      await deployments.close(0);
      await start();
      assert.deepEqual(
        deployments.list().map((one) => [one.name, one.created]),
        [['m', created]],
      );
      assert.equal(deployments.startModel(), null);
      (await runtime.started(0)).succeed();
      assert.equal((await deployments.settled('m')).state, 'ready');
    });

    it('does not bring back what was being removed', async () => {
      await makeReady();
      await deployments.remove('m');
      await deployments.close(0);
      await start();
      assert.deepEqual(deployments.list(), []);
    });

    it('lets the start option win over a stored one of the same name', async () => {
      await deployments.deploy({ ...body, name: 'smollm2-135m', options: { slots: 1 } });
      await deployments.close(0);
      await start(toStartModel({ model: 'smollm2-135m', ...options, slots: 3 }));
      assert.deepEqual(
        deployments.list().map((one) => one.options['slots']),
        [3],
      );
      assert.match(warnings.join(), /start option wins/);
      assert.equal(deployments.startModel()?.name, 'smollm2-135m');
    });

    it('goes on without a stored deployment that it cannot read', async () => {
      await store.deployments.put({ name: 'old', spec: { name: 'old', runtime: '?' }, created: 1 });
      await start();
      assert.deepEqual(deployments.list(), []);
      assert.match(warnings.join(), /cannot be read/);
    });
  });

  describe('close', () => {
    it('stops everything, takes nothing new, and keeps the store', async () => {
      await makeReady();
      await deployments.close(0);
      assert.deepEqual(runtime.stopped, ['m']);
      await assert.rejects(deployments.deploy(body), fails('shutting_down', /shutting down/));
      assert.equal((await store.deployments.list()).length, 1);
    });
  });

  describe('toStartModel', () => {
    const rest = { slots: 1, context: null, threads: 2 };

    it('takes the name of the catalogue or the stem of the file', () => {
      assert.equal(toStartModel({ model: 'none', ...rest }), null);
      assert.equal(toStartModel({ model: 'smollm2-135m', ...rest })?.name, 'smollm2-135m');
      const file = toStartModel({ model: '/w/My Model v2.gguf', ...rest });
      assert.equal(file?.name, 'My-Model-v2');
      assert.equal(file?.model, '/w/My Model v2.gguf');
      assert.deepEqual(file?.options, { ...noOptions, ...rest });
      assert.equal(toStartModel({ model: 'hf:o/r/x-Q8.gguf', ...rest })?.name, 'x-Q8');
    });

    it('has the options of the engine under the names of the API', () => {
      const given = {
        model: 'smollm2-135m',
        deterministic: false,
        gpuLayers: 3,
        draftModel: './d.gguf',
        speculation: 'off',
        prefixCacheBytes: 0,
      } as const;
      assert.deepEqual(toStartModel(given)?.options, {
        ...noOptions,
        deterministic: false,
        gpu_layers: 3,
        draft_model: `${process.cwd()}/d.gguf`,
        speculation: 'off',
        prefix_cache_bytes: 0,
      });
      assert.throws(
        () => toStartModel({ ...given, draftModel: 'hf:x' }),
        fails('invalid_option', /hf:/),
      );
    });
  });
});
