/**
 * What the next pass computes: which waiting sequences get a slot now, how many prompt tokens each one
 * may take, which drafts are verified. The scheduler asks it before every pass and tells it afterwards
 * how long the pass took.
 */

import type { Decoder, TokenRun } from '../llama/decoder.ts';
import { passMilliseconds, startPassCost, stepPassCost } from '../pass-cost.ts';
import {
  isLong,
  promptBudget,
  sharePrompt,
  type PromptBudget,
  type StepCosts,
} from './batch-policy.ts';
import { commonBeginning } from './beginnings.ts';
import type { EngineCounters } from './engine-counters.ts';
import type { Sequence } from './sequence.ts';
import type { SlotTable } from './slot-table.ts';
import type { Speculator } from './speculator.ts';
import { chooseVictims, inOrder, type WaitingQueue } from './waiting-queue.ts';

export interface PlannedRun extends TokenRun {
  readonly sequence: Sequence;
}

export interface BatchPlannerOptions {
  readonly decoder: Decoder;
  readonly slots: SlotTable;
  readonly queue: WaitingQueue;
  readonly counters: EngineCounters;
  readonly speculator: Speculator | null;
  /** Most bytes of the states of sequences that gave up their slots. */
  readonly parkedBytes: number;
}

/** Waiting for another to compute a beginning is worth it from so many tokens on. */
const leastShared = 8;
/** So many waiting sequences are looked at in a step, however long the queue is. */
const lookedThrough = 256;

/** A sequence that waits until another one has computed what both begin with. */
interface Wait {
  readonly leader: Sequence;
  readonly length: number;
}

export class BatchPlanner {
  readonly #decoder: Decoder;
  readonly #slots: SlotTable;
  readonly #queue: WaitingQueue;
  readonly #counters: EngineCounters;
  readonly #speculator: Speculator | null;
  readonly #parkedBytes: number;
  readonly #waits = new WeakMap<Sequence, Wait>();
  #costs: StepCosts = { decoding: startPassCost(), prompts: startPassCost() };

  constructor(options: BatchPlannerOptions) {
    this.#decoder = options.decoder;
    this.#slots = options.slots;
    this.#queue = options.queue;
    this.#counters = options.counters;
    this.#speculator = options.speculator;
    this.#parkedBytes = options.parkedBytes;
  }

  /** Runs in ascending order of their slots; none only where nothing runs and nothing waits. */
  plan(): PlannedRun[] {
    const shares = new Map<Sequence, number>();
    const running = this.#running();
    const prompts = running.filter(({ prefilling }) => prefilling);
    const decoding = running
      .filter(({ prefilling }) => !prefilling)
      .reduce((sum, { forced }) => sum + 1 + forced.length, 0);
    for (const sequence of prompts) shares.set(sequence, 0);
    const shortWaits = this.#shortWaits(prompts);
    const budget = promptBudget(this.#decoder.batchTokens, { decoding, shortWaits }, this.#costs);
    this.#share(budget, prompts, shares);
    this.#slots.closeHoles();
    const runs = this.#running();
    this.#draft(runs);
    return runs.flatMap((sequence) => toRun(sequence, shares.get(sequence) ?? sequence.pending));
  }

  /** How long the pass over these runs took. */
  observe(runs: readonly PlannedRun[], ms: number): void {
    const decoding = runs.filter(({ tokens }) => tokens.length === 1).length;
    const tokens = runs.reduce((sum, run) => sum + run.tokens.length, 0) - decoding;
    const drafts = runs.reduce((sum, { sequence }) => sum + sequence.drafts.length, 0);
    if (drafts > 0) {
      this.#speculator?.observe(runs.length, drafts, ms);
    } else if (tokens === 0) {
      this.#costs = {
        ...this.#costs,
        decoding: stepPassCost(this.#costs.decoding, { tokens: decoding, ms }),
      };
      this.#speculator?.observe(runs.length, 0, ms);
    } else {
      const usual = decoding === 0 ? 0 : (passMilliseconds(this.#costs.decoding, decoding) ?? 0);
      const pass = { tokens, ms: Math.max(ms - usual, 0) };
      this.#costs = { ...this.#costs, prompts: stepPassCost(this.#costs.prompts, pass) };
    }
  }

  #running(): Sequence[] {
    return this.#slots.owners().filter((one) => !one.idle && !awaitsConstraint(one));
  }

  /**
   * Prompts get on in the order of the queue, those that wait among those that have a slot: a sequence
   * gets its slot in the step that computes its first token, so no slot waits idle. A long prompt that
   * finds another one before it lets short ones pass.
   */
  #share(whole: PromptBudget, prompts: readonly Sequence[], shares: Map<Sequence, number>): void {
    let budget = whole;
    let hasSlots = true;
    for (const sequence of [...prompts, ...this.#queue.first(lookedThrough)].toSorted(inOrder)) {
      if (budget.free <= 0) return;
      // What is forced behind a prompt comes with its last piece.
      const free = budget.free - sequence.forced.length;
      if (free <= 0) continue;
      if (sequence.slot === null) {
        if (!hasSlots || awaitsConstraint(sequence) || this.#waitsForOther(sequence)) continue;
        if (budget.long <= 0 && this.#isLong(sequence)) continue;
        hasSlots = this.#makeRoom(sequence) && this.#give(sequence);
        if (!hasSlots) continue;
        // It has its slot, so it must get on, if only by a token.
        budget = { ...budget, long: Math.max(1, budget.long) };
      }
      const { share, left } = sharePrompt({ ...budget, free }, sequence.pending, sequence.long);
      shares.set(sequence, share);
      budget = left;
    }
  }

  /** A short prompt that could be computed in this step. */
  #shortWaits(prompts: readonly Sequence[]): boolean {
    if (prompts.some(({ long }) => !long)) return true;
    if (this.#slots.free === 0) return false;
    return this.#queue.first(lookedThrough).some(({ tokens }) => !isLong(tokens.length));
  }

  #isLong(sequence: Sequence): boolean {
    return isLong(sequence.tokens.length - this.#slots.available(sequence));
  }

  /** Takes slots from sequences of lower priority until there are enough. */
  #makeRoom(sequence: Sequence): boolean {
    const { driver, sequences } = sequence.request;
    const missing = (driver.together ? sequences.length : 1) - this.#slots.free;
    if (missing <= 0) return true;
    const victims = chooseVictims(this.#running(), sequence, missing);
    if (victims === null) return false;
    const states = this.#queue.list().flatMap(({ parked }) => parked ?? []);
    let bytes = states.reduce((sum, state) => sum + state.bytes, 0);
    for (const victim of victims) {
      this.#slots.park(victim, bytes < this.#parkedBytes);
      bytes += victim.parked?.bytes ?? 0;
      this.#queue.add(victim);
      this.#counters.add('preemptions', 1);
    }
    return true;
  }

  #give(sequence: Sequence): boolean {
    if (!this.#slots.take(sequence)) return false;
    const { request } = sequence;
    this.#queue.remove(sequence);
    sequence.long = isLong(sequence.pending);
    if (request.driver.together) {
      for (const other of request.sequences) if (other !== sequence) this.#slots.takeEmpty(other);
    }
    if (request.cachedTokens === null) {
      request.cachedTokens = Math.min(sequence.computed, request.promptTokens.length);
      this.#counters.add('promptTokens', request.promptTokens.length);
      this.#counters.add('cachedTokens', request.cachedTokens);
    }
    return true;
  }

  /** Twins: what one of them is computing, the others do not compute beside it. */
  #waitsForOther(sequence: Sequence): boolean {
    if (sequence.parked !== null || !this.#decoder.forgetsParts) return false;
    const wait = this.#waits.get(sequence);
    if (wait !== undefined && isComputing(wait)) return true;
    this.#waits.delete(sequence);
    const next = this.#findLeader(sequence);
    if (next === null) return false;
    this.#waits.set(sequence, next);
    return true;
  }

  #findLeader(sequence: Sequence): Wait | null {
    const limit = sequence.tokens.length - 1;
    const { namespace } = sequence.request;
    let best: Wait | null = null;
    for (const leader of this.#running()) {
      if (leader.request.namespace !== namespace || !leader.prefilling) continue;
      const length = commonBeginning(sequence.tokens, leader.tokens, limit);
      if (leader.computed >= length || length <= (best?.length ?? 0)) continue;
      best = { leader, length };
    }
    if (best === null || best.length - this.#slots.available(sequence) < leastShared) return null;
    return best;
  }

  /** Drafts are verified in steps without prompts: those are full. */
  #draft(runs: readonly Sequence[]): void {
    if (this.#speculator === null) return;
    const decoding = runs.filter((one) => !one.prefilling);
    if (decoding.length < runs.length) return;
    this.#speculator.draft(decoding, {
      tokens: Math.min(
        this.#decoder.batchTokens - decoding.length,
        this.#decoder.maxOutputs - decoding.length,
      ),
      context: this.#decoder.context,
    });
  }
}

const awaitsConstraint = (sequence: Sequence): boolean =>
  sequence.request.driver.constrained?.awaits(sequence) === true;

function isComputing({ leader, length }: Wait): boolean {
  return leader.slot !== null && !leader.done && leader.computed < length;
}

function toRun(sequence: Sequence, share: number): PlannedRun[] {
  if (sequence.slot === null || share === 0) return [];
  const { forced, drafts } = sequence;
  // Only what reaches its last known token goes beyond it.
  const whole = share >= sequence.pending;
  const outputs = whole ? 1 + forced.length + drafts.length : 0;
  return [
    {
      sequence,
      slot: sequence.slot,
      position: sequence.computed,
      tokens: whole
        ? sequence.nextTokens(share)
        : sequence.tokens.slice(sequence.computed, sequence.computed + share),
      outputs,
    },
  ];
}
