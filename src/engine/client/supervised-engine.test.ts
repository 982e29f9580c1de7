import assert from 'node:assert/strict';
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { EngineInfo, EngineStats, FromEngine, ToEngine } from '../protocol.ts';
import { makeRequest } from '../request.test-support.ts';
import { defaultEngineOptions, type EngineState } from './engine.ts';
import type { ProcessEvents } from './engine-process.ts';
import { SupervisedEngine } from './supervised-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'parlance-supervised-'));
const path = join(folder, 'model.gguf');
writeFileSync(path, 'weights');
after(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;
const load = { running: 1, waiting: 0 };
const info: EngineInfo = {
  slots: 1,
  context: 10,
  trainedContext: 10,
  threads: 1,
  vocabSize: 10,
  batchTokens: 10,
  kvBytes: 0,
  kvType: 'q8_0/f16',
  deterministic: { on: true, why: null },
  prefixReuse: { on: true, why: null },
  prefixCacheBytes: 0,
  gpu: null,
  notes: [],
  modelBytes: 0,
  description: 'scripted',
  library: 'none',
  bosToken: null,
  eosToken: null,
};
const accepted = { promptTokens: 1, truncatedTokens: 0, maxTokens: 5, maxTokensReduced: false };
const withReason = (reason: string) => (error: unknown) =>
  error instanceof ParlanceError && error.reason === reason;

/** A process that does what the test says. */
class ScriptedProcess {
  readonly sent: ToEngine[] = [];
  readonly pid: number;
  readonly #events: ProcessEvents;

  constructor(pid: number, events: ProcessEvents) {
    this.pid = pid;
    this.#events = events;
  }

  send(message: ToEngine): void {
    this.sent.push(message);
    if (message.type === 'stop') this.die('exit code 0');
  }

  kill(): void {
    this.die('signal SIGKILL');
  }

  tell(message: FromEngine): void {
    this.#events.onMessage(message);
  }

  die(how: string, output = ''): void {
    this.#events.onExit({ how, output });
  }
}

/** An engine whose restarts happen when the test moves the clock. */
function setUp(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const processes: ScriptedProcess[] = [];
  const states: EngineState['state'][] = [];
  const lostAdapters: string[] = [];
  const faults: string[] = [];
  const engine = new SupervisedEngine(
    {
      path,
      options: defaultEngineOptions,
      onState: ({ state }) => states.push(state),
      onAdapterLost: (name) => lostAdapters.push(name),
      onFault: (message) => faults.push(message),
    },
    (_files, _options, events) => {
      const process = new ScriptedProcess(processes.length + 1, events);
      processes.push(process);
      return process;
    },
  );
  const last = (): ScriptedProcess => processes.at(-1) ?? assert.fail('no process was started');
  return {
    engine,
    processes,
    states,
    lostAdapters,
    faults,
    last,
    tick: (ms: number) => context.mock.timers.tick(ms),
  };
}

test('a crash fails what runs, and what comes meanwhile waits for the next process', async (context) => {
  const { engine, processes, states, last, tick } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  const running = engine.generate(makeRequest('a'), never);
  last().tell({ type: 'accepted', id: 1, accepted, load });
  const reader = (await running).steps[Symbol.asyncIterator]();
  assert.deepEqual(engine.load, load);

  last().die('signal SIGKILL');
  await assert.rejects(reader.next(), withReason('engine_failed'));
  const waiting = engine.generate(makeRequest('b'), never);
  assert.deepEqual(engine.load, { running: 0, waiting: 1 });
  tick(0);
  assert.equal(processes.length, 2);
  last().tell({ type: 'ready', info });
  // The waiting request is sent after its wait has settled.
  while (last().sent.length === 0) await Promise.resolve();
  last().tell({ type: 'accepted', id: 2, accepted, load });
  assert.deepEqual((await waiting).accepted, accepted);
  assert.deepEqual(states, ['ready', 'restarting', 'ready']);
  await engine.stop();
});

test('a request that was sent to a dead process goes to the next one, once', async (context) => {
  const { engine, processes, last, tick } = setUp(context);
  const restart = (): void => {
    last().die('signal SIGKILL');
    tick(60_000);
    last().tell({ type: 'ready', info });
  };
  last().tell({ type: 'ready', info });
  await engine.ready;
  const request = engine.generate(makeRequest('a'), never);
  last().die('signal SIGKILL');
  tick(0);
  while (engine.load.waiting === 0) await Promise.resolve();
  last().tell({ type: 'ready', info });
  while (last().sent.length === 0) await Promise.resolve();
  assert.equal(processes.length, 2);
  restart();
  await assert.rejects(request, withReason('engine_failed'));
  assert.deepEqual(
    processes.map(({ sent }) => sent.length),
    [1, 1, 0],
  );
  await engine.stop();
});

test('a request waits ten seconds for a restart, no longer', async (context) => {
  const { engine, last, tick } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  last().die('signal SIGSEGV');
  const waiting = engine.generate(makeRequest('b'), never);
  tick(10_000);
  await assert.rejects(waiting, withReason('model_loading'));
  await engine.stop();
});

test('an engine that dies while it loads is tried three times', async (context) => {
  const { engine, processes, states, last, tick } = setUp(context);
  for (const delay of [500, 1000]) {
    last().die('signal SIGABRT', 'GGML_ASSERT failed\nbacktrace');
    tick(delay - 1);
    const before = processes.length;
    tick(1);
    assert.equal(processes.length, before + 1);
  }
  last().die('signal SIGABRT', 'one line\nGGML_ASSERT failed');
  await assert.rejects(engine.ready, /does not start \(signal SIGABRT\)\. .*GGML_ASSERT failed/);
  assert.deepEqual(states, ['failed']);
  await assert.rejects(engine.generate(makeRequest('a'), never), withReason('deployment_failed'));
  await engine.stop();
});

test('a process that cannot be made counts as a start that failed', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let starts = 0;
  const engine = new SupervisedEngine({ path, options: defaultEngineOptions }, () => {
    starts += 1;
    throw new Error('spawn ENOMEM');
  });
  context.mock.timers.tick(500);
  context.mock.timers.tick(1000);
  await assert.rejects(engine.ready, /does not start \(it could not be started \(spawn ENOMEM\)\)/);
  assert.equal(starts, 3);
  await engine.stop();
});

test('a first load that fails is final, a later one is tried again', async (context) => {
  const first = setUp(context);
  first.last().tell({ type: 'failed', reason: 'invalid_model_file', message: 'bad magic' });
  await assert.rejects(
    first.engine.ready,
    (error: ParlanceError) => error.message === `${path}: bad magic`,
  );
  assert.equal(first.processes.length, 1);
  context.mock.timers.reset();

  const later = setUp(context);
  later.last().tell({ type: 'ready', info });
  later.last().die('signal SIGKILL');
  later.tick(0);
  for (const delay of [500, 1000]) {
    later.last().tell({ type: 'failed', reason: 'machine_unsupported', message: 'no memory' });
    later.tick(delay);
  }
  assert.equal(later.processes.length, 4);
  later.last().tell({ type: 'failed', reason: 'machine_unsupported', message: 'no memory' });
  const { state } = later.engine;
  assert.ok(state.state === 'failed' && state.error.reason === 'machine_unsupported');
});

test('a stop is final, also between two starts', async (context) => {
  const { engine, processes, states, last, tick } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  last().die('signal SIGKILL');
  const waiting = engine.generate(makeRequest('b'), never);
  await Promise.all([
    engine.stop(),
    engine.stop(),
    assert.rejects(waiting, withReason('shutting_down')),
  ]);
  tick(60_000);
  assert.equal(processes.length, 1);
  assert.deepEqual(states, ['ready', 'restarting', 'stopped']);
});

const refusal = { reason: 'invalid_adapter', message: 'made for another model' } as const;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('adapters are loaded again into every new process, before the requests that wait', async (context) => {
  const { engine, last, tick, lostAdapters } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  const loads = ['a', 'b', 'c'].map((name) => engine.loadAdapter(name, `/${name}.gguf`));
  await turn();
  assert.deepEqual(
    last().sent.map((message) => 'name' in message && [message.type, message.name]),
    ['a', 'b', 'c'].map((name) => ['load-adapter', name]),
  );
  last().tell({ type: 'done', id: 1, error: null });
  last().tell({ type: 'done', id: 2, error: null });
  last().tell({ type: 'done', id: 3, error: refusal });
  await Promise.all(loads.slice(0, 2));
  await assert.rejects(Promise.all(loads), withReason('invalid_adapter'));

  last().die('signal SIGKILL');
  const waiting = engine.generate(makeRequest('x'), never);
  await turn();
  tick(0);
  last().tell({ type: 'ready', info });
  await turn();
  const types = last().sent.map(({ type }) => type);
  assert.deepEqual(types, ['load-adapter', 'load-adapter', 'generate']);
  // A process that dies while it loads them loses none; one that refuses loses one.
  last().die('signal SIGKILL');
  await turn();
  tick(1000);
  last().tell({ type: 'ready', info });
  await turn();
  const again = last().sent.flatMap((message) =>
    message.type === 'load-adapter' ? [message] : [],
  );
  assert.deepEqual(
    again.map(({ name }) => name),
    ['a', 'b'],
  );
  last().tell({ type: 'done', id: again[0]?.id ?? 0, error: null });
  last().tell({ type: 'done', id: again[1]?.id ?? 0, error: refusal });
  await turn();
  assert.deepEqual(lostAdapters, ['b']);
  await Promise.all([engine.stop(), assert.rejects(waiting)]);
});

test('an adapter goes with its process, and quietly where there is none', async (context) => {
  const { engine, last } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  const unloading = engine.unloadAdapter('a');
  assert.deepEqual(last().sent, [{ type: 'unload-adapter', name: 'a', id: 1 }]);
  last().die('signal SIGKILL');
  await unloading;
  await engine.unloadAdapter('b');
  await engine.stop();
});

test('a context is exported by the engine, or refused in its words', async (context) => {
  const { engine, last } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  const [done, refused] = [engine.exportContext('c', '/f'), engine.exportContext('d', '/g')];
  await turn();
  assert.deepEqual(last().sent[0], { type: 'export-context', context: 'c', path: '/f', id: 1 });
  last().tell({ type: 'done', id: 1, error: null });
  last().tell({ type: 'done', id: 2, error: { reason: 'invalid_handle', message: 'used up' } });
  await done;
  await assert.rejects(refused, withReason('invalid_handle'));
  await engine.stop();
});

test('what goes wrong and fails no request is told, also while the model loads', async (context) => {
  const { engine, faults, last } = setUp(context);
  last().tell({ type: 'fault', message: 'no folder' });
  last().tell({ type: 'ready', info });
  await engine.ready;
  last().tell({ type: 'fault', message: 'disk full' });
  assert.deepEqual(faults, ['no folder', 'disk full']);
  await engine.stop();
});

test('what the engine tells of itself is kept until its process ends', async (context) => {
  const { engine, last } = setUp(context);
  last().tell({ type: 'ready', info });
  await engine.ready;
  assert.equal(engine.stats, null);
  const stats = { steps: 7 } as EngineStats;
  last().tell({ type: 'stats', stats });
  assert.equal(engine.stats, stats);
  last().die('signal SIGKILL');
  assert.equal(engine.stats, null);
  await engine.stop();
});

test('a draft model is opened with the weights, and one that is missing is named', async () => {
  const missing = join(folder, 'draft.gguf');
  const start = { path, draft: missing, options: defaultEngineOptions };
  const spawn = (): never => assert.fail('nothing may be started');
  assert.throws(() => new SupervisedEngine(start, spawn), {
    reason: 'invalid_model_file',
    message: new RegExp(missing),
  });
});

test('two files are told apart, and one file is itself under two names', (context) => {
  const { engine } = setUp(context);
  const identityOf = (file: string): string => {
    const process = new ScriptedProcess(1, { onMessage: () => {}, onExit: () => {} });
    const start = { path: file, options: defaultEngineOptions };
    return new SupervisedEngine(start, () => process).modelIdentity;
  };
  const [link, other] = [join(folder, 'link.gguf'), join(folder, 'other.gguf')];
  linkSync(path, link);
  writeFileSync(other, 'weights');
  assert.equal(identityOf(link), engine.modelIdentity);
  assert.notEqual(identityOf(other), engine.modelIdentity);
});
