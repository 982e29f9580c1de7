/**
 * The deployments of a server: what is there under which name, made and removed by `/deploy`, kept
 * in the store, made again after a restart. The start model is one of them, but is not stored.
 */

import { ParlanceError } from '../contract/index.ts';
import type { DeploymentRecords } from '../records/index.ts';
import type { Target } from '../targets/index.ts';
import type { Log } from '../telemetry/index.ts';
import { Deployment } from './deployment.ts';
import type { DeploymentView } from './deployment-view.ts';
import { unknownDeployment, unknownModel } from './not-ready.ts';
import type { Load, Runtimes } from './runtimes/runtime.ts';
import { compareSpecs, parseDeployment, type DeploymentSpec } from './spec.ts';

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
  /** Forgets it at once, and ends it in the background. @throws `unknown_deployment` */
  remove(name: string): Promise<DeploymentView>;
  /** @throws `unknown_deployment` */
  get(name: string): DeploymentView;
  list(): DeploymentView[];
  /** @throws `unknown_model`, `model_loading`, `deployment_failed` */
  resolve(model: string): Target;
  /** The view once it is ready, failed or gone. */
  settled(name: string): Promise<DeploymentView>;
  /** The start model's view; null without one, or when it was removed. */
  startModel(): DeploymentView | null;
  /** Requests in all engines. */
  load(): Load;
  /** Ends everything within so long, and keeps the store as it is. */
  close(drainMs: number): Promise<void>;
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
    for (const { name, spec, created } of await this.#options.records.list()) {
      if (this.#byName.has(name)) {
        this.#options.log.warn(
          { deployment: name },
          'a stored deployment has the name of the start model and stays aside; the start option wins',
        );
        continue;
      }
      try {
        this.#add(parseDeployment(spec), created);
      } catch (error) {
        this.#options.log.warn({ deployment: name, error }, 'a stored deployment cannot be read');
      }
    }
  }

  deploy(body: unknown): Promise<DeploymentView> {
    return this.#change(async () => {
      if (this.#closing) throw new ParlanceError('shutting_down', 'The server is shutting down.');
      const spec = this.#check(parseDeployment(body));
      const there = this.#byName.get(spec.name);
      if (there !== undefined) refuseConflict(there, spec);
      const created = there?.created ?? Date.now();
      await this.#options.records.put({ name: spec.name, spec, created });
      there?.retry();
      return (there ?? this.#add(spec, created)).view(true);
    });
  }

  remove(name: string): Promise<DeploymentView> {
    return this.#change(async () => {
      const found = this.#find(name);
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
    const found = this.#byName.get(model);
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

  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    await this.#lastChange;
    await Promise.all([...this.#byName.values()].map((one) => one.end(drainMs)));
    this.#byName.clear();
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#lastChange.then(work);
    this.#lastChange = next.catch(() => null);
    return next;
  }

  #check(spec: DeploymentSpec): DeploymentSpec {
    const { runtimes } = this.#options;
    return spec.runtime === 'embedded'
      ? runtimes.embedded.check(spec)
      : runtimes.external.check(spec);
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
    const made = new Deployment(spec, created, { ...this.#options, startIsWatched });
    this.#byName.set(spec.name, made);
    return made;
  }
}

function refuseConflict(there: Deployment, wanted: DeploymentSpec): void {
  const { name } = wanted;
  if (there.life.state === 'draining') {
    throw new ParlanceError(
      'deployment_conflict',
      `The deployment "${name}" is still being removed. Try again in a moment, or choose another name.`,
      { param: 'name', retryAfter: 1 },
    );
  }
  const differences = compareSpecs(there.spec, wanted);
  if (differences.length === 0) return;
  throw new ParlanceError(
    'deployment_conflict',
    `There is another deployment "${name}". What differs: ${differences.join('; ')}. ` +
      `Remove it first (DELETE /deploy/${name}), or choose another name.`,
    { param: 'name' },
  );
}
