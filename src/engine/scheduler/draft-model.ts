/**
 * A small model of the same vocabulary that guesses ahead, greedily. It has a decoder of its own, in
 * which each sequence that it guesses for keeps a slot as long as there are enough.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder, TokenRun } from '../llama/decoder.ts';
import { commonBeginning } from './beginnings.ts';
import type { Sequence } from './sequence.ts';
import type { DraftSource } from './speculator.ts';

interface DraftSlot {
  sequence: WeakRef<Sequence> | null;
  tokens: number[];
  lastUse: number;
}

/** One sequence in one round of guessing. */
interface Guess {
  readonly slot: number;
  /** What the sequence says, and then the guesses. */
  readonly tokens: number[];
  readonly end: number;
  readonly drafts: number[];
}

/** Who has more than this to read before it can guess does it piece by piece, one in each round. */
const mostUnread = 32;

export class DraftModel implements DraftSource {
  readonly #decoder: Decoder;
  readonly #slots: DraftSlot[];
  #clock = 0;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
    this.#slots = Array.from({ length: decoder.slots }, () => ({
      sequence: null,
      tokens: [],
      lastUse: 0,
    }));
  }

  /** A guess that fails is no guess: the answer does not depend on it. */
  draft(wanted: ReadonlyMap<Sequence, number>): Map<Sequence, readonly number[]> {
    const guesses = new Map<Sequence, Guess>();
    for (const [sequence, count] of [...wanted].slice(0, this.#slots.length)) {
      if (sequence.tokens.length + count > this.#decoder.context) continue;
      const slot = this.#slotOf(sequence, new Set([...guesses.values()].map((one) => one.slot)));
      const end = sequence.tokens.length + count;
      guesses.set(sequence, { slot, tokens: [...sequence.tokens], end, drafts: [] });
    }
    this.#cutWrongTails(guesses.values());
    // Nobody's text is to stand still while a long prompt is read.
    const { unread = [], read = [] } = Object.groupBy(guesses.values(), (guess) =>
      this.#unread(guess) > mostUnread ? 'unread' : 'read',
    );
    if (unread.length > 0) this.#advance(unread);
    while (this.#advance(read));
    return new Map([...guesses].map(([sequence, { drafts }]) => [sequence, drafts]));
  }

  close(): void {
    this.#decoder.close();
  }

  #unread({ slot, tokens }: Guess): number {
    return tokens.length - (this.#slots[slot]?.tokens.length ?? 0);
  }

  #slotOf(sequence: Sequence, taken: ReadonlySet<number>): number {
    this.#clock += 1;
    let slot = this.#slots.findIndex((one) => one.sequence?.deref() === sequence);
    if (slot === -1 || taken.has(slot)) {
      slot = -1;
      this.#slots.forEach((one, index) => {
        if (taken.has(index)) return;
        if (slot === -1 || one.lastUse < (this.#slots[slot]?.lastUse ?? 0)) slot = index;
      });
    }
    const held = this.#slots[slot];
    if (held === undefined) throw new ParlanceError('internal', 'The draft model has no slot.');
    held.sequence = new WeakRef(sequence);
    held.lastUse = this.#clock;
    return slot;
  }

  #clear(slot: number): void {
    this.#decoder.seqRemove(slot, 0);
    const held = this.#slots[slot];
    if (held !== undefined) held.tokens.length = 0;
  }

  #cutWrongTails(guesses: Iterable<Guess>): void {
    for (const { slot, tokens } of guesses) {
      const held = this.#slots[slot];
      if (held === undefined) continue;
      const length = commonBeginning(held.tokens, tokens, tokens.length - 1);
      if (length === held.tokens.length) continue;
      const cut = this.#decoder.seqRemove(slot, length);
      if (!cut) this.#decoder.seqRemove(slot, 0);
      held.tokens.length = cut ? length : 0;
    }
  }

  /** One pass for all that still want tokens; false when there is nothing to do, or it failed. */
  #advance(guesses: readonly Guess[]): boolean {
    let free = this.#decoder.batchTokens;
    const runs: (TokenRun & { readonly guess: Guess })[] = [];
    for (const guess of guesses.toSorted((a, b) => a.slot - b.slot)) {
      const position = this.#slots[guess.slot]?.tokens.length ?? 0;
      const pending = guess.tokens.length - position;
      if (guess.tokens.length >= guess.end || free === 0) continue;
      const share = Math.min(free, pending);
      free -= share;
      const tokens = guess.tokens.slice(position, position + share);
      const outputs = share === pending ? 1 : 0;
      runs.push({ guess, slot: guess.slot, position, tokens, outputs });
    }
    if (runs.length === 0) return false;
    if (this.#decoder.decode(runs, null) !== 0) {
      for (const { slot } of runs) this.#clear(slot);
      return false;
    }
    runs.forEach(({ guess, tokens, outputs }, index) => {
      this.#slots[guess.slot]?.tokens.push(...Array.from(tokens));
      if (outputs === 0) return;
      const token = likeliest(this.#decoder.logits(index, 0));
      guess.tokens.push(token);
      guess.drafts.push(token);
    });
    return true;
  }
}

function likeliest(row: Float32Array): number {
  let best = 0;
  for (let token = 1; token < row.length; token += 1) {
    if ((row[token] ?? 0) > (row[best] ?? 0)) best = token;
  }
  return best;
}
