/**
 * Who holds which slot of the decoder, and what finished sequences left in free slots for siblings
 * that still wait. The scheduler is its only user. All changes to the KV cache, but for decoding,
 * are made here, so that what the table says and what the library holds agree.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { ActiveRequest, Sequence } from './sequence.ts';
import { lowestFreeSlot, planMoves } from './slot-policy.ts';

interface Slot {
  owner: Sequence | null;
  /** The request whose prompt lies in this free slot. */
  leftBy: ActiveRequest | null;
}

export class SlotTable {
  readonly #decoder: Decoder;
  readonly #slots: Slot[];

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
    this.#slots = Array.from({ length: decoder.slots }, () => ({ owner: null, leftBy: null }));
  }

  /** Sequences in slots, in ascending order of their slots. */
  owners(): Sequence[] {
    return this.#slots.flatMap(({ owner }) => (owner === null ? [] : [owner]));
  }

  /**
   * Gives the sequence a slot, with as much of its prompt as a sibling has computed; the prompt's
   * last token is always computed anew, for its logits. False when every slot is taken.
   */
  take(sequence: Sequence): boolean {
    const { request } = sequence;
    const left = this.#slots.findIndex(({ leftBy }) => leftBy === request);
    const index = left === -1 ? lowestFreeSlot(this.#taken()) : left;
    if (index === null) return false;
    if (left === -1) {
      this.#clear(index);
      const sibling = this.#longestSibling(request);
      if (sibling?.slot != null) this.#decoder.seqCopy(sibling.slot, index);
    }
    this.#slots[index] = { owner: sequence, leftBy: null };
    sequence.slot = index;
    sequence.cachedTokens = this.#cut(index, request.promptTokens.length - 1);
    return true;
  }

  /** Frees the sequence's slot; with `keep`, what it holds stays for a sibling that waits. */
  release(sequence: Sequence, keep: boolean): void {
    const index = sequence.slot;
    if (index === null) return;
    sequence.slot = null;
    this.#slots[index] = { owner: null, leftBy: keep ? sequence.request : null };
    if (!keep) this.#decoder.seqRemove(index, 0);
  }

  /** Forgets what the request left in free slots. */
  forget(request: ActiveRequest): void {
    this.#slots.forEach((slot, index) => {
      if (slot.leftBy === request) this.#clear(index);
    });
  }

  /** Moves the highest sequences into the lowest free slots until there is no gap. */
  closeHoles(): void {
    for (const { from, to } of planMoves(this.#taken())) {
      const owner = this.#slots[from]?.owner ?? null;
      if (owner === null) continue;
      this.#clear(to);
      this.#decoder.seqCopy(from, to);
      this.#slots[to] = { owner, leftBy: null };
      owner.slot = to;
      this.#clear(from);
    }
  }

  /** Throws `internal` where the table, the sequences and the decoder do not agree. */
  checkIntegrity(): void {
    this.#slots.forEach(({ owner, leftBy }, index) => {
      const held = this.#decoder.seqLength(index);
      const problem =
        (owner !== null && leftBy !== null && 'is both taken and left') ||
        (owner !== null && owner.slot !== index && `is taken by a sequence in ${owner.slot}`) ||
        (owner !== null && owner.done && 'is taken by a finished sequence') ||
        (owner !== null &&
          owner.cachedTokens !== held &&
          `holds ${held} tokens unlike its owner`) ||
        (owner === null && leftBy === null && held !== 0 && `is free and holds ${held} tokens`);
      if (problem !== false) throw new ParlanceError('internal', `Slot ${index} ${problem}.`);
    });
  }

  /** Requests that left something in a free slot. */
  leavers(): ActiveRequest[] {
    return this.#slots.flatMap(({ leftBy }) => (leftBy === null ? [] : [leftBy]));
  }

  #taken(): boolean[] {
    return this.#slots.map(({ owner }) => owner !== null);
  }

  #clear(index: number): void {
    this.#slots[index] = { owner: null, leftBy: null };
    this.#decoder.seqRemove(index, 0);
  }

  #longestSibling(request: ActiveRequest): Sequence | null {
    let longest: Sequence | null = null;
    for (const sibling of request.sequences) {
      if (sibling.slot === null || sibling.cachedTokens === 0) continue;
      if (longest === null || sibling.cachedTokens > longest.cachedTokens) longest = sibling;
    }
    return longest;
  }

  /** Keeps the first `length` tokens, or none where the model cannot forget a part. */
  #cut(index: number, length: number): number {
    const held = this.#decoder.seqLength(index);
    if (held <= length) return held;
    if (this.#decoder.seqRemove(index, length)) return length;
    this.#decoder.seqRemove(index, 0);
    return 0;
  }
}
