/**
 * Lanes in which every new spec is compiled before it comes near a text: what blows up there harms
 * nobody. One is enough until it is busy for long; then another takes what waits.
 */

import type { TokenTrie } from '../../constraint/index.ts';
import { Lane, type LaneOptions } from './lane.ts';
import type { KeyedSpec } from './lane-messages.ts';

const mostLanes = 2;
/** Milliseconds that a compilation may take before the next one gets another lane. */
const patience = 150;

interface Job {
  readonly spec: KeyedSpec;
  readonly resolve: (milliseconds: number) => void;
  readonly reject: (error: unknown) => void;
}

export class TrialLanes {
  readonly #options: LaneOptions;
  readonly #first: Lane;
  readonly #idle: Lane[];
  readonly #waiting: Job[] = [];
  readonly #lanes = new Set<Lane>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#first = new Lane(options);
    this.#lanes.add(this.#first);
    this.#idle = [this.#first];
  }

  makeTrie(): Promise<TokenTrie> {
    return this.#first.makeTrie();
  }

  /** Milliseconds that it took; rejects where the spec is refused, within the limit of time. */
  compile(spec: KeyedSpec): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ spec, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all([...this.#lanes].map((lane) => lane.close()));
  }

  #next(): void {
    const lane = this.#idle.pop();
    if (lane === undefined) {
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#grow(), patience);
      return;
    }
    const job = this.#waiting.shift();
    if (job === undefined) this.#idle.push(lane);
    else void this.#run(lane, job);
  }

  async #run(lane: Lane, job: Job): Promise<void> {
    try {
      job.resolve(await lane.compile(job.spec));
    } catch (error) {
      job.reject(error);
    }
    if (lane !== this.#first && this.#waiting.length === 0) {
      this.#lanes.delete(lane);
      await lane.close();
      return;
    }
    this.#idle.push(lane);
    this.#next();
  }

  #grow(): void {
    this.#timer = null;
    if (this.#waiting.length === 0 || this.#lanes.size >= mostLanes) return;
    const lane = new Lane(this.#options);
    this.#lanes.add(lane);
    this.#idle.push(lane);
    this.#next();
  }
}
