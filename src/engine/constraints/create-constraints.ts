/**
 * Constraints in worker threads: tries every new spec in a lane of its own, then opens texts in lanes that
 * they share, where heavy specs are kept apart. The engine's process makes one for its model; nothing is
 * started before the first constraint comes, or the engine has time to spare.
 */

import { createHash } from 'node:crypto';

import { ParlanceError } from '../../contract/errors.ts';
import type { ConstraintSpec, TokenTrie } from '../../constraint/index.ts';
import type { Vocabulary } from '../llama/decoder.ts';
import { defaultConstraintLimits, type ConstraintLimits } from './compiled-constraint.ts';
import type { Constraints, PreparedConstraint } from './constraint-session.ts';
import type { KeyedSpec } from './lane-messages.ts';
import { LaneSession } from './lane-session.ts';
import { Lane, type LaneOptions } from './lane.ts';
import { readVocabularySlowly, type VocabularyPieces } from './read-vocabulary.ts';
import { TrialLanes } from './trial-lanes.ts';
import { ViewMemory } from './view-memory.ts';

export interface ConstraintsOptions {
  readonly vocabulary: Vocabulary;
  readonly limits?: Partial<ConstraintLimits>;
  /** What the worker threads start with; tests have compilers of their own. */
  readonly module?: URL;
}

export function createConstraints(options: ConstraintsOptions): Constraints {
  return new LaneConstraints(options);
}

/** A spec that compiles in more than so many milliseconds shares no lane with others. */
const heavyMilliseconds = 100;
const mostHeavyLanes = 3;
/** Milliseconds after which a heavy lane that nobody uses is closed. */
const idleMilliseconds = 30_000;
/** So long a refusal is remembered. */
const refusalMilliseconds = 60_000;
/** Specs of which it is known whether they compile. */
const mostTried = 512;
/** Memories of closed texts that wait for the next ones. */
const mostSpare = 16;

/** Compiled to get ready: its machine is made of what those of most schemas are made of. */
const anyObject: ConstraintSpec = { kind: 'json', schema: '{"type":"object"}', whitespace: null };

/** What all lanes need; made when the first constraint comes. */
interface Ground {
  readonly vocabulary: VocabularyPieces;
  readonly trial: TrialLanes;
  readonly trie: TokenTrie;
  readonly shared: Lane;
}

interface HeavyLane {
  readonly key: string;
  readonly lane: Lane;
  /** Prepared constraints that have not been released. */
  users: number;
  timer: NodeJS.Timeout | null;
}

class LaneConstraints implements Constraints {
  readonly #vocabulary: Vocabulary;
  readonly #limits: ConstraintLimits;
  readonly #module: URL;
  readonly #words: number;
  readonly #tried = new Map<string, Promise<number>>();
  readonly #heavy: HeavyLane[] = [];
  readonly #spare: ViewMemory[] = [];
  #trial: TrialLanes | null = null;
  #ground: Promise<Ground> | null = null;
  #lanes: Lane[] = [];
  #lastSession = 0;
  #closed = false;

  constructor({ vocabulary, limits, module }: ConstraintsOptions) {
    this.#vocabulary = vocabulary;
    this.#limits = { ...defaultConstraintLimits, ...limits };
    this.#module = module ?? new URL('./lane-worker.ts', import.meta.url);
    this.#words = (vocabulary.size + 31) >> 5;
  }

  async prepare(spec: ConstraintSpec): Promise<PreparedConstraint> {
    const keyed = { key: keyOf(spec), spec };
    const ground = await this.#getGround();
    const milliseconds = await this.#try(ground.trial, keyed);
    if (milliseconds > heavyMilliseconds) return this.#prepareHeavy(ground, keyed);
    await this.#compileIn(ground.shared, keyed);
    return { open: () => this.#open(ground.shared, keyed), release: () => undefined };
  }

  async warm(): Promise<void> {
    const prepared = await this.prepare(anyObject);
    prepared.open().close();
    prepared.release();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#heavy) if (timer !== null) clearTimeout(timer);
    await Promise.all([this.#trial?.close(), ...this.#lanes.map((lane) => lane.close())]);
  }

  #getGround(): Promise<Ground> {
    this.#ground ??= this.#makeGround().catch((error: unknown) => {
      this.#ground = null;
      throw error;
    });
    return this.#ground;
  }

  async #makeGround(): Promise<Ground> {
    const vocabulary = await readVocabularySlowly(this.#vocabulary);
    if (this.#closed) throw new ParlanceError('internal', 'The engine has closed.');
    const options = { module: this.#module, vocabulary, limits: this.#limits };
    const trial = (this.#trial ??= new TrialLanes({ ...options, trie: null }));
    const trie = await trial.makeTrie();
    return { vocabulary, trial, trie, shared: this.#createLane({ ...options, trie }) };
  }

  #createLane(options: LaneOptions): Lane {
    const lane = new Lane(options);
    this.#lanes.push(lane);
    return lane;
  }

  /** How long the spec takes to compile; refusals are remembered too. */
  #try(trial: TrialLanes, spec: KeyedSpec): Promise<number> {
    const known = this.#tried.get(spec.key);
    this.#tried.delete(spec.key);
    const tried = known ?? timeOf(trial, spec);
    this.#tried.set(spec.key, tried);
    tried.catch((error: unknown) => {
      // What is not the spec's fault may go well the next time.
      const refused = error instanceof ParlanceError && error.reason === 'invalid_constraint';
      if (!refused) this.#tried.delete(spec.key);
      // Nor for ever: a busy machine may have been what took so long.
      else setTimeout(() => this.#forget(spec.key, tried), refusalMilliseconds).unref();
    });
    for (const oldest of this.#tried.keys()) {
      if (this.#tried.size <= mostTried) break;
      this.#tried.delete(oldest);
    }
    return tried;
  }

  #forget(key: string, tried: Promise<number>): void {
    if (this.#tried.get(key) === tried) this.#tried.delete(key);
  }

  /** A spec that compiles, in a lane with texts. */
  async #compileIn(lane: Lane, spec: KeyedSpec): Promise<void> {
    try {
      await lane.compile(spec);
    } catch (error) {
      // Another text may have ended the lane meanwhile; its next worker knows nothing of that.
      if (!(error instanceof ParlanceError) || error.reason !== 'constraint_not_met') throw error;
      await lane.compile(spec);
    }
  }

  async #prepareHeavy(ground: Ground, spec: KeyedSpec): Promise<PreparedConstraint> {
    const heavy = this.#heavyLane(ground, spec.key);
    heavy.users += 1;
    const leave = (): void => {
      heavy.users -= 1;
      this.#closeIdle(heavy);
    };
    try {
      await this.#compileIn(heavy.lane, spec);
    } catch (error) {
      leave();
      throw error;
    }
    let released = false;
    return {
      open: () => this.#open(heavy.lane, spec),
      release: () => {
        if (!released) leave();
        released = true;
      },
    };
  }

  #heavyLane(ground: Ground, key: string): HeavyLane {
    const same = this.#heavy.find((heavy) => heavy.key === key);
    const found =
      same ??
      (this.#heavy.length < mostHeavyLanes
        ? null
        : this.#heavy.toSorted((a, b) => a.users + a.lane.texts - b.users - b.lane.texts)[0]);
    if (found !== null && found !== undefined) {
      if (found.timer !== null) clearTimeout(found.timer);
      found.timer = null;
      return found;
    }
    const { vocabulary, trie } = ground;
    const options = { module: this.#module, vocabulary, limits: this.#limits, trie };
    const fresh = { key, lane: this.#createLane(options), users: 0, timer: null };
    this.#heavy.push(fresh);
    return fresh;
  }

  #closeIdle(heavy: HeavyLane): void {
    if (heavy.users > 0 || heavy.timer !== null || this.#closed) return;
    heavy.timer = setTimeout(() => {
      heavy.timer = null;
      if (heavy.users > 0) return;
      if (heavy.lane.texts > 0) {
        this.#closeIdle(heavy);
        return;
      }
      this.#heavy.splice(this.#heavy.indexOf(heavy), 1);
      this.#lanes = this.#lanes.filter((lane) => lane !== heavy.lane);
      void heavy.lane.close();
    }, idleMilliseconds);
    heavy.timer.unref();
  }

  #open(lane: Lane, spec: KeyedSpec): LaneSession {
    const memory = this.#spare.pop() ?? ViewMemory.create(this.#words);
    memory.clear();
    this.#lastSession += 1;
    const id = this.#lastSession;
    lane.open(id, spec, memory, () => {
      // A text that ended with its lane may still be read; only what was closed is used again.
      if (session.isClosed && this.#spare.length < mostSpare) this.#spare.push(memory);
    });
    const session = new LaneSession(lane, id, memory, this.#vocabulary);
    return session;
  }
}

/** Code that runs for the first time is slow: what seems heavy is tried once more. */
async function timeOf(trial: TrialLanes, spec: KeyedSpec): Promise<number> {
  const first = await trial.compile(spec);
  if (first <= heavyMilliseconds || first > 10 * heavyMilliseconds) return first;
  return Math.min(first, await trial.compile(spec));
}

function keyOf(spec: ConstraintSpec): string {
  const text = JSON.stringify(spec);
  return text.length < 200 ? text : createHash('sha256').update(text).digest('base64');
}
