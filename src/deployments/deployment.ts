/**
 * One deployment at work: starts its runtime, follows its life, ends it. It belongs to
 * `create-deployments.ts`, which keeps the names and the store; it knows neither.
 */

import { asParlanceError } from '../contract/index.ts';
import type { EngineStats } from '../engine/index.ts';
import type { Target } from '../targets/index.ts';
import type { Log } from '../telemetry/index.ts';
import { toView, type DeploymentView } from './deployment-view.ts';
import { isStarting, step, type Lifecycle, type LifecycleEvent } from './lifecycle.ts';
import { baseNotReady, noAdaptersThere, notReady } from './not-ready.ts';
import type { Attached, Load, Running, Runtimes, StartContext } from './runtimes/runtime.ts';
import { untilAborted } from './runtimes/turns.ts';
import type { AdapterSpec, DeploymentSpec } from './spec.ts';
import { trackTarget, type TrackedTarget } from './track-target.ts';

interface Work {
  readonly running: Running;
  readonly tracked: TrackedTarget;
}

export interface DeploymentDependencies {
  readonly runtimes: Runtimes;
  readonly log: Log;
  /** Of an adapter: what it changes. */
  readonly base?: Deployment | null;
  /** Somebody is watching the first start and will say why it failed. */
  readonly startIsWatched?: boolean;
}

const firstState = (spec: DeploymentSpec): Lifecycle =>
  spec.runtime === 'embedded'
    ? { state: 'pulling', progress: null }
    : { state: 'loading', fraction: null };

export class Deployment {
  readonly spec: DeploymentSpec;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly #runtimes: Runtimes;
  readonly #log: Log;
  readonly #base: Deployment | null;
  #watched: boolean;
  #life: Lifecycle;
  #abort = new AbortController();
  #work: Work | null = null;
  /** Settles, without an error, when the last start has come to an end. */
  #started: Promise<void> = Promise.resolve();
  #ended: Promise<void> | null = null;
  /** Aborted when requests have had their time to finish. */
  readonly #deadline = new AbortController();

  constructor(spec: DeploymentSpec, created: number, dependencies: DeploymentDependencies) {
    this.spec = spec;
    this.created = created;
    this.#runtimes = dependencies.runtimes;
    this.#log = dependencies.log;
    this.#base = dependencies.base ?? null;
    this.#watched = dependencies.startIsWatched ?? false;
    this.#life = firstState(spec);
    this.#begin();
  }

  get life(): Lifecycle {
    return this.#life;
  }

  /** Tries a failed one again; does nothing in any other state. */
  retry(): void {
    if (this.#life.state !== 'failed') return;
    this.#step({ type: 'retry', first: firstState(this.spec) });
    this.#begin();
  }

  /** Resolves when it is no longer pulling or loading. */
  async settled(): Promise<void> {
    while (isStarting(this.#life)) await this.#started;
  }

  /** @throws ParlanceError that says why it cannot answer now */
  target(): Target {
    if (this.#life.state === 'ready' && this.#work !== null) return this.#work.tracked.target;
    throw notReady(this.spec.name, this.#life);
  }

  load(): Load {
    if (this.#work === null) return { running: 0, waiting: 0 };
    const { running, tracked } = this.#work;
    return running.load() ?? { running: tracked.inFlight(), waiting: 0 };
  }

  /** What its engine counts; null where there is none, or it has told nothing yet. */
  stats(): EngineStats | null {
    return this.#work?.running.stats?.() ?? null;
  }

  /**
   * Makes an adapter on its engine, once it has one.
   * @throws ParlanceError `deployment_failed`, `invalid_deployment`, `invalid_adapter`
   */
  async attach(spec: AdapterSpec, context: StartContext): Promise<Attached> {
    await untilAborted(this.settled(), context.signal);
    const running = this.#work?.running;
    if (this.#life.state !== 'ready' || running === undefined) {
      throw baseNotReady(this.spec.name, this.#life);
    }
    if (running.attach === undefined) throw noAdaptersThere(this.spec.name);
    return await running.attach(spec, context);
  }

  /** @param withCapabilities lists leave them out: they are long */
  view(withCapabilities: boolean): DeploymentView {
    const work = this.#life.state === 'ready' ? this.#work : null;
    return toView({
      spec: this.spec,
      created: this.created,
      life: this.#life,
      engine: work?.running.details() ?? null,
      capabilities: withCapabilities ? (work?.tracked.target.capabilities ?? null) : null,
    });
  }

  /**
   * Takes no more requests, lets running ones finish for so long, and stops. A further call waits
   * for the same end, and can only bring it nearer.
   */
  async end(drainMs: number): Promise<void> {
    this.#step({ type: 'remove' });
    this.#ended ??= this.#end();
    const timer = setTimeout(() => this.#deadline.abort(), drainMs);
    await this.#ended;
    clearTimeout(timer);
  }

  async #end(): Promise<void> {
    this.#abort.abort();
    await this.#started;
    await this.#work?.tracked.idle(this.#deadline.signal);
    await this.#stopWork();
    this.#step({ type: 'stopped' });
  }

  #step(event: LifecycleEvent): void {
    const before = this.#life.state;
    this.#life = step(this.#life, event);
    const { state } = this.#life;
    if (state === before) return;
    const facts = { deployment: this.spec.name, state };
    if (this.#life.state === 'failed') {
      const level = this.#watched ? 'debug' : 'error';
      this.#log[level]({ ...facts, error: this.#life.error }, 'deployment failed');
    } else {
      this.#log.info(facts, 'deployment changed its state');
      if (this.#life.state === 'ready') this.#watched = false;
    }
  }

  #begin(): void {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const before = this.#started;
    this.#started = before.then(() => this.#start(signal));
  }

  async #start(signal: AbortSignal): Promise<void> {
    try {
      await this.#stopWork();
      signal.throwIfAborted();
      const running = await this.#startRuntime(signal);
      this.#work = { running, tracked: trackTarget(running.target) };
      this.#step({ type: 'started' });
    } catch (error) {
      if (signal.aborted) return;
      this.#step({ type: 'failed', error: asParlanceError(error) });
    }
  }

  #startRuntime(signal: AbortSignal): Promise<Running> {
    const context = {
      signal,
      onPull: (progress: Extract<LifecycleEvent, { type: 'pull' }>['progress']) =>
        this.#step({ type: 'pull', progress }),
      onLoad: (fraction: number | null) => this.#step({ type: 'load', fraction }),
      onFailed: (error: unknown) => this.#step({ type: 'failed', error: asParlanceError(error) }),
    };
    const { spec } = this;
    switch (spec.runtime) {
      case 'embedded':
        return this.#runtimes.embedded.start(spec, context);
      case 'external':
        return this.#runtimes.external.start(spec, context);
      case 'adapter':
        return (
          this.#base?.attach(spec, context) ?? Promise.reject(noAdaptersThere(spec.adapter_of))
        );
    }
  }

  async #stopWork(): Promise<void> {
    const work = this.#work;
    this.#work = null;
    if (work === null) return;
    try {
      await work.running.stop();
    } catch (error) {
      this.#log.warn({ deployment: this.spec.name, error }, 'a runtime did not stop cleanly');
    }
  }
}
