/**
 * Which sequences get draft tokens in a pass, and how many: guesses of the request's own text first,
 * else a draft model's, and only as far as it is likely to be faster. The batch planner asks it and
 * tells it how long passes take; the scheduler tells it what became of the drafts.
 */

import { startPassCost, stepPassCost, type PassCost } from '../pass-cost.ts';
import {
  chooseDrafts,
  mostDraftTokens,
  startAcceptance,
  stepAcceptance,
  type Acceptance,
  type DraftChance,
} from '../speculation/index.ts';
import type { Sequence } from './sequence.ts';

/** What a pass has room for. */
export interface DraftRoom {
  /** Draft tokens, over all sequences. */
  readonly tokens: number;
  /** Tokens that a slot holds. */
  readonly context: number;
}

/** A small model that guesses what the large one will say. */
export interface DraftSource {
  /** Up to so many tokens for each sequence; milliseconds count as part of the pass. */
  draft(wanted: ReadonlyMap<Sequence, number>): ReadonlyMap<Sequence, readonly number[]>;
}

/** Where the drafts of a pass come from: the request's own text, or the draft model. */
type Kind = 'text' | 'model';

/** Steps between two tries of a draft model that was not worth it: at first, and once it is known. */
const modelPatience = { first: 8, later: 256 } as const;
const modelIsKnownAfter = 4;
/** Verdicts that other sequences' drafts count for in a new one's. */
const expectedOfOthers = 6;

export class Speculator {
  readonly #model: DraftSource | null;
  readonly #acceptance = new WeakMap<Sequence, Acceptance>();
  /** Of all sequences together: what a new one is expected to be like. */
  #textAcceptance: Acceptance = startAcceptance();
  /** How good a draft model is depends little on the request, and a try of it is dear: one for all. */
  #modelAcceptance: Acceptance = startAcceptance();
  #modelPasses = 0;
  /** By the number of sequences that decode: their passes are made up differently. */
  readonly #costs = { text: new Map<number, PassCost>(), model: new Map<number, PassCost>() };
  readonly #now: () => number;
  #last: { readonly kind: Kind; readonly ms: number } = { kind: 'text', ms: 0 };

  constructor(model: DraftSource | null, now: () => number) {
    this.#model = model;
    this.#now = now;
  }

  /** Puts drafts into the sequences, all of which have one token pending. */
  draft(decoding: readonly Sequence[], room: DraftRoom): void {
    const begin = this.#now();
    for (const sequence of decoding) sequence.drafts = [];
    const allowed = decoding.map((sequence) => mostFor(sequence, room.context));
    const fromText = this.#draftFromText(decoding, room.tokens, allowed);
    if (!fromText) this.#draftFromModel(decoding, room.tokens, allowed);
    this.#last = { kind: fromText ? 'text' : 'model', ms: this.#now() - begin };
  }

  /** How long a pass took in which so many sequences decoded, with so many drafts in all. */
  observe(decoding: number, drafts: number, ms: number): void {
    const { kind, ms: drafting } = this.#last;
    // Time that brought no drafts is no part of what a pass without them takes.
    const pass = { tokens: decoding + drafts, ms: ms + (drafts > 0 ? drafting : 0) };
    for (const costs of drafts > 0 ? [this.#costs[kind]] : Object.values(this.#costs)) {
      costs.set(decoding, stepPassCost(costs.get(decoding) ?? startPassCost(), pass));
    }
  }

  /** What became of the drafts of the last pass. */
  judge(sequence: Sequence, verified: number, accepted: number): void {
    if (this.#last.kind === 'model') this.#judgeModel(verified, accepted);
    else this.#judgeText(sequence, verified, accepted);
  }

  #draftFromText(decoding: readonly Sequence[], room: number, allowed: readonly number[]): boolean {
    const offers = decoding.map((sequence, index) => {
      const most = allowed[index] ?? 0;
      return most < 1 ? [] : sequence.request.driver.draft(sequence, most);
    });
    const chances = offers.map((tokens, index) => {
      const acceptance = this.#acceptanceOf(decoding[index]);
      // A try holds up everybody, so the more there are the more rarely each of them has one.
      const patience = acceptance.patience * decoding.length;
      return { acceptance: { ...acceptance, patience }, available: tokens.length };
    });
    const counts = this.#choose('text', room, chances);
    decoding.forEach((sequence, index) => {
      const tokens = offers[index] ?? [];
      const count = counts[index] ?? 0;
      if (tokens.length > 0 && count === 0) this.#judgeText(sequence, 0, 0);
      sequence.drafts = tokens.slice(0, count);
    });
    return counts.some((count) => count > 0);
  }

  #draftFromModel(decoding: readonly Sequence[], room: number, allowed: readonly number[]): void {
    if (this.#model === null) return;
    const acceptance = this.#modelAcceptance;
    const chances = allowed.map((most) => ({ acceptance, available: Math.max(0, most) }));
    const counts = this.#choose('model', room, chances);
    const wanted = new Map<Sequence, number>();
    decoding.forEach((sequence, index) => {
      const count = counts[index] ?? 0;
      if (count > 0) wanted.set(sequence, count);
    });
    if (wanted.size === 0) {
      this.#judgeModel(0, 0);
      return;
    }
    this.#modelPasses += 1;
    for (const [sequence, tokens] of this.#model.draft(wanted)) sequence.drafts = tokens;
  }

  #choose(kind: Kind, room: number, chances: readonly DraftChance[]): readonly number[] {
    const decoding = chances.length;
    const cost = this.#costs[kind].get(decoding) ?? startPassCost();
    return chooseDrafts({ tokens: decoding, room, decoding, cost }, chances);
  }

  #judgeText(sequence: Sequence, verified: number, accepted: number): void {
    const before = this.#acceptanceOf(sequence);
    this.#textAcceptance = stepAcceptance(this.#textAcceptance, verified, accepted);
    this.#acceptance.set(sequence, stepAcceptance(before, verified, accepted));
  }

  #judgeModel(verified: number, accepted: number): void {
    const { first, later } = modelPatience;
    const patience = this.#modelPasses < modelIsKnownAfter ? first : later;
    this.#modelAcceptance = {
      ...stepAcceptance(this.#modelAcceptance, verified, accepted),
      patience,
    };
  }

  #acceptanceOf(sequence: Sequence | undefined): Acceptance {
    const known = sequence === undefined ? undefined : this.#acceptance.get(sequence);
    if (known !== undefined) return known;
    const { taken, judged } = this.#textAcceptance;
    if (judged < expectedOfOthers) return startAcceptance();
    const share = taken / judged;
    return { ...startAcceptance(), taken: share * expectedOfOthers, judged: expectedOfOthers };
  }
}

/** Draft tokens that the slot and the request's limit have room for. */
function mostFor(sequence: Sequence, context: number): number {
  const room = sequence.request.driver.room(sequence);
  return Math.min(mostDraftTokens, context - sequence.computed - 1, room);
}
