/**
 * What can be said of a vocabulary's tokens for one class of characters, whatever the constraint: which
 * tokens consist of the class, and which leave it with what. Maskers use it for states in which a text
 * of the class may go on. Depends on the vocabulary and the class alone.
 */

import type { CharacterClass } from '../machine.ts';
import { buildTrie, type TokenTrie, type Trie } from './token-trie.ts';
import { afterLead, afterMore, isLead } from './utf8-bytes.ts';

export interface ClassIndex {
  /**
   * Tokens that consist of characters of the class, at most `room` of them; a last character that is
   * only begun counts too. Not to be written to.
   */
  within(room: number): Uint32Array;
  /** Tokens that begin with more than `room` characters of the class. */
  beyond(room: number): Int32Array;
  /**
   * Tokens that begin with characters of the class and go on otherwise, by what comes behind those;
   * `order` has their places.
   */
  readonly remainders: Trie;
  /** Token, and bytes and characters of the class before the remainder, by place. */
  readonly tokens: Int32Array;
  readonly bytes: Int32Array;
  readonly characters: Int32Array;
  /** Nodes below the root, with all below them, that begin with no character of the class. */
  readonly others: readonly number[];
}

export function createClassIndex(trie: TokenTrie, characterClass: CharacterClass): ClassIndex {
  const found = new Scan(trie, characterClass);
  found.run();
  const { pieces } = trie;
  const words = (pieces.size + 31) >> 5;
  const counted = sortByCharacters(found);
  const known = new Map<number, Uint32Array>();
  const makeWithin = (most: number): Uint32Array => {
    const bits = new Uint32Array(words);
    for (let i = 0; i < found.inside.length; i += 2) {
      const token = found.inside[i]!;
      if (found.inside[i + 1]! <= most) bits[token >> 5]! |= 1 << (token & 31);
    }
    return bits;
  };
  const places = found.leaving.length / 3;
  const leaving = (place: number, field: number): number => found.leaving[place * 3 + field]!;
  const tokens = Int32Array.from({ length: places }, (_, place) => leaving(place, 0));
  return {
    within: (room) => {
      const most = Math.min(room, found.most);
      const bits = known.get(most) ?? makeWithin(most);
      known.set(most, bits);
      return bits;
    },
    beyond: (room) => counted.tokens.subarray(0, counted.above[Math.min(room, found.most)]),
    remainders: buildTrie({
      source: pieces.bytes,
      from: Int32Array.from(tokens, (token, i) => pieces.offsets[token]! + leaving(i, 2)),
      to: Int32Array.from(tokens, (token) => pieces.offsets[token + 1]!),
      values: Int32Array.from(tokens, (_, place) => place),
    }),
    tokens,
    bytes: Int32Array.from(tokens, (_, place) => leaving(place, 2)),
    characters: Int32Array.from(tokens, (_, place) => leaving(place, 1)),
    others: found.others,
  };
}

/** One walk over the tree, no further than the class goes. */
class Scan {
  readonly #trie: TokenTrie;
  readonly #class: CharacterClass;
  /** Token, characters; and again. */
  readonly inside: number[] = [];
  /** Token, characters of the class, bytes before the remainder; and again. */
  readonly leaving: number[] = [];
  readonly others: number[] = [];
  /** The most characters of the class that a token begins with. */
  most = 0;

  constructor(trie: TokenTrie, characterClass: CharacterClass) {
    this.#trie = trie;
    this.#class = characterClass;
  }

  run(): void {
    const { byte, next, depth, nodes, height } = this.#trie;
    const path = height[0]! + 1;
    /** By depth: characters so far, one that has begun included; what it waits for; where it began. */
    const characters = new Uint16Array(path);
    const needs = new Int32Array(path);
    const begins = new Uint16Array(path);
    for (let at = 1; at < nodes;) {
      const level = depth[at]!;
      const need = needs[level - 1]!;
      const then = need === 0 ? this.#begin(byte[at]!) : afterMore(need, byte[at]!);
      if (then === -1) {
        // What goes on wrongly has begun a character, and needs room for it, but leaves the class with it.
        const begun = need === 0 ? level - 1 : begins[level - 1]!;
        this.#leave(at, characters[level - 1]!, begun);
        at = next[at]!;
        continue;
      }
      characters[level] = characters[level - 1]! + (need === 0 ? 1 : 0);
      begins[level] = need === 0 ? level - 1 : begins[level - 1]!;
      needs[level] = then;
      this.#keep(at, characters[level]);
      at += 1;
    }
  }

  /** What a first byte waits for; -1: it begins no character of the class. */
  #begin(byte: number): number {
    if (byte < 0x80) return this.#class.ascii[byte] === 0 ? -1 : 0;
    return this.#class.beyond && isLead(byte) ? afterLead(byte) : -1;
  }

  #keep(node: number, characters: number): void {
    const { first, order } = this.#trie;
    for (let place = first[node]!; place < first[node + 1]!; place += 1) {
      this.inside.push(order[place]!, characters);
      this.most = Math.max(this.most, characters);
    }
  }

  /** All tokens at and below a node leave the class, so many characters and bytes after they began. */
  #leave(node: number, characters: number, bytes: number): void {
    const { first, next, order } = this.#trie;
    if (characters === 0) {
      this.others.push(node);
      return;
    }
    for (let place = first[node]!; place < first[next[node]!]!; place += 1) {
      this.leaving.push(order[place]!, characters, bytes);
      this.most = Math.max(this.most, characters);
    }
  }
}

/** Tokens with many characters of the class first; `above[n]` of them have more than n. */
function sortByCharacters({ inside, leaving, most }: Scan): {
  tokens: Int32Array;
  above: Int32Array;
} {
  const above = new Int32Array(most + 1);
  const each = (see: (token: number, characters: number) => void): void => {
    for (let i = 0; i < inside.length; i += 2) see(inside[i]!, inside[i + 1]!);
    for (let i = 0; i < leaving.length; i += 3) see(leaving[i]!, leaving[i + 1]!);
  };
  each((_, characters) => {
    above[characters - 1]! += 1;
  });
  for (let i = most - 1; i >= 0; i -= 1) above[i]! += above[i + 1]!;
  const tokens = new Int32Array(above[0] ?? 0);
  const places = above.slice();
  each((token, characters) => {
    tokens[places[characters]!] = token;
    places[characters]! += 1;
  });
  return { tokens, above };
}
