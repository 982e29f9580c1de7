/**
 * Who holds which slot of the decoder, and what finished sequences left in free slots. The scheduler
 * is its only user. All changes to the KV cache, but for decoding, are made here, so that what the
 * table says and what the library holds agree. A beginning that some slot or the prefix cache holds
 * is never computed again.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder, KvState } from '../llama/decoder.ts';
import type { PrefixCache } from '../prefix-cache/index.ts';
import { commonBeginning } from './beginnings.ts';
import type { Sequence } from './sequence.ts';
import { chooseSlot, planMoves } from './slot-policy.ts';

/** What a free slot still holds. */
interface Leftover {
  readonly namespace: string;
  readonly tokens: readonly number[];
  readonly lastUse: number;
  /** The prefix cache has it too. */
  saved: boolean;
}

interface Slot {
  owner: Sequence | null;
  left: Leftover | null;
}

/** Where the beginning of a sequence can be had. */
type Source =
  | { readonly kind: 'slot'; readonly slot: number; readonly length: number }
  | { readonly kind: 'cache'; readonly length: number }
  | { readonly kind: 'none'; readonly length: 0 };

const nothing: Source = { kind: 'none', length: 0 };

/** Shorter leftovers are computed sooner than they are saved and found again. */
const leastSaved = 32;

export class SlotTable {
  readonly #decoder: Decoder;
  readonly #cache: PrefixCache | null;
  readonly #onFault: (error: unknown) => void;
  readonly #slots: Slot[];
  #clock = 0;

  constructor(
    decoder: Decoder,
    cache: PrefixCache | null,
    onFault: (error: unknown) => void = () => {},
  ) {
    this.#decoder = decoder;
    this.#cache = cache;
    this.#onFault = onFault;
    this.#slots = Array.from({ length: decoder.slots }, () => ({ owner: null, left: null }));
  }

  /** Sequences in slots, in ascending order of their slots. */
  owners(): Sequence[] {
    return this.#slots.flatMap(({ owner }) => (owner === null ? [] : [owner]));
  }

  get free(): number {
    return this.#slots.filter(({ owner }) => owner === null).length;
  }

  /** Tokens of the sequence that need not be computed, wherever they are now. */
  available(sequence: Sequence): number {
    return sequence.parked === null ? this.#findSource(sequence).length : sequence.computed;
  }

  /**
   * Gives the sequence a slot, with as much of its beginning as there is; its last token is always
   * left to compute, for the logits. False when every slot is taken.
   */
  take(sequence: Sequence): boolean {
    if (this.free === 0) return false;
    const source = sequence.parked === null ? this.#findSource(sequence) : nothing;
    const slot = this.#chooseFor(source);
    if (slot === null) return false;
    // Read first: making room may push out of the cache what was found there.
    const state = sequence.parked ?? this.#readCache(sequence, source);
    sequence.parked = null;
    if (source.kind === 'slot' && source.slot === slot) this.#keepTail(slot, source.length);
    else this.#vacate(slot);
    this.#own(slot, sequence);
    sequence.computed = this.#fill(slot, source, state);
    return true;
  }

  /** Gives the sequence an empty slot, for another one to be copied to. False when all are taken. */
  takeEmpty(sequence: Sequence): boolean {
    const slot = chooseSlot(this.#uses());
    if (slot === null) return false;
    this.#vacate(slot);
    this.#own(slot, sequence);
    sequence.computed = 0;
    return true;
  }

  /** Makes `to`, which has a slot, hold exactly what `from` holds. */
  copy(from: Sequence, to: Sequence): void {
    if (from.slot === null || to.slot === null) throw lost('A sequence without a slot is copied.');
    to.computed = 0;
    if (!this.#decoder.seqCopy(from.slot, to.slot)) throw lost('A sequence cannot be copied.');
    to.computed = from.computed;
  }

  /** Forgets cells behind the last but one token: drafts that were not taken. */
  trim(sequence: Sequence): void {
    const { slot, tokens } = sequence;
    const valid = Math.max(0, tokens.length - 1);
    if (slot === null || sequence.computed <= valid) return;
    sequence.computed = this.#cut(slot, valid);
  }

  /** Frees the sequence's slot; with `keep`, what it holds stays there as long as nobody needs it. */
  release(sequence: Sequence, keep: boolean): void {
    const { slot } = sequence;
    sequence.parked = null;
    if (slot !== null) this.#leave(slot, sequence, keep);
  }

  /**
   * Takes the slot away from a sequence that will go on later. What it holds goes with it, or, where
   * there is no `room` for that, is left behind like that of one which has ended.
   */
  park(sequence: Sequence, room: boolean): void {
    const { slot } = sequence;
    if (slot === null) return;
    if (!room) {
      this.#leave(slot, sequence, true);
      sequence.computed = 0;
      return;
    }
    const state = sequence.computed > 0 ? this.#trySave(slot) : null;
    sequence.slot = null;
    sequence.parked = state;
    // Without a state it begins again from whatever the slots and the cache have of it.
    if (state === null) sequence.computed = 0;
    this.#clear(slot);
  }

  /** The state of a sequence that is about to end. Throws `internal` where it cannot be had. */
  save(sequence: Sequence): KvState {
    if (sequence.slot === null) throw lost('A sequence without a slot is saved.');
    return this.#decoder.saveState(sequence.slot);
  }

  /** Moves sequences until the taken slots follow each other without a gap. */
  closeHoles(): void {
    for (const { from, to } of planMoves(this.#slots.map(({ owner }) => owner !== null))) {
      const owner = this.#slots[from]?.owner ?? null;
      if (owner === null) continue;
      this.#vacate(to);
      // A hole that stays costs time and nothing else.
      if (!this.#decoder.seqCopy(from, to)) continue;
      this.#own(to, owner);
      this.#clear(from);
    }
  }

  /** Copies one leftover that the prefix cache lacks into it; false when there is none. */
  saveOne(): boolean {
    const slot = this.#slots.findIndex(({ left }) => left !== null && this.#wantsSaving(left));
    if (slot === -1) return false;
    this.#save(slot);
    return true;
  }

  /** Throws `internal` where the table, the sequences and the decoder do not agree. */
  checkIntegrity(): void {
    this.#slots.forEach(({ owner, left }, index) => {
      const held = this.#decoder.seqLength(index);
      const expected = owner?.computed ?? left?.tokens.length ?? 0;
      const problem =
        (owner !== null && left !== null && 'is both taken and left') ||
        (owner !== null && owner.slot !== index && `is taken by a sequence in ${owner.slot}`) ||
        (owner !== null && owner.done && 'is taken by a finished sequence') ||
        (owner !== null && owner.parked !== null && 'is taken by a parked sequence') ||
        (held !== expected && `holds ${held} tokens in place of ${expected}`);
      if (problem !== false) throw new ParlanceError('internal', `Slot ${index} ${problem}.`);
    });
  }

  get #reuses(): boolean {
    return this.#decoder.forgetsParts;
  }

  #findSource(sequence: Sequence): Source {
    if (!this.#reuses) return nothing;
    const { namespace } = sequence.request;
    const limit = sequence.tokens.length - 1;
    let best: Source = nothing;
    this.#slots.forEach(({ owner, left }, slot) => {
      const other = owner ?? left;
      if (other === null || (owner?.request ?? left)?.namespace !== namespace) return;
      const most = Math.min(limit, owner?.computed ?? limit);
      const length = commonBeginning(sequence.tokens, other.tokens, most);
      // Between equals a slot that can be gone on from as it is comes first.
      const whole = left !== null && length === left.tokens.length;
      if (length > best.length || (whole && length > 0 && length === best.length)) {
        best = { kind: 'slot', slot, length };
      }
    });
    const cached = this.#cache?.match(namespace, sequence.tokens, limit) ?? 0;
    if (cached > best.length) return { kind: 'cache', length: cached };
    // Copying moves a whole sequence, reading only the part that is of use.
    if (cached > 0 && cached === best.length && !this.#isWhole(best)) {
      return { kind: 'cache', length: cached };
    }
    return best;
  }

  #isWhole(source: Source): boolean {
    if (source.kind !== 'slot') return false;
    const left = this.#slots[source.slot]?.left ?? null;
    return left !== null && left.tokens.length === source.length;
  }

  /** The source's own slot where nothing of it is lost, else the best free one. */
  #chooseFor(source: Source): number | null {
    if (this.#isWhole(source) && source.kind === 'slot') return source.slot;
    return chooseSlot(this.#uses());
  }

  #uses() {
    return this.#slots.map(({ owner, left }) => ({
      taken: owner !== null,
      lastUse: left?.lastUse ?? null,
    }));
  }

  #readCache(sequence: Sequence, source: Source): KvState | null {
    if (source.kind !== 'cache' || this.#cache === null) return null;
    try {
      return this.#cache.read(sequence.request.namespace, sequence.tokens, source.length);
    } catch (error) {
      // Files of the cache may say anything; what they do not give is computed.
      this.#onFault(error);
      return null;
    }
  }

  /** @returns how many tokens the slot then holds */
  #fill(slot: number, source: Source, state: KvState | null): number {
    if (state !== null) return this.#decoder.restoreState(slot, state) ? state.length : 0;
    if (source.kind !== 'slot') return 0;
    if (source.slot !== slot && !this.#decoder.seqCopy(source.slot, slot)) return 0;
    return this.#cut(slot, source.length);
  }

  #leave(slot: number, sequence: Sequence, keep: boolean): void {
    const tokens = sequence.tokens.slice(0, sequence.computed);
    const worthIt = keep && this.#reuses && tokens.length > 0;
    sequence.slot = null;
    const { namespace } = sequence.request;
    const left = worthIt ? { namespace, tokens, lastUse: this.#tick(), saved: false } : null;
    this.#slots[slot] = { owner: null, left };
    if (left === null) this.#decoder.seqRemove(slot, 0);
  }

  #own(slot: number, sequence: Sequence): void {
    this.#slots[slot] = { owner: sequence, left: null };
    sequence.slot = slot;
  }

  /** A leftover that is gone on from somewhere in its middle loses its tail. */
  #keepTail(slot: number, length: number): void {
    const left = this.#slots[slot]?.left;
    if (left !== null && left !== undefined && left.tokens.length > length) this.#save(slot);
  }

  /** Empties a free slot; what it holds goes to the prefix cache. */
  #vacate(slot: number): void {
    this.#save(slot);
    this.#clear(slot);
  }

  #clear(slot: number): void {
    this.#slots[slot] = { owner: null, left: null };
    this.#decoder.seqRemove(slot, 0);
  }

  #wantsSaving(left: Leftover): boolean {
    return this.#cache !== null && !left.saved && left.tokens.length >= leastSaved;
  }

  #save(slot: number): void {
    const left = this.#slots[slot]?.left ?? null;
    if (left === null || this.#cache === null || !this.#wantsSaving(left)) return;
    left.saved = true;
    try {
      this.#cache.insert(left.namespace, left.tokens, left.tokens.length, (from) =>
        this.#decoder.saveState(slot, from),
      );
    } catch (error) {
      // What cannot be kept is computed again; nobody's answer depends on it.
      this.#onFault(error);
    }
  }

  #trySave(slot: number): KvState | null {
    try {
      return this.#decoder.saveState(slot);
    } catch (error) {
      this.#onFault(error);
      return null;
    }
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  /** Keeps the first `length` tokens, or none where the model cannot forget a part. */
  #cut(slot: number, length: number): number {
    const held = this.#decoder.seqLength(slot);
    if (held <= length) return held;
    if (this.#decoder.seqRemove(slot, length)) return length;
    this.#decoder.seqRemove(slot, 0);
    return 0;
  }
}

const lost = (what: string): ParlanceError => new ParlanceError('internal', what);
