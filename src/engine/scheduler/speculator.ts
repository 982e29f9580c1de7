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

interface Offer {
  readonly sequence: Sequence;
  /** Null: the draft model is asked when it is known how many are wanted. */
  readonly tokens: readonly number[] | null;
  readonly available: number;
}

export class Speculator {
  readonly #model: DraftSource | null;
  readonly #acceptance = new WeakMap<Sequence, Acceptance>();
  /** By the number of sequences that decode: their passes are made up differently. */
  readonly #costs = new Map<number, PassCost>();
  readonly #now: () => number;
  #drafting = 0;

  constructor(model: DraftSource | null, now: () => number) {
    this.#model = model;
    this.#now = now;
  }

  /** Puts drafts into the sequences, all of which have one token pending. */
  draft(decoding: readonly Sequence[], room: DraftRoom): void {
    const begin = this.#now();
    const offers = decoding.map((sequence) => this.#offer(sequence, room.context));
    const counts = chooseDrafts(
      {
        tokens: decoding.length,
        room: room.tokens,
        decoding: decoding.length,
        cost: this.#costs.get(decoding.length) ?? startPassCost(),
      },
      offers.map(({ sequence, available }) => ({
        acceptance: this.#acceptanceOf(sequence),
        available,
      })),
    );
    const asked = new Map<Sequence, number>();
    offers.forEach(({ sequence, tokens, available }, index) => {
      const count = counts[index] ?? 0;
      if (available > 0 && count === 0) this.judge(sequence, 0, 0);
      if (tokens === null && count > 0) asked.set(sequence, count);
      sequence.drafts = tokens?.slice(0, count) ?? [];
    });
    if (asked.size > 0) {
      for (const [sequence, tokens] of this.#model?.draft(asked) ?? []) sequence.drafts = tokens;
    }
    this.#drafting = this.#now() - begin;
  }

  /** How long a pass took in which so many sequences decoded, with so many drafts in all. */
  observe(decoding: number, drafts: number, ms: number): void {
    const cost = this.#costs.get(decoding) ?? startPassCost();
    // Time that brought no drafts is no part of what a pass without them takes.
    const pass = { tokens: decoding + drafts, ms: ms + (drafts > 0 ? this.#drafting : 0) };
    this.#costs.set(decoding, stepPassCost(cost, pass));
  }

  judge(sequence: Sequence, verified: number, accepted: number): void {
    const before = this.#acceptanceOf(sequence);
    this.#acceptance.set(sequence, stepAcceptance(before, verified, accepted));
  }

  #acceptanceOf(sequence: Sequence): Acceptance {
    return this.#acceptance.get(sequence) ?? startAcceptance();
  }

  #offer(sequence: Sequence, context: number): Offer {
    const most = Math.min(mostDraftTokens, context - sequence.computed - 1);
    const { driver } = sequence.request;
    const allowed = Math.min(most, driver.room(sequence));
    if (allowed < 1) return { sequence, tokens: [], available: 0 };
    const tokens = driver.draft(sequence, allowed);
    if (tokens.length > 0 || this.#model === null) {
      return { sequence, tokens, available: tokens.length };
    }
    return { sequence, tokens: null, available: allowed };
  }
}
