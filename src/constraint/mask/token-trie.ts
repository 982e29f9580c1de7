/**
 * The tokens of a vocabulary as a tree over their bytes, in flat arrays that threads can share. Made once
 * for a model; masks walk it with a constraint's machine. It knows nothing of machines.
 */

import { specialBegin, specialEnd } from '../machine.ts';

/**
 * Nodes are numbered in the order of a walk, parents first; 0 is the root. Node `n` with all below it is
 * `n` up to `next[n]`, and the entries that end there are `order[first[n]]` up to `order[first[next[n]]]`.
 */
export interface Trie {
  readonly nodes: number;
  /** The byte that leads to a node. */
  readonly byte: Uint8Array;
  readonly next: Int32Array;
  readonly depth: Uint16Array;
  /** Bytes down to the deepest node below. */
  readonly height: Uint16Array;
  /** One more than there are nodes. */
  readonly first: Int32Array;
  /** What ends at the nodes, one after the other. */
  readonly order: Int32Array;
}

/** Bytes of each token, one after the other; none: no text leads to the token. */
export interface TokenPieces {
  /** Token IDs are 0..size-1. */
  readonly size: number;
  /** One more than there are tokens. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

export interface TokenTrie extends Trie {
  readonly pieces: TokenPieces;
}

/** Byte strings, one for each entry: `source[from[i]]` up to `source[to[i]]`. */
export interface TrieSource {
  readonly source: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** What is kept in `order` for the entry. */
  readonly values: Int32Array;
}

/** Longer pieces are no use: `depth` has 16 bits. */
const longest = 65_000;

/** How a special token stands in the tree. */
export function specialPiece(name: Uint8Array): Uint8Array {
  const piece = new Uint8Array(name.length + 2);
  piece[0] = specialBegin;
  piece.set(name, 1);
  piece[name.length + 1] = specialEnd;
  return piece;
}

/** `piece`: bytes of a token as they stand in the tree; empty where it is to be left out. */
export function packPieces(size: number, piece: (token: number) => Uint8Array): TokenPieces {
  const all = Array.from({ length: size }, (_, token) => piece(token));
  const total = all.reduce((sum, one) => sum + one.length, 0);
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (size + 1)));
  const bytes = new Uint8Array(new SharedArrayBuffer(total));
  let at = 0;
  for (const [token, one] of all.entries()) {
    bytes.set(one, at);
    at += one.length;
    offsets[token + 1] = at;
  }
  return { size, offsets, bytes };
}

/** The bytes of one token. */
export function pieceOf(pieces: TokenPieces, token: number): Uint8Array {
  return pieces.bytes.subarray(pieces.offsets[token] ?? 0, pieces.offsets[token + 1] ?? 0);
}

export function createTokenTrie(pieces: TokenPieces): TokenTrie {
  const kept: number[] = [];
  for (let token = 0; token < pieces.size; token += 1) {
    const length = pieces.offsets[token + 1]! - pieces.offsets[token]!;
    if (length > 0 && length < longest) kept.push(token);
  }
  const trie = buildTrie({
    source: pieces.bytes,
    from: Int32Array.from(kept, (token) => pieces.offsets[token]!),
    to: Int32Array.from(kept, (token) => pieces.offsets[token + 1]!),
    values: Int32Array.from(kept),
  });
  return { ...trie, pieces };
}

/** Linear in the bytes of all entries. */
export function buildTrie(entries: TrieSource): Trie {
  const loose = insertAll(entries);
  const { count } = loose;
  const trie = {
    nodes: count,
    byte: new Uint8Array(new SharedArrayBuffer(count)),
    next: new Int32Array(new SharedArrayBuffer(4 * count)),
    depth: new Uint16Array(new SharedArrayBuffer(2 * count)),
    height: new Uint16Array(new SharedArrayBuffer(2 * count)),
    first: new Int32Array(new SharedArrayBuffer(4 * (count + 1))),
    order: new Int32Array(new SharedArrayBuffer(4 * entries.values.length)),
  };
  number(loose, entries.values, trie);
  return trie;
}

/** Nodes in the order in which they came up; -1 = none. */
interface LooseNodes {
  readonly count: number;
  readonly byte: Uint8Array;
  readonly child: Int32Array;
  readonly sibling: Int32Array;
  /** Entries of a node, as a list. */
  readonly entry: Int32Array;
  readonly nextEntry: Int32Array;
}

function insertAll({ source, from, to, values }: TrieSource): LooseNodes {
  let most = 1;
  for (let i = 0; i < values.length; i += 1) most += to[i]! - from[i]!;
  const byte = new Uint8Array(most);
  const child = new Int32Array(most).fill(-1);
  const sibling = new Int32Array(most).fill(-1);
  const entry = new Int32Array(most).fill(-1);
  const nextEntry = new Int32Array(values.length).fill(-1);
  const find = createChildTable(most);
  let count = 1;
  for (let i = 0; i < values.length; i += 1) {
    let node = 0;
    for (let at = from[i]!; at < to[i]!; at += 1) {
      const value = source[at]!;
      const found = find(node, value, count);
      if (found === count) {
        byte[count] = value;
        sibling[count] = child[node]!;
        child[node] = count;
        count += 1;
      }
      node = found;
    }
    nextEntry[i] = entry[node]!;
    entry[node] = i;
  }
  return { count, byte, child, sibling, entry, nextEntry };
}

/** Finds the child of a node by its byte, or keeps `fresh` as that child. */
function createChildTable(most: number): (node: number, byte: number, fresh: number) => number {
  let size = 16;
  while (size < 2 * most) size *= 2;
  // Keys are node * 256 + byte + 1, which stays a safe integer but not always a 32-bit one.
  const keys = new Float64Array(size);
  const children = new Int32Array(size);
  return (node, byte, fresh) => {
    const key = node * 256 + byte + 1;
    let at = (Math.imul(node ^ (byte << 20), 0x9e3779b1) >>> 7) & (size - 1);
    while (keys[at] !== 0) {
      if (keys[at] === key) return children[at]!;
      at = (at + 1) & (size - 1);
    }
    keys[at] = key;
    children[at] = fresh;
    return fresh;
  };
}

type Writable = { -readonly [Key in keyof Trie]: Trie[Key] };

/** Gives the nodes their final numbers, in the order of a walk. */
function number(loose: LooseNodes, values: Int32Array, trie: Writable): void {
  const path: number[] = [];
  const open: number[] = [0];
  let node = 0;
  let entries = 0;
  while (open.length > 0) {
    const at = open.pop()!;
    if (at < 0) {
      const done = path.pop()!;
      trie.next[done] = node;
      const parent = path.at(-1);
      if (parent !== undefined) {
        trie.height[parent] = Math.max(trie.height[parent]!, trie.height[done]! + 1);
      }
      continue;
    }
    trie.byte[node] = loose.byte[at]!;
    trie.depth[node] = path.length;
    trie.first[node] = entries;
    for (let i = loose.entry[at]!; i !== -1; i = loose.nextEntry[i]!) {
      trie.order[entries] = values[i]!;
      entries += 1;
    }
    path.push(node);
    node += 1;
    open.push(-1);
    for (let one = loose.child[at]!; one !== -1; one = loose.sibling[one]!) open.push(one);
  }
  trie.first[node] = entries;
}

/** -1 where there is none. */
export function childOf(trie: Trie, node: number, byte: number): number {
  const end = trie.next[node]!;
  for (let one = node + 1; one < end; one = trie.next[one]!) {
    if (trie.byte[one] === byte) return one;
  }
  return -1;
}
