/**
 * Keeps one engine process alive: starts it, starts it again when it ends unasked, fails what it was
 * running, lets new requests wait for the next one. `startEngine` makes it. A crash of the engine
 * never throws here; it becomes a catalogued error of the requests it hit.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { EngineInfo, EngineLoad, FromEngine, GenerateRequest } from '../protocol.ts';
import type { Engine, EngineStart, EngineState } from './engine.ts';
import { EngineProcess, type EngineExit } from './engine-process.ts';
import type { Generation } from './generation.ts';
import { RequestTable } from './request-table.ts';
import { crashWindowMs, planRestart } from './restart-policy.ts';
import { Waiters } from './waiters.ts';
import { openWeights, type WeightsFile } from './weights-file.ts';

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
  readonly #weights: WeightsFile;
  readonly #table: RequestTable;
  readonly #waiters = new Waiters();
  readonly #settleFirst = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  #process: ReturnType<SpawnEngine> | null = null;
  #state: EngineState = { state: 'loading', progress: 0 };
  #info: EngineInfo | null = null;
  #load: EngineLoad = idle;
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
    this.#weights = openWeights(start.path);
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
      const lost = error instanceof ParlanceError && error.reason === 'engine_failed';
      if (!lost || this.#state.state !== 'restarting') throw error;
      return await this.#ask(request, signal);
    }
  }

  async #ask(request: GenerateRequest, signal: AbortSignal): Promise<Generation> {
    if (signal.aborted) throw clientLeft();
    if (this.#state.state !== 'ready') await this.#waitForRestart(signal);
    // An abort in the moment of the wake-up was heard by nobody.
    if (signal.aborted) throw clientLeft();
    const process = this.#process;
    if (process === null) throw this.#unavailable();
    const id = this.#nextId;
    this.#nextId += 1;
    return this.#table.open(id, request, signal, () =>
      process.send({ type: 'generate', id, request }),
    );
  }

  async stop(): Promise<void> {
    if (this.#state.state !== 'stopped') {
      this.#setState({ state: 'stopped' });
      const error = this.#unavailable();
      this.#settleFirst.reject(new ParlanceError('cancelled', 'The engine was stopped.'));
      this.#table.failAll(error);
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
      this.#process = this.#spawn(this.#weights, this.#start.options, {
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
        this.#waiters.release();
        return;
      case 'failed':
        this.#onLoadFailed(new ParlanceError(message.reason, this.#nameFile(message.message)));
        return;
      case 'done':
      case 'stats':
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
    if (this.#state.state === 'stopped' || this.#state.state === 'failed') {
      this.#close();
      return;
    }
    this.#table.failAll(
      new ParlanceError(
        'engine_failed',
        `The engine ended while it ran this request (${how}); it is being restarted.`,
      ),
    );
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
    this.#waiters.fail(this.#unavailable());
    this.#process?.send({ type: 'stop' });
  }

  /** The engine knows the file by its descriptor only. */
  #nameFile(message: string): string {
    const { path } = this.#weights;
    const named = message.replaceAll(/\/proc\/self\/fd\/\d+/g, path);
    return named.includes(path) ? named : `${path}: ${named}`;
  }

  /** Nothing will be started any more. */
  #close(): void {
    this.#weights.close();
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

const clientLeft = (): ParlanceError => new ParlanceError('cancelled', 'The client left.');

function lastLine(output: string): string {
  return output.split('\n').at(-1)?.slice(0, 300) ?? '';
}
