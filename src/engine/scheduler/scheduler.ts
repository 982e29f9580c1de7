/**
 * Continuous batching: takes requests in the order they come, gives their choices slots, and makes
 * one pass after the other over everything that runs. `main.ts` owns one and calls `step` while there
 * is work; what is to be told comes back as messages. It does no I/O and never waits.
 *
 * Every accepted request ends exactly once: its last choice finishes, it is cancelled, or it fails;
 * its slots are free in that same moment.
 */

import { asParlanceError, ParlanceError } from '../../contract/errors.ts';
import type { Decoder, TokenRun } from '../llama/decoder.ts';
import type { ChoiceStep, EngineLoad, FromEngine, GenerateRequest } from '../protocol.ts';
import { createActiveRequest } from './active-request.ts';
import { admitRequest } from './admission.ts';
import { promptBudget, sharePrefill } from './batch-policy.ts';
import type { ActiveRequest, Sequence } from './sequence.ts';
import { SlotTable } from './slot-table.ts';

export interface SchedulerOptions {
  readonly decoder: Decoder;
  /** Requests that may wait beside the running ones. */
  readonly maxWaiting: number;
  /** Told of what a rejection hides from the user. */
  readonly onFault?: (error: unknown) => void;
}

interface PlannedRun extends TokenRun {
  readonly sequence: Sequence;
}

export class Scheduler {
  readonly #decoder: Decoder;
  readonly #maxWaiting: number;
  readonly #onFault: (error: unknown) => void;
  readonly #slots: SlotTable;
  readonly #requests = new Map<number, ActiveRequest>();
  /** Those of them that have not begun. */
  readonly #waiting = new Set<ActiveRequest>();
  /** Choices without a slot, oldest request first. */
  #queue: Sequence[] = [];

  constructor(options: SchedulerOptions) {
    this.#decoder = options.decoder;
    this.#maxWaiting = options.maxWaiting;
    this.#onFault = options.onFault ?? (() => {});
    this.#slots = new SlotTable(options.decoder);
  }

  get hasWork(): boolean {
    return this.#requests.size > 0;
  }

  get load(): EngineLoad {
    const waiting = this.#waiting.size;
    return { running: this.#requests.size - waiting, waiting };
  }

  /** Tokenises and queues a request; answers `accepted` or `rejected`. */
  submit(id: number, request: GenerateRequest): FromEngine {
    try {
      if (this.#requests.has(id)) throw new ParlanceError('internal', `Request ${id} is there.`);
      const admission = admitRequest(request, this.#decoder.vocabulary, this.#decoder.context);
      if (!request.dryRun) {
        this.#checkRoom();
        const active = createActiveRequest(id, request, admission);
        this.#requests.set(id, active);
        this.#waiting.add(active);
        this.#queue.push(...active.sequences);
      }
      return { type: 'accepted', id, accepted: admission.accepted, load: this.load };
    } catch (error) {
      return this.#reject(id, error);
    }
  }

  /** Frees all that the request holds. An unknown or finished one is answered alike. */
  cancel(id: number): FromEngine {
    this.#end(id);
    return { type: 'released', id, load: this.load };
  }

  /** One pass over everything that runs; the messages are what it made, in order. */
  step(): FromEngine[] {
    const runs = this.#planRuns();
    if (runs.length === 0) return [];
    const status = this.#decode(runs);
    if (status !== null) return this.#failAll(runs, status);
    const choices: ChoiceStep[] = [];
    const messages: FromEngine[] = [];
    runs.forEach((run, index) => {
      const { sequence } = run;
      sequence.cachedTokens += run.tokens.length;
      if (run.outputs === 0 || sequence.slot === null) return;
      try {
        choices.push(...this.#advance(sequence, index));
      } catch (error) {
        this.#end(sequence.request.id);
        messages.push(this.#reject(sequence.request.id, error));
      }
    });
    if (choices.length > 0) messages.unshift({ type: 'step', choices, load: this.load });
    return messages;
  }

  /** Throws `internal` where the books do not balance; tests call it after every step. */
  checkIntegrity(): void {
    this.#slots.checkIntegrity();
    const known = (request: ActiveRequest) => this.#requests.get(request.id) === request;
    const sequences = [...this.#requests.values()].flatMap((request) => request.sequences);
    const owners = this.#slots.owners();
    const queued = new Set(this.#queue);
    const alive = sequences.filter(({ done }) => !done);
    const balanced =
      queued.size === this.#queue.length &&
      owners.length + queued.size === alive.length &&
      alive.every((sequence) => queued.has(sequence) === (sequence.slot === null)) &&
      [...owners, ...queued].every(({ request }) => known(request)) &&
      this.#slots.leavers().every(known) &&
      [...this.#waiting].every(known);
    if (!balanced)
      throw new ParlanceError('internal', 'The scheduler lost count of its sequences.');
  }

  #checkRoom(): void {
    const waiting = this.#waiting.size;
    const freeSlots = this.#decoder.slots - this.#slots.owners().length;
    if (waiting < this.#maxWaiting + freeSlots) return;
    throw new ParlanceError(
      'queue_full',
      `${waiting} requests are waiting for this model, which is the most it takes; try again later.`,
      { retryAfter: 1 },
    );
  }

  #planRuns(): PlannedRun[] {
    const shares = new Map<Sequence, number>();
    const running = this.#slots.owners();
    const prompts = running.filter(({ prefilling }) => prefilling);
    let free = promptBudget(this.#decoder.batchTokens, running.length - prompts.length);
    const split = sharePrefill(
      free,
      prompts.map(({ promptTokensLeft }) => ({ left: promptTokensLeft })),
    );
    prompts.forEach((sequence, index) => {
      const share = split[index] ?? 0;
      shares.set(sequence, share);
      free -= share;
    });
    this.#admit(free, shares);
    this.#slots.closeHoles();
    return this.#slots.owners().flatMap((sequence) => this.#toRun(sequence, shares.get(sequence)));
  }

  /** A choice gets its slot in the step that computes its first token, so no slot waits idle. */
  #admit(budget: number, shares: Map<Sequence, number>): void {
    let free = budget;
    while (free > 0) {
      const next = this.#queue[0];
      if (next === undefined || isPrefilling(next.request) || !this.#slots.take(next)) return;
      this.#queue.shift();
      this.#waiting.delete(next.request);
      const share = Math.min(free, next.promptTokensLeft);
      shares.set(next, share);
      free -= share;
    }
  }

  #toRun(sequence: Sequence, share: number | undefined): PlannedRun[] {
    if (sequence.slot === null || share === 0) return [];
    const tokens = sequence.nextTokens(share ?? 1);
    const position = sequence.cachedTokens;
    const ready = position + tokens.length >= sequence.request.promptTokens.length;
    return [{ sequence, slot: sequence.slot, position, tokens, outputs: ready ? 1 : 0 }];
  }

  /** Null when it worked, else why not. */
  #decode(runs: readonly PlannedRun[]): ParlanceError | null {
    let status: number;
    try {
      status = this.#decoder.decode(runs, null);
    } catch (cause) {
      return new ParlanceError('engine_failed', 'The engine failed on this request.', { cause });
    }
    if (status === 0) return null;
    const why = decodeFailures.get(status) ?? `status ${status}`;
    return new ParlanceError('engine_failed', `The engine failed on this request: ${why}.`);
  }

  #failAll(runs: readonly PlannedRun[], error: ParlanceError): FromEngine[] {
    const ids = new Set(runs.map(({ sequence }) => sequence.request.id));
    for (const id of ids) this.#end(id);
    return [...ids].map((id) => this.#reject(id, error));
  }

  #advance(sequence: Sequence, run: number): ChoiceStep[] {
    const { request } = sequence;
    const part = sequence.advance(this.#decoder.logits(run, 0), this.#decoder.vocabulary);
    if (sequence.done) this.#finish(sequence);
    return Array.from({ length: request.copies }, (_, copy) => ({
      id: request.id,
      choice: sequence.choice + copy,
      ...part,
    }));
  }

  #finish(sequence: Sequence): void {
    const { request } = sequence;
    const siblingsWait = this.#queue.some((waiting) => waiting.request === request);
    this.#slots.release(sequence, siblingsWait);
    if (request.sequences.every(({ done }) => done)) this.#end(request.id);
  }

  #end(id: number): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    this.#waiting.delete(request);
    this.#queue = this.#queue.filter((sequence) => sequence.request !== request);
    for (const sequence of request.sequences) {
      sequence.done = true;
      this.#slots.release(sequence, false);
    }
    this.#slots.forget(request);
  }

  #reject(id: number, error: unknown): FromEngine {
    const { reason, message, param, cause } = asParlanceError(error);
    if (cause !== undefined) this.#onFault(cause);
    return { type: 'rejected', id, reason, message, param, load: this.load };
  }
}

const decodeFailures: ReadonlyMap<number, string> = new Map([
  [1, 'there is no room left in its memory'],
  [2, 'the pass was aborted'],
  [-1, 'the library refused the batch'],
  [-2, 'the machine is out of memory'],
  [-3, 'the computation failed'],
]);

/** While one sibling computes the prompt the others wait for it, and whoever is behind them too. */
function isPrefilling(request: ActiveRequest): boolean {
  return request.sequences.some(
    ({ slot, promptTokensLeft }) => slot !== null && promptTokensLeft > 1,
  );
}
