/**
 * The deployments of a server: what is there under which name, made and removed by `/deploy`, kept
 * in the store, made again after a restart. The start model is one of them, but is not stored.
 */

import { ParlanceError } from '../contract/index.ts';
import type { EngineStats } from '../engine/index.ts';
import type { DeploymentRecord, DeploymentRecords } from '../records/index.ts';
import type { Target } from '../targets/index.ts';
import type { Log } from '../telemetry/index.ts';
import { Deployment } from './deployment.ts';
import type { DeploymentView } from './deployment-view.ts';
import { unknownDeployment, unknownModel } from './not-ready.ts';
import type { Load, Runtimes } from './runtimes/runtime.ts';
import { checkAdapter } from './runtimes/adapters.ts';
import { aliasOf, refuseBase, refuseConflict, refuseNameClash, refuseOrphans } from './refusals.ts';
import { parseDeployment, type AdapterSpec, type DeploymentSpec } from './spec.ts';

export interface DeploymentsOptions {
  readonly records: DeploymentRecords;
  readonly runtimes: Runtimes;
  readonly log: Log;
  /** How long a removed deployment lets its requests finish. */
  readonly drainMs?: number;
}

export interface Deployments {
  /** Makes the start model and what the store has; all of it starts in the background. */
  restore(startModel: DeploymentSpec | null): Promise<void>;
  /**
   * The same body twice is one deployment, and a failed one is tried again by it.
   * @throws ParlanceError for a bad body, `deployment_conflict` when another has the name
   */
  deploy(body: unknown): Promise<DeploymentView>;
  /**
   * Forgets it at once, and ends it in the background.
   * @throws `unknown_deployment`, `deployment_conflict` while it has adapters
   */
  remove(name: string): Promise<DeploymentView>;
  /** @throws `unknown_deployment` */
  get(name: string): DeploymentView;
  list(): DeploymentView[];
  /**
   * @param model a name, or `base:adapter`
   * @throws `unknown_model`, `model_loading`, `deployment_failed`
   */
  resolve(model: string): Target;
  /** The view once it is ready, failed or gone. */
  settled(name: string): Promise<DeploymentView>;
  /** The start model's view; null without one, or when it was removed. */
  startModel(): DeploymentView | null;
  /** Requests in all engines. */
  load(): Load;
  /** What each engine counts, by the deployment that it runs. */
  engines(): EngineReading[];
  /** Ends everything within so long, and keeps the store as it is. */
  close(drainMs: number): Promise<void>;
}

export interface EngineReading {
  readonly deployment: string;
  readonly stats: EngineStats;
}

const defaultDrainMs = 30_000;

export function createDeployments(options: DeploymentsOptions): Deployments {
  return new DeploymentRegistry(options);
}

class DeploymentRegistry implements Deployments {
  readonly #options: DeploymentsOptions;
  readonly #byName = new Map<string, Deployment>();
  #startName: string | null = null;
  #closing = false;
  /** Changes go one after the other, so that name and store agree. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(options: DeploymentsOptions) {
    this.#options = options;
  }

  restore(startModel: DeploymentSpec | null): Promise<void> {
    return this.#change(() => this.#restore(startModel));
  }

  async #restore(startModel: DeploymentSpec | null): Promise<void> {
    if (startModel !== null) {
      this.#startName = startModel.name;
      this.#add(startModel, Date.now(), true);
    }
    const stored = (await this.#options.records.list()).flatMap((record) => this.#read(record));
    // A base may have been made again after its adapters.
    const [adapters, others] = partition(stored, ({ spec }) => spec.runtime === 'adapter');
    for (const { spec, created } of [...others, ...adapters]) {
      const orphan = spec.runtime === 'adapter' && this.#baseOf(spec) === null;
      if (!orphan) this.#add(spec, created);
      else {
        this.#options.log.warn(
          { deployment: spec.name, base: spec.adapter_of },
          'a stored adapter stays aside: the deployment that it changes is not there',
        );
      }
    }
  }

  #read({ name, spec, created }: DeploymentRecord): Stored[] {
    if (this.#byName.has(name)) {
      this.#options.log.warn(
        { deployment: name },
        'a stored deployment has the name of the start model and stays aside; the start option wins',
      );
      return [];
    }
    try {
      return [{ spec: parseDeployment(spec), created }];
    } catch (error) {
      this.#options.log.warn({ deployment: name, error }, 'a stored deployment cannot be read');
      return [];
    }
  }

  deploy(body: unknown): Promise<DeploymentView> {
    return this.#change(async () => {
      if (this.#closing) throw new ParlanceError('shutting_down', 'The server is shutting down.');
      const spec = this.#check(parseDeployment(body));
      const there = this.#byName.get(spec.name);
      if (there !== undefined) refuseConflict(there, spec);
      else refuseNameClash(spec, [...this.#byName.values()]);
      const created = there?.created ?? Date.now();
      const ready = there ?? (await this.#tryAdapter(spec, created));
      await this.#options.records.put({ name: spec.name, spec, created });
      there?.retry();
      // They failed with it, and wait for it now.
      for (const adapter of this.#adaptersOf(spec.name)) adapter.retry();
      return (ready ?? this.#add(spec, created)).view(true);
    });
  }

  /**
   * Loading an adapter takes a moment only: where its base is ready, one that does not load is
   * refused at once and never was there. Null: nothing to try.
   */
  async #tryAdapter(spec: DeploymentSpec, created: number): Promise<Deployment | null> {
    if (spec.runtime !== 'adapter' || this.#baseOf(spec)?.life.state !== 'ready') return null;
    const adapter = this.#add(spec, created, true);
    await adapter.settled();
    if (adapter.life.state !== 'failed') return adapter;
    this.#byName.delete(spec.name);
    throw adapter.life.error;
  }

  remove(name: string): Promise<DeploymentView> {
    return this.#change(async () => {
      const found = this.#find(name);
      refuseOrphans(found, this.#adaptersOf(name));
      await this.#options.records.remove(name);
      void this.#forget(found);
      return found.view(true);
    });
  }

  get(name: string): DeploymentView {
    return this.#find(name).view(true);
  }

  list(): DeploymentView[] {
    return [...this.#byName.values()].map((one) => one.view(false));
  }

  resolve(model: string): Target {
    const found = this.#byName.get(model) ?? this.#byAlias(model);
    if (found === undefined) throw unknownModel(model, [...this.#byName.keys()]);
    return found.target();
  }

  async settled(name: string): Promise<DeploymentView> {
    const found = this.#find(name);
    await found.settled();
    return found.view(true);
  }

  startModel(): DeploymentView | null {
    const found = this.#startName === null ? undefined : this.#byName.get(this.#startName);
    return found?.view(false) ?? null;
  }

  load(): Load {
    const sum = { running: 0, waiting: 0 };
    for (const deployment of this.#byName.values()) {
      const { running, waiting } = deployment.load();
      sum.running += running;
      sum.waiting += waiting;
    }
    return sum;
  }

  engines(): EngineReading[] {
    return [...this.#byName.values()].flatMap((deployment) => {
      const stats = deployment.stats();
      return stats === null ? [] : [{ deployment: deployment.spec.name, stats }];
    });
  }

  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    await this.#lastChange;
    const isAdapter = ({ spec }: Deployment): boolean => spec.runtime === 'adapter';
    // What an adapter runs is on its base's engine.
    for (const some of partition([...this.#byName.values()], isAdapter)) {
      await Promise.all(some.map((one) => one.end(drainMs)));
    }
    this.#byName.clear();
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#lastChange.then(work);
    this.#lastChange = next.catch(() => null);
    return next;
  }

  #check(spec: DeploymentSpec): DeploymentSpec {
    const { runtimes } = this.#options;
    switch (spec.runtime) {
      case 'embedded':
        return runtimes.embedded.check(spec);
      case 'external':
        return runtimes.external.check(spec);
      case 'adapter':
        refuseBase(spec, this.#baseOf(spec), [...this.#byName.keys()]);
        return checkAdapter(spec);
    }
  }

  #baseOf(spec: AdapterSpec): Deployment | null {
    return this.#byName.get(spec.adapter_of) ?? null;
  }

  #adaptersOf(name: string): Deployment[] {
    return [...this.#byName.values()].filter(
      ({ spec }) => spec.runtime === 'adapter' && spec.adapter_of === name,
    );
  }

  #byAlias(model: string): Deployment | undefined {
    return [...this.#byName.values()].find(({ spec }) => aliasOf(spec) === model);
  }

  #find(name: string): Deployment {
    const found = this.#byName.get(name);
    if (found === undefined) throw unknownDeployment(name, [...this.#byName.keys()]);
    return found;
  }

  async #forget(deployment: Deployment): Promise<void> {
    const { name } = deployment.spec;
    await deployment.end(this.#options.drainMs ?? defaultDrainMs);
    if (this.#byName.get(name) === deployment) this.#byName.delete(name);
  }

  #add(spec: DeploymentSpec, created: number, startIsWatched = false): Deployment {
    const base = spec.runtime === 'adapter' ? this.#baseOf(spec) : null;
    const made = new Deployment(spec, created, { ...this.#options, base, startIsWatched });
    this.#byName.set(spec.name, made);
    return made;
  }
}

interface Stored {
  readonly spec: DeploymentSpec;
  readonly created: number;
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
