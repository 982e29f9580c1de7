/**
 * What can be said of a vocabulary's tokens for one class of characters, whatever the constraint: which
 * tokens consist of the class, and which leave it with what. Maskers use it for states in which a text
 * of the class may go on. Depends on the vocabulary and the class alone.
 */

import type { CharacterClass } from '../machine.ts';
import { buildTrie, type TokenTrie, type Trie } from './token-trie.ts';

export interface ClassIndex {
  /**
   * Tokens that consist of characters of the class, at most `room` of them; a last character that is
   * only begun counts too. Not to be written to.
   */
  within(room: number): Uint32Array;
  /** Characters of the class that no token has more of. */
  readonly mostCharacters: number;
  /** Tokens that begin with more than `room` characters of the class. */
  beyond(room: number): Int32Array;
  /** The other tokens by what comes behind their characters of the class; `order` has their places. */
  readonly remainders: Trie;
  /** Token, and characters of the class before the remainder, by place. */
  readonly tokens: Int32Array;
  readonly characters: Int32Array;
  /** By node of the vocabulary's tree: everything below, read from there, is of the class. */
  readonly pure: Uint8Array;
}

/** How a token begins. */
interface Scan {
  /** Characters of the class, one that is begun by the last bytes included. */
  characters: number;
  /** Where the first byte stands that belongs to none of them. */
  end: number;
}

export function createClassIndex(trie: TokenTrie, characterClass: CharacterClass): ClassIndex {
  const { pieces } = trie;
  const words = (pieces.size + 31) >> 5;
  const counts = new Int32Array(pieces.size);
  const leaving: number[] = [];
  const ends: number[] = [];
  let mostCharacters = 0;
  for (const token of trie.order) {
    const to = pieces.offsets[token + 1]!;
    const { characters, end } = scan(pieces.bytes, pieces.offsets[token]!, to, characterClass);
    counts[token] = characters;
    mostCharacters = Math.max(mostCharacters, characters);
    if (end === to) continue;
    leaving.push(token);
    ends.push(end);
    counts[token] = -1 - characters;
  }
  const byCharacters = sortByCharacters(trie.order, counts, mostCharacters);
  const known = new Map<number, Uint32Array>();
  return {
    mostCharacters,
    within: (room) => {
      const most = Math.min(room, mostCharacters);
      let bits = known.get(most);
      if (bits === undefined) {
        bits = new Uint32Array(words);
        for (const token of trie.order) {
          const count = counts[token]!;
          if (count > 0 && count <= most) bits[token >> 5]! |= 1 << (token & 31);
        }
        known.set(most, bits);
      }
      return bits;
    },
    beyond: (room) =>
      byCharacters.tokens.subarray(0, byCharacters.above[Math.min(room, mostCharacters)]),
    remainders: buildTrie({
      source: pieces.bytes,
      from: Int32Array.from(ends),
      to: Int32Array.from(leaving, (token) => pieces.offsets[token + 1]!),
      values: Int32Array.from(leaving, (_, place) => place),
    }),
    tokens: Int32Array.from(leaving),
    characters: Int32Array.from(leaving, (token) => -1 - counts[token]!),
    pure: findPure(trie, characterClass),
  };
}

/** Tokens with many characters of the class first; `above[n]` of them have more than n. */
function sortByCharacters(
  order: Int32Array,
  counts: Int32Array,
  most: number,
): { tokens: Int32Array; above: Int32Array } {
  const count = (token: number): number => Math.max(counts[token]!, -1 - counts[token]!);
  const above = new Int32Array(most + 1);
  for (const token of order) {
    const characters = count(token);
    if (characters > 0) above[characters - 1]! += 1;
  }
  for (let i = most - 1; i >= 0; i -= 1) above[i]! += above[i + 1]!;
  const tokens = new Int32Array(order.length);
  const places = above.slice();
  for (const token of order) {
    const characters = count(token);
    tokens[places[characters]!] = token;
    places[characters]! += 1;
  }
  return { tokens, above };
}

function scan(
  bytes: Uint8Array,
  from: number,
  to: number,
  { ascii, beyond }: CharacterClass,
): Scan {
  let characters = 0;
  let at = from;
  while (at < to) {
    const byte = bytes[at]!;
    if (byte < 0x80) {
      if (ascii[byte] === 0) break;
      at += 1;
      characters += 1;
      continue;
    }
    if (!beyond || !isLead(byte)) break;
    let need = afterLead(byte);
    let here = at + 1;
    while (need !== 0 && here < to) {
      need = afterMore(need, bytes[here]!);
      if (need === -1) break;
      here += 1;
    }
    characters += 1;
    // What goes on wrongly has begun a character, and needs room for it, but leaves the class with it.
    if (need === -1) break;
    at = here;
  }
  return { characters, end: at };
}

const isLead = (byte: number): boolean => byte >= 0xc2 && byte <= 0xf4;

/**
 * A reader of well-formed UTF-8 that has seen a lead byte: what it waits for, as lowest and highest next
 * byte and how many continue after that one.
 */
function afterLead(byte: number): number {
  if (byte < 0xe0) return pack(0x80, 0xbf, 0);
  if (byte < 0xf0) return pack(byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf, 1);
  return pack(byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf, 2);
}

const pack = (low: number, high: number, more: number): number =>
  (1 << 24) | (more << 16) | (high << 8) | low;

/** 0: the character is whole. -1: this byte cannot follow. */
function afterMore(need: number, byte: number): number {
  if (byte < (need & 0xff) || byte > ((need >> 8) & 0xff)) return -1;
  const more = (need >> 16) & 0xff;
  return more === 0 ? 0 : pack(0x80, 0xbf, more - 1);
}

function findPure(trie: Trie, { ascii, beyond }: CharacterClass): Uint8Array {
  const pure = new Uint8Array(trie.nodes).fill(1);
  const isWhole = (node: number, need: number): boolean => {
    for (let one = node + 1; one < trie.next[node]!; one = trie.next[one]!) {
      const then = afterMore(need, trie.byte[one]!);
      if (then === -1) return false;
      if (then === 0 ? pure[one] === 0 : !isWhole(one, then)) return false;
    }
    return true;
  };
  const isPureChild = (node: number): boolean => {
    const byte = trie.byte[node]!;
    if (byte < 0x80) return ascii[byte] !== 0 && pure[node] === 1;
    return beyond && isLead(byte) && isWhole(node, afterLead(byte));
  };
  // Nodes come before what is below them.
  for (let node = trie.nodes - 1; node >= 0; node -= 1) {
    for (let one = node + 1; one < trie.next[node]!; one = trie.next[one]!) {
      if (isPureChild(one)) continue;
      pure[node] = 0;
      break;
    }
  }
  return pure;
}
