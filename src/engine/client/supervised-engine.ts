/**
 * Keeps one engine process alive: starts it, starts it again when it ends unasked, fails what it was
 * running, lets new requests wait for the next one. `startEngine` makes it. A crash of the engine
 * never throws here; it becomes a catalogued error of the requests it hit.
 */

import { asParlanceError, ParlanceError } from '../../contract/errors.ts';
import type {
  EngineInfo,
  EngineLoad,
  EngineStats,
  FromEngine,
  GenerateRequest,
} from '../protocol.ts';
import type { Engine, EngineStart, EngineState } from './engine.ts';
import { EngineProcess, type EngineExit, type EngineFiles } from './engine-process.ts';
import type { Generation } from './generation.ts';
import { Orders, type Order } from './orders.ts';
import { RequestTable } from './request-table.ts';
import { crashWindowMs, planRestart } from './restart-policy.ts';
import { Waiters } from './waiters.ts';
import { openWeights } from './weights-file.ts';

/** How long a request waits for an engine that is being restarted. */
const restartPatienceMs = 10_000;
/** How long an engine may take to end when asked. */
const stopPatienceMs = 2_000;

const idle: EngineLoad = { running: 0, waiting: 0 };

/** Starts a process; tests put a scripted one in its place. */
export type SpawnEngine = (
  ...args: ConstructorParameters<typeof EngineProcess>
) => Pick<EngineProcess, 'pid' | 'send' | 'kill'>;

const spawnEngine: SpawnEngine = (...args) => new EngineProcess(...args);

export class SupervisedEngine implements Engine {
  /** Settles with the first start. */
  readonly ready: Promise<void>;
  readonly #start: EngineStart;
  readonly #spawn: SpawnEngine;
  readonly #files: EngineFiles;
  readonly #table: RequestTable;
  readonly #orders = new Orders();
  /** Name -> file of the adapters that every new process is to have. */
  readonly #adapters = new Map<string, string>();
  readonly #waiters = new Waiters();
  readonly #settleFirst = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  #process: ReturnType<SpawnEngine> | null = null;
  #state: EngineState = { state: 'loading', progress: 0 };
  #info: EngineInfo | null = null;
  #load: EngineLoad = idle;
  #stats: EngineStats | null = null;
  #nextId = 1;
  #failedLoads = 0;
  /** Why the last start failed, where the engine could say it. */
  #loadError: ParlanceError | null = null;
  #crashTimes: number[] = [];
  #restartTimer: NodeJS.Timeout | null = null;

  constructor(start: EngineStart, spawn: SpawnEngine = spawnEngine) {
    this.#start = start;
    this.#spawn = spawn;
    this.ready = this.#settleFirst.promise;
    this.#files = openFiles(start);
    this.#table = new RequestTable({
      cancel: (id) => this.#process?.send({ type: 'cancel', id }),
      onReleased: (milliseconds) => start.onReleased?.(milliseconds),
    });
    const cancelled = (): void => void this.stop();
    start.signal?.addEventListener('abort', cancelled, { once: true });
    const detach = (): void => start.signal?.removeEventListener('abort', cancelled);
    this.ready.then(detach, detach);
    if (start.signal?.aborted === true) cancelled();
    else this.#launch();
  }

  get info(): EngineInfo {
    if (this.#info === null) throw new ParlanceError('model_loading', 'The model is loading.');
    return this.#info;
  }

  get load(): EngineLoad {
    return { ...this.#load, waiting: this.#load.waiting + this.#waiters.size };
  }

  get stats(): EngineStats | null {
    return this.#stats;
  }

  get modelIdentity(): string {
    return this.#files.weights.identity;
  }

  get state(): EngineState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  async generate(request: GenerateRequest, signal: AbortSignal): Promise<Generation> {
    try {
      return await this.#ask(request, signal);
    } catch (error) {
      // It was never accepted: most often the process was dead already and nobody had noticed.
      if (!isLoss(error) || this.#state.state !== 'restarting') throw error;
      return await this.#ask(request, signal);
    }
  }

  async loadAdapter(name: string, path: string): Promise<void> {
    if (this.#state.state !== 'ready') await this.#waitForRestart(never);
    await this.#order(this.#processOrThrow(), { type: 'load-adapter', name, path });
    this.#adapters.set(name, path);
  }

  async unloadAdapter(name: string): Promise<void> {
    this.#adapters.delete(name);
    if (this.#state.state !== 'ready' || this.#process === null) return;
    try {
      await this.#order(this.#process, { type: 'unload-adapter', name });
    } catch (error) {
      // With the process everything is gone that it held.
      if (!isLoss(error)) throw error;
    }
  }

  async exportContext(context: string, path: string): Promise<void> {
    if (this.#state.state !== 'ready') await this.#waitForRestart(never);
    await this.#order(this.#processOrThrow(), { type: 'export-context', context, path });
  }

  async #ask(request: GenerateRequest, signal: AbortSignal): Promise<Generation> {
    if (signal.aborted) throw clientLeft();
    if (this.#state.state !== 'ready') await this.#waitForRestart(signal);
    // An abort in the moment of the wake-up was heard by nobody.
    if (signal.aborted) throw clientLeft();
    const process = this.#processOrThrow();
    const id = this.#takeId();
    return this.#table.open(id, request, signal, () =>
      process.send({ type: 'generate', id, request }),
    );
  }

  #processOrThrow(): ReturnType<SpawnEngine> {
    if (this.#process === null) throw this.#unavailable();
    return this.#process;
  }

  #order(process: ReturnType<SpawnEngine>, order: Order): Promise<void> {
    const id = this.#takeId();
    return this.#orders.open(id, () => process.send({ ...order, id }));
  }

  #takeId(): number {
    this.#nextId += 1;
    return this.#nextId - 1;
  }

  /** They are sent before any request that waits, and messages are read in their order. */
  #loadAdaptersAgain(process: ReturnType<SpawnEngine>): void {
    for (const [name, path] of this.#adapters) {
      this.#order(process, { type: 'load-adapter', name, path }).catch((error: unknown) => {
        // A process that died meanwhile is followed by another one, which is asked again.
        if (isLoss(error)) return;
        this.#adapters.delete(name);
        this.#start.onAdapterLost?.(name, asParlanceError(error));
      });
    }
  }

  async stop(): Promise<void> {
    if (this.#state.state !== 'stopped') {
      this.#setState({ state: 'stopped' });
      const error = this.#unavailable();
      this.#settleFirst.reject(new ParlanceError('cancelled', 'The engine was stopped.'));
      this.#table.failAll(error);
      this.#orders.failAll(error);
      this.#waiters.fail(error);
      if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
      if (this.#process === null) this.#close();
      else this.#process.send({ type: 'stop' });
    }
    const kill = setTimeout(() => this.#process?.kill(), stopPatienceMs);
    await this.#gone.promise;
    clearTimeout(kill);
  }

  #launch(): void {
    this.#restartTimer = null;
    try {
      this.#process = this.#spawn(this.#files, this.#start.options, {
        onMessage: (message) => this.#receive(message),
        onExit: (exit) => this.#onExit(exit),
      });
    } catch (error) {
      // A machine short of memory makes no process at all; most other failures come as an exit.
      const words = error instanceof Error ? error.message : String(error);
      this.#onExit({ how: `it could not be started (${words})`, output: '' });
    }
  }

  #receive(message: FromEngine): void {
    if (this.#state.state === 'stopped' || this.#state.state === 'failed') return;
    switch (message.type) {
      case 'loading':
        if (this.#state.state === 'loading') {
          this.#setState({ state: 'loading', progress: message.progress });
        }
        return;
      case 'ready':
        this.#info = message.info;
        this.#failedLoads = 0;
        this.#loadError = null;
        this.#setState({ state: 'ready', info: message.info });
        this.#settleFirst.resolve();
        if (this.#process !== null) this.#loadAdaptersAgain(this.#process);
        this.#waiters.release();
        return;
      case 'failed':
        this.#onLoadFailed(new ParlanceError(message.reason, this.#nameFile(message.message)));
        return;
      case 'done':
        this.#orders.receive(message);
        return;
      case 'stats':
        this.#stats = message.stats;
        return;
      case 'fault':
        this.#start.onFault?.(message.message);
        return;
      default:
        this.#load = message.load;
        this.#table.receive(message);
    }
  }

  /** A model that never loaded will not; one that did may have met a machine short of memory. */
  #onLoadFailed(error: ParlanceError): void {
    this.#loadError = error;
    if (this.#info === null) this.#giveUp(error);
    else this.#process?.send({ type: 'stop' });
  }

  #onExit({ how, output }: EngineExit): void {
    const wasReady = this.#state.state === 'ready';
    this.#process = null;
    this.#load = idle;
    this.#stats = null;
    if (this.#state.state === 'stopped' || this.#state.state === 'failed') {
      this.#close();
      return;
    }
    const loss = new ParlanceError(
      'engine_failed',
      `The engine ended while it ran this request (${how}); it is being restarted.`,
    );
    this.#table.failAll(loss);
    this.#orders.failAll(loss);
    const now = performance.now();
    if (wasReady)
      this.#crashTimes = [...this.#crashTimes, now].filter((at) => now - at < crashWindowMs);
    else this.#failedLoads += 1;
    const delay = planRestart({
      failedLoads: this.#failedLoads,
      recentCrashes: this.#crashTimes.length,
    });
    if (delay === null) {
      const tail = output === '' ? '' : ` Its last words: ${lastLine(output)}`;
      const words = `The engine does not start (${how}).${tail}`;
      this.#giveUp(this.#loadError ?? new ParlanceError('engine_failed', words));
      this.#close();
      return;
    }
    if (this.#info !== null) this.#setState({ state: 'restarting', reason: how });
    this.#restartTimer = setTimeout(() => this.#launch(), delay);
  }

  #giveUp(error: ParlanceError): void {
    this.#setState({ state: 'failed', error });
    this.#settleFirst.reject(error);
    this.#table.failAll(error);
    this.#orders.failAll(error);
    this.#waiters.fail(this.#unavailable());
    this.#process?.send({ type: 'stop' });
  }

  /** The engine knows the files by their descriptors only. */
  #nameFile(message: string): string {
    const { weights, draft } = this.#files;
    const named = message
      .replaceAll('/proc/self/fd/5', draft?.path ?? 'the draft model')
      .replaceAll(/\/proc\/self\/fd\/\d+/g, weights.path);
    const says = [weights, draft].some((file) => file !== null && named.includes(file.path));
    return says ? named : `${weights.path}: ${named}`;
  }

  /** Nothing will be started any more. */
  #close(): void {
    this.#files.weights.close();
    this.#files.draft?.close();
    this.#gone.resolve();
  }

  async #waitForRestart(signal: AbortSignal): Promise<void> {
    const { state } = this.#state;
    if (state === 'failed' || state === 'stopped') throw this.#unavailable();
    if (this.#waiters.size >= this.#start.options.maxWaiting) {
      throw new ParlanceError(
        'queue_full',
        'Too many requests are waiting for the engine to restart.',
        {
          retryAfter: 2,
        },
      );
    }
    await this.#waiters.wait(restartPatienceMs, signal);
  }

  #unavailable(): ParlanceError {
    if (this.#state.state === 'stopped') {
      return new ParlanceError('shutting_down', 'The engine is being stopped.');
    }
    if (this.#state.state === 'failed') {
      return new ParlanceError('deployment_failed', this.#state.error.message);
    }
    return new ParlanceError('model_loading', 'The engine is being restarted; try again soon.', {
      retryAfter: 2,
    });
  }

  #setState(state: EngineState): void {
    this.#state = state;
    this.#start.onState?.(state);
  }
}

const never = new AbortController().signal;

/** Throws `invalid_model_file` when one of them cannot be opened. */
function openFiles({ path, draft = null }: EngineStart): EngineFiles {
  const weights = openWeights(path);
  try {
    return { weights, draft: draft === null ? null : openWeights(draft) };
  } catch (error) {
    weights.close();
    throw error;
  }
}

/** Whether the process died before it answered. */
const isLoss = (error: unknown): boolean =>
  error instanceof ParlanceError && error.reason === 'engine_failed';

const clientLeft = (): ParlanceError => new ParlanceError('cancelled', 'The client left.');

function lastLine(output: string): string {
  return output.split('\n').at(-1)?.slice(0, 300) ?? '';
}
