/**
 * Which tokens may come next: walks a vocabulary's tree with a constraint's machine and keeps what it
 * found by state. Sessions ask it; one for each compiled constraint. It knows nothing of texts and
 * sequences.
 */

import type { Budget, Loop, Machine } from '../machine.ts';
import type { ClassIndex } from './class-index.ts';
import { createClassIndexes, type ClassIndexes, type Stretch } from './class-indexes.ts';
import { StateTable, unknown } from './state-table.ts';
import { pieceOf, type TokenTrie, type Trie } from './token-trie.ts';

export interface Masker {
  readonly machine: Machine;
  readonly trie: TokenTrie;
  /**
   * Bit `id & 31` of word `id >> 5`: the token may come next. An end token's bit says whether the text
   * may end, as it is or with the token's own name. Not to be written to; valid until the next call.
   */
  mask(state: object): Uint32Array;
  /** The state after a token; null where it may not come. A token without bytes never may. */
  step(state: object, token: number): object | null;
  /**
   * The bytes that follow whatever the choice, and the state behind them: up to the next choice, or
   * place where the text may end, or `limit`.
   */
  forced(state: object, limit: number): { readonly bytes: Uint8Array; readonly state: object };
  /** Whether no byte may follow. */
  isLast(state: object): boolean;
  /** Whether a token below this node of the tree, itself not counted, may be read from the state. */
  leadsOn(state: object, node: number): boolean;
  /** Bytes that it keeps, about. */
  readonly bytes: number;
}

export interface MaskerOptions {
  /** Its time runs while masks are made. */
  readonly budget?: Budget;
  readonly classes?: ClassIndexes;
  /** Bytes of masks that are kept. */
  readonly cacheBytes?: number;
}

const defaultCacheBytes = 32 * 1024 * 1024;
/** Tokens that are read one by one where their characters are more than there is room for. */
const fewTokens = 400;
/** Nodes below which it is not worth asking for a loop. */
const bulk = 6;
/** Questions to the machine between two looks at the budget. */
const glance = 1024;

export function createMasker(
  machine: Machine,
  trie: TokenTrie,
  endTokens: readonly number[],
  options: MaskerOptions = {},
): Masker {
  return new TrieMasker(machine, trie, endTokens, options);
}

class TrieMasker implements Masker {
  readonly machine: Machine;
  readonly trie: TokenTrie;
  readonly #endTokens: readonly number[];
  readonly #budget: Budget | null;
  readonly #classes: ClassIndexes;
  readonly #cacheBytes: number;
  readonly #table: StateTable;
  readonly #masks = new Map<object, Uint32Array>();
  readonly #words: number;
  /** Numbers of the states on the way to the node that a walk is at. */
  readonly #path: Int32Array;
  /** Where all of a class leads back to the state, by depth. */
  readonly #stretches: (Stretch | null)[];
  #nodes = 0;

  constructor(
    machine: Machine,
    trie: TokenTrie,
    endTokens: readonly number[],
    options: MaskerOptions,
  ) {
    this.machine = machine;
    this.trie = trie;
    this.#endTokens = endTokens;
    this.#budget = options.budget ?? null;
    this.#classes = options.classes ?? createClassIndexes(trie);
    this.#cacheBytes = options.cacheBytes ?? defaultCacheBytes;
    this.#table = new StateTable(machine);
    this.#words = (trie.pieces.size + 31) >> 5;
    this.#path = new Int32Array(trie.height[0]! + 2);
    this.#stretches = Array.from({ length: trie.height[0]! + 2 }, () => null);
  }

  get bytes(): number {
    return this.#masks.size * this.#words * 4 + this.#table.bytes;
  }

  mask(given: object): Uint32Array {
    const state = this.#table.alike(given);
    const known = this.#masks.get(state);
    if (known !== undefined) {
      this.#masks.delete(state);
      this.#masks.set(state, known);
      return known;
    }
    this.#table.tidy();
    const made = this.#make(state);
    this.#masks.set(state, made);
    for (const oldest of this.#masks.keys()) {
      if (this.#masks.size * this.#words * 4 <= this.#cacheBytes || this.#masks.size === 1) break;
      this.#masks.delete(oldest);
    }
    return made;
  }

  step(state: object, token: number): object | null {
    const piece = pieceOf(this.trie.pieces, token);
    if (piece.length === 0) return null;
    let at: object | null = state;
    for (const byte of piece) {
      at = this.machine.step(at, byte);
      if (at === null) return null;
    }
    return at;
  }

  forced(state: object, limit: number): { bytes: Uint8Array; state: object } {
    this.#table.tidy();
    const bytes: number[] = [];
    let at = state;
    while (bytes.length < limit && !this.machine.accepts(at)) {
      const byte = this.#table.only(this.#table.numberOf(at));
      const next = byte < 0 ? null : this.machine.step(at, byte);
      if (next === null) break;
      bytes.push(byte);
      at = next;
    }
    return { bytes: Uint8Array.from(bytes), state: at };
  }

  isLast(state: object): boolean {
    return this.#table.only(this.#table.numberOf(state)) === -2;
  }

  leadsOn(state: object, node: number): boolean {
    const { byte, next, depth, first } = this.trie;
    const path = this.#path;
    const end = next[node]!;
    path[depth[node]!] = this.#table.numberOf(state);
    for (let at = node + 1; at < end;) {
      this.#spend();
      const to = this.#table.step(path[depth[at]! - 1]!, byte[at]!);
      if (to < 0) {
        at = next[at]!;
        continue;
      }
      if (first[at + 1]! > first[at]!) return true;
      path[depth[at]!] = to;
      at += 1;
    }
    return false;
  }

  #make(state: object): Uint32Array {
    const from = this.#table.numberOf(state);
    const loop = this.#table.loop(from);
    const bits = loop === null ? this.#walkAll(from) : this.#walkLoop(from, state, loop);
    for (const token of this.#endTokens) {
      const end = this.step(state, token);
      const may = this.machine.accepts(state) || (end !== null && this.machine.accepts(end));
      if (may) set(bits, token);
      else bits[token >> 5]! &= ~(1 << (token & 31));
    }
    return bits;
  }

  #walkAll(from: number): Uint32Array {
    const bits = new Uint32Array(this.#words);
    this.#add(bits, this.#walk(from, this.trie, 1, this.trie.nodes));
    return bits;
  }

  #add(bits: Uint32Array, ranges: readonly number[]): void {
    const { order } = this.trie;
    for (let i = 0; i < ranges.length; i += 2) {
      for (let place = ranges[i]!; place < ranges[i + 1]!; place += 1) set(bits, order[place]!);
    }
  }

  /** Tokens that do not begin with the class of a loop. */
  #addOthers(bits: Uint32Array, from: number, others: readonly number[]): void {
    for (const node of others) {
      this.#add(bits, this.#walk(from, this.trie, node, this.trie.next[node]!));
    }
  }

  #walkLoop(from: number, state: object, { characters, room }: Loop): Uint32Array {
    const index = this.#classes.index(characters);
    const over = index.beyond(room);
    if (over.length > fewTokens) return this.#walkAll(from);
    const bits = index.within(room).slice();
    this.#addOthers(bits, from, index.others);
    const ranges = this.#walk(from, index.remainders, 1, index.remainders.nodes);
    const { order } = index.remainders;
    for (let i = 0; i < ranges.length; i += 2) {
      for (let at = ranges[i]!; at < ranges[i + 1]!; at += 1) {
        const token = index.tokens[order[at]!]!;
        if (this.#lengthOf(token) <= room) set(bits, token);
      }
    }
    if (room < this.trie.height[0]!) this.#addLong(bits, [from, state], { index, room });
    for (const token of over) if (this.step(state, token) !== null) set(bits, token);
    return bits;
  }

  /** Tokens that leave the class and may go on to more characters than there is room for. */
  #addLong(
    bits: Uint32Array,
    [from, state]: readonly [number, object],
    { index, room }: { readonly index: ClassIndex; readonly room: number },
  ): void {
    const { offsets, bytes } = this.trie.pieces;
    for (const [place, token] of index.tokens.entries()) {
      if (this.#lengthOf(token) <= room || index.characters[place]! > room) continue;
      const byte = bytes[offsets[token]! + index.bytes[place]!]!;
      const may = this.#table.step(from, byte) >= 0 && this.step(state, token) !== null;
      if (may) set(bits, token);
    }
  }

  /** In bytes: no fewer than its characters. */
  #lengthOf(token: number): number {
    const { offsets } = this.trie.pieces;
    return offsets[token + 1]! - offsets[token]!;
  }

  /**
   * Places in `order` whose entries can be read from the state: from, to, from, to, ascending. Looks at
   * nodes from `start` to `stop`: children of the root with all below them.
   */
  #walk(from: number, trie: Trie, start: number, stop: number): number[] {
    const { byte, next, depth, first, height } = trie;
    const table = this.#table;
    let { rowOf, steps } = table;
    const path = this.#path;
    const stretches = this.#stretches;
    const whole = trie === this.trie;
    const ranges: number[] = [];
    let begin = 0;
    let end = 0;
    path[0] = from;
    stretches[0] = null;
    for (let at = start; at < stop;) {
      const level = depth[at]!;
      const state = path[level - 1]!;
      const after = next[at]!;
      let stretch = stretches[level - 1] ?? null;
      let to = state;
      if (stretch === null || stretch.ascii[byte[at]!] !== 1) {
        const row = rowOf[state]!;
        to = row === -1 ? unknown : steps[row + byte[at]!]!;
        if (to === unknown) {
          this.#spend();
          to = table.ask(state, byte[at]!);
          ({ rowOf, steps } = table);
        }
        if (to < 0) {
          at = after;
          continue;
        }
        stretch = whole && after - at >= bulk ? this.#stretchAt(to, height[at]!) : null;
      }
      path[level] = to;
      stretches[level] = stretch;
      const until =
        stretch !== null && stretch.pure !== null && stretch.pure[at] === 1 ? after : at + 1;
      if (first[at] !== end) {
        if (end > begin) ranges.push(begin, end);
        begin = first[at]!;
      }
      end = first[until]!;
      at = until;
    }
    if (end > begin) ranges.push(begin, end);
    return ranges;
  }

  /** What can be told without the machine behind a state, for so many bytes. */
  #stretchAt(state: number, height: number): Stretch | null {
    const loop = this.#table.loop(state);
    return loop === null || loop.room < height ? null : this.#classes.stretch(loop.characters);
  }

  #spend(): void {
    this.#nodes += 1;
    if (this.#nodes < glance) return;
    this.#nodes = 0;
    this.#budget?.spend(glance, 0, 'mask');
  }
}

function set(bits: Uint32Array, token: number): void {
  bits[token >> 5]! |= 1 << (token & 31);
}
