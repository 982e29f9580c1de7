/**
 * Continuous batching: takes requests, gives their sequences slots in the order of the queue, and makes
 * one pass after the other over everything that runs. `main.ts` owns one and calls `step` while there
 * is work; what is to be told comes back as messages. It does no I/O and never waits.
 *
 * Every accepted request ends exactly once: its last choice finishes, it is cancelled, or it fails;
 * its slots are free in that same moment.
 */

import { asParlanceError, ParlanceError } from '../../contract/errors.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { PrefixCache } from '../prefix-cache/index.ts';
import type {
  ChoiceStep,
  EngineLoad,
  EngineStats,
  FromEngine,
  GenerateRequest,
} from '../protocol.ts';
import type { PreparedConstraint } from '../constraints/index.ts';
import type { ActiveRequest, Ready } from './active-request.ts';
import { Adapters } from './adapters.ts';
import { admitRequest } from './admission.ts';
import { BatchPlanner, type PlannedRun } from './batch-planner.ts';
import { checkBooks } from './check-books.ts';
import { forcedInPass } from './constrained-choice.ts';
import { createRequest } from './create-request.ts';
import { EngineCounters } from './engine-counters.ts';
import { HeldContexts, invalidHandle, type HeldContext, type HeldLimits } from './held-contexts.ts';
import { runPass } from './run-pass.ts';
import type { Sequence } from './sequence.ts';
import { settleConstraints } from './settle-constraints.ts';
import { SlotTable } from './slot-table.ts';
import { Speculator, type DraftSource } from './speculator.ts';
import { toSteps } from './to-steps.ts';
import { WaitingQueue } from './waiting-queue.ts';

export interface SchedulerOptions {
  readonly decoder: Decoder;
  /** Requests that may wait beside the running ones. */
  readonly maxWaiting: number;
  readonly cache?: PrefixCache | null;
  readonly held?: HeldLimits;
  readonly speculation?: boolean;
  readonly draftModel?: DraftSource | null;
  /** Told of what a rejection hides from the user. */
  readonly onFault?: (error: unknown) => void;
  /** Milliseconds of any clock that only goes forward. */
  readonly now?: () => number;
}

const statsEveryMs = 1000;
const defaultHeld: HeldLimits = { contexts: 64, bytes: 1e9 };

export class Scheduler {
  readonly #decoder: Decoder;
  readonly #maxWaiting: number;
  readonly #onFault: (error: unknown) => void;
  readonly #now: () => number;
  readonly #cache: PrefixCache | null;
  readonly #slots: SlotTable;
  readonly #adapters: Adapters;
  readonly #held: HeldContexts;
  readonly #speculator: Speculator | null;
  readonly #planner: BatchPlanner;
  readonly #counters = new EngineCounters();
  readonly #requests = new Map<number, ActiveRequest>();
  readonly #queue = new WaitingQueue();
  #arrivals = 0;
  /** Tokens generated in this step. */
  #generated = 0;
  #lastStats = Number.NEGATIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    const { decoder } = options;
    this.#decoder = decoder;
    this.#maxWaiting = options.maxWaiting;
    this.#onFault = options.onFault ?? (() => {});
    this.#now = options.now ?? (() => performance.now());
    this.#cache = options.cache ?? null;
    this.#slots = new SlotTable(decoder, this.#cache, this.#onFault);
    this.#adapters = new Adapters(decoder);
    const held = options.held ?? defaultHeld;
    this.#held = new HeldContexts(decoder.states, held);
    this.#speculator =
      options.speculation === true ? new Speculator(options.draftModel ?? null, this.#now) : null;
    this.#planner = new BatchPlanner({
      decoder,
      slots: this.#slots,
      queue: this.#queue,
      counters: this.#counters,
      speculator: this.#speculator,
      parkedBytes: held.bytes,
    });
  }

  get hasWork(): boolean {
    return this.#requests.size > 0;
  }

  get load(): EngineLoad {
    const running = [...this.#requests.values()].filter(hasBegun).length;
    return { running, waiting: this.#requests.size - running };
  }

  /** Tokenises and queues a request; answers `accepted` or `rejected`, and what can be told at once. */
  submit(
    id: number,
    asked: GenerateRequest,
    constraint: PreparedConstraint | null = null,
  ): FromEngine[] {
    try {
      if (this.#requests.has(id)) throw new ParlanceError('internal', `Request ${id} is there.`);
      const namespace = this.#adapters.namespaceOf(asked.adapter, asked.cacheSalt);
      const admission = admitRequest(asked, this.#decoder);
      if (asked.dryRun) {
        constraint?.release();
        return [{ type: 'accepted', id, accepted: admission.accepted, load: this.load }];
      }
      this.#checkRoom();
      if (asked.handover?.type === 'hold') this.#held.checkRoom(this.#now(), this.#countHolds());
      const context = this.#contextOf(asked, namespace, admission.promptTokens);
      const { request, told } = createRequest(asked, admission, {
        id,
        arrival: this.#arrivals,
        namespace,
        vocabulary: this.#decoder.vocabulary,
        contextTokens: this.#decoder.context,
        context,
        constraint,
        speculation: this.#speculator !== null,
        forcedInPass: forcedInPass(this.#decoder),
      });
      this.#arrivals += 1;
      this.#enter(request);
      if (asked.handover?.type === 'resume') this.#held.drop(asked.handover.context);
      const accepted: FromEngine = {
        type: 'accepted',
        id,
        accepted: admission.accepted,
        load: this.load,
      };
      const choices = toSteps(request, told);
      this.#endIfDone(request);
      return choices.length === 0
        ? [accepted]
        : [accepted, { type: 'step', choices, load: this.load }];
    } catch (error) {
      if (!this.#requests.has(id)) constraint?.release();
      return [this.#reject(id, error)];
    }
  }

  /** Frees all that the request holds. An unknown or finished one is answered alike. */
  cancel(id: number): FromEngine {
    this.#end(id, true);
    return { type: 'released', id, load: this.load };
  }

  /** One pass over everything that runs; the messages are what it made, in order. */
  step(): FromEngine[] {
    const begin = this.#now();
    this.#held.sweep(begin);
    const choices: ChoiceStep[] = [];
    const failures: FromEngine[] = [];
    this.#settle(choices, failures);
    const runs = this.#planner.plan();
    for (const group of Map.groupBy(runs, ({ sequence }) => sequence.request.adapter).values()) {
      this.#pass(group, choices, failures);
    }
    const end = this.#now();
    if (runs.length > 0) {
      this.#counters.addStep({ milliseconds: end - begin, generatedTokens: this.#generated });
      this.#generated = 0;
    }
    const load = this.load;
    return [
      ...(choices.length === 0 ? [] : [{ type: 'step', choices, load } as const]),
      ...failures,
      ...this.#statsWhenDue(end),
    ];
  }

  /** Work for a time without requests: keeps one leftover; false when there is none. */
  settle(): boolean {
    return this.#slots.saveOne();
  }

  /** Throws `invalid_adapter`. `identity` is the same for the same file only. */
  loadAdapter(name: string, path: string, identity: string): void {
    this.#adapters.load(name, path, identity);
  }

  /** Requests that run with it fail. */
  unloadAdapter(name: string): FromEngine[] {
    const users = [...this.#requests.values()].filter(({ adapter }) => adapter === name);
    const error = new ParlanceError('deployment_failed', `The adapter ${name} was removed.`);
    for (const { id } of users) this.#end(id, false);
    this.#adapters.unload(name);
    return users.map(({ id }) => this.#reject(id, error));
  }

  /** A held context as bytes for another engine; it is not held here any more. */
  exportContext(id: string): Uint8Array {
    const bytes = this.#held.encode(id, this.#now());
    this.#held.drop(id);
    return bytes;
  }

  /** Holds what another engine exported, for the request that brings it; its ID. */
  importContext(bytes: Uint8Array): string {
    const now = this.#now();
    this.#held.checkRoom(now);
    return this.#held.put(this.#held.decode(bytes), now + 1000);
  }

  get stats(): EngineStats {
    const { running, waiting } = this.load;
    const parked = this.#queue.list().flatMap((one) => one.parked ?? []);
    return {
      running,
      waiting,
      slots: this.#decoder.slots,
      slotsTaken: this.#decoder.slots - this.#slots.free,
      prefixBytes: this.#cache?.stats.bytes ?? 0,
      parkedBytes: parked.reduce((sum, { bytes }) => sum + bytes, 0),
      heldContexts: this.#held.size,
      heldBytes: this.#held.bytes,
      evictions: this.#cache?.stats.evictions ?? 0,
      ...this.#counters.read(),
    };
  }

  /** Throws `internal` where the books do not balance; tests call it after every step. */
  checkIntegrity(): void {
    this.#slots.checkIntegrity();
    this.#cache?.checkIntegrity();
    checkBooks(this.#requests, this.#slots.owners(), this.#queue);
  }

  #checkRoom(): void {
    const { waiting } = this.load;
    if (waiting < this.#maxWaiting + this.#slots.free) return;
    throw new ParlanceError(
      'queue_full',
      `${waiting} requests are waiting for this model, which is the most it takes; try again later.`,
      { retryAfter: 1 },
    );
  }

  /** Requests that will leave a context behind. */
  #countHolds(): number {
    return [...this.#requests.values()].filter((one) => one.holdMilliseconds !== null).length;
  }

  #contextOf(
    { handover }: GenerateRequest,
    namespace: string,
    promptTokens: readonly number[],
  ): HeldContext | null {
    if (handover?.type !== 'resume') return null;
    const context = this.#held.get(handover.context, this.#now());
    if (context.namespace !== namespace) {
      throw invalidHandle('the context was computed for another adapter or another cache_salt');
    }
    const same =
      context.promptTokens.length === promptTokens.length &&
      context.promptTokens.every((token, index) => token === promptTokens[index]);
    if (!same) throw invalidHandle('the context was computed for another prompt');
    return context;
  }

  #enter(request: ActiveRequest): void {
    this.#requests.set(request.id, request);
    for (const sequence of request.sequences) {
      if (!sequence.idle && !sequence.done) this.#queue.add(sequence);
    }
  }

  #pass(runs: readonly PlannedRun[], choices: ChoiceStep[], failures: FromEngine[]): void {
    const begin = this.#now();
    const fail = ({ id }: ActiveRequest, error: unknown, keep: boolean): void => {
      this.#end(id, keep);
      failures.push(this.#reject(id, error));
    };
    runPass(this.#decoder, runs, {
      failed: (request, error) => fail(request, error, false),
      done: (done) => this.#planner.observe(done, this.#now() - begin),
      ready: (request, ready) => {
        try {
          choices.push(...this.#advance(request, ready));
        } catch (error) {
          fail(request, error, true);
        }
      },
    });
  }

  #settle(choices: ChoiceStep[], failures: FromEngine[]): void {
    settleConstraints([...this.#requests.values()], this.#slots.owners(), {
      settled: (sequence, told, generated) => {
        const { request } = sequence;
        this.#generated += generated;
        this.#slots.trim(sequence);
        choices.push(...toSteps(request, told));
        this.#endIfDone(request);
      },
      failed: ({ request }, error) => {
        this.#end(request.id, true);
        failures.push(this.#reject(request.id, error));
      },
    });
  }

  #advance(request: ActiveRequest, ready: readonly Ready[]): ChoiceStep[] {
    const before = ready.map(({ sequence }) => ({
      sequence,
      drafts: sequence.drafts.length,
      tokens: sequence.tokens.length,
    }));
    const told = request.driver.advance(ready, (from, to) => {
      this.#slots.copy(from, to);
      to.follow(from);
    });
    for (const { sequence, drafts, tokens } of before) {
      this.#generated += sequence.tokens.length - tokens;
      if (drafts > 0) this.#judge(sequence, drafts, sequence.tokens.length - tokens - 1);
      this.#slots.trim(sequence);
    }
    const context = this.#hold(request);
    const steps = told.map((step, index) =>
      context !== null && index === told.length - 1 ? { ...step, context } : step,
    );
    const choices = toSteps(request, steps);
    this.#endIfDone(request);
    return choices;
  }

  #judge(sequence: Sequence, drafted: number, accepted: number): void {
    this.#speculator?.judge(sequence, drafted, accepted);
    this.#counters.add('draftTokens', drafted);
    this.#counters.add('acceptedDraftTokens', accepted);
  }

  /** Keeps the context of a request that asked for it and has its first token. */
  #hold({ sequences, holdMilliseconds, promptTokens, namespace }: ActiveRequest) {
    const [sequence] = sequences;
    if (holdMilliseconds === null || sequence === undefined || !sequence.done) return null;
    const state = this.#slots.save(sequence);
    const expires = this.#now() + holdMilliseconds;
    const id = this.#held.put({ promptTokens, state, namespace }, expires);
    return { id, firstTokens: sequence.tokens.slice(promptTokens.length) };
  }

  #endIfDone(request: ActiveRequest): void {
    for (const sequence of request.sequences.filter(({ done }) => done)) {
      this.#queue.remove(sequence);
      this.#slots.release(sequence, true);
    }
    if (request.sequences.every(({ done }) => done)) this.#end(request.id, true);
  }

  /** `keep`: what its slots hold is what it says, and may be of use. */
  #end(id: number, keep: boolean): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    request.driver.constrained?.close();
    this.#queue.removeAll(request);
    for (const sequence of request.sequences) {
      sequence.done = true;
      this.#slots.trim(sequence);
      this.#slots.release(sequence, keep);
    }
  }

  #reject(id: number, error: unknown): FromEngine {
    const { reason, message, param, cause } = asParlanceError(error);
    if (cause !== undefined && cause !== null) this.#onFault(cause);
    return { type: 'rejected', id, reason, message, param, load: this.load };
  }

  #statsWhenDue(now: number): FromEngine[] {
    if (this.hasWork && now - this.#lastStats < statsEveryMs) return [];
    this.#lastStats = now;
    return [{ type: 'stats', stats: this.stats }];
  }
}

/** It has, or had, a slot. */
const hasBegun = ({ sequences, cachedTokens }: ActiveRequest): boolean =>
  cachedTokens !== null || sequences.some(({ slot }) => slot !== null);
