/**
 * A forced stretch of text as tokens: as the model would have written it, cut where its end could be
 * part of a token that also holds what is chosen next. Sessions call it. Pure but for the masker's memory.
 */

import { specialBegin, specialEnd } from '../machine.ts';
import type { Masker } from './masker.ts';
import { childOf, pieceOf, type TokenTrie } from './token-trie.ts';

/** Text without special tokens to tokens; null where the answer is not there yet. */
export type Tokenize = (text: string) => readonly number[] | null;

export type ForcedTokens =
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  /** It can be told when `Tokenize` knows this text. */
  | { readonly kind: 'unknown'; readonly text: string };

/** `after`: the state behind all of `bytes`. */
export function findForcedTokens(
  masker: Masker,
  bytes: Uint8Array,
  after: object,
  tokenize: Tokenize,
): ForcedTokens {
  const tokens: number[] = [];
  for (const segment of splitSegments(bytes)) {
    if (segment.special) {
      const token = tokenOf(masker.trie, segment.bytes);
      if (token === -1) break;
      tokens.push(token);
      continue;
    }
    const text = decoder.decode(segment.bytes);
    const found = tokenize(text);
    if (found === null) return { kind: 'unknown', text };
    if (spells(masker.trie, found, segment.bytes)) tokens.push(...found);
    else tokens.push(...longestFirst(masker.trie, segment.bytes));
  }
  return { kind: 'tokens', tokens: heal(masker, tokens, bytes, after) };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface Segment {
  readonly special: boolean;
  readonly bytes: Uint8Array;
}

/** Special tokens, and the text between them; what is not whole at the end is left off. */
function splitSegments(bytes: Uint8Array): Segment[] {
  const segments: Segment[] = [];
  for (let at = 0; at < bytes.length;) {
    const special = bytes[at] === specialBegin;
    const border = bytes.indexOf(special ? specialEnd : specialBegin, at);
    if (special && border === -1) break;
    const end = special ? border + 1 : border === -1 ? wholeLength(bytes) : border;
    if (end > at) segments.push({ special, bytes: bytes.subarray(at, end) });
    if (border === -1) break;
    at = end;
  }
  return segments;
}

/** Bytes up to the last whole character. */
function wholeLength(bytes: Uint8Array): number {
  let lead = bytes.length - 1;
  while (lead >= 0 && bytes.length - lead < 4 && (bytes[lead]! & 0xc0) === 0x80) lead -= 1;
  const byte = bytes[lead] ?? 0;
  const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return byte >= 0xc0 && lead + length > bytes.length ? lead : bytes.length;
}

/** The token of exactly these bytes; -1 where there is none. */
function tokenOf(trie: TokenTrie, bytes: Uint8Array): number {
  let node = 0;
  for (const byte of bytes) {
    node = childOf(trie, node, byte);
    if (node === -1) return -1;
  }
  return isEmpty(trie, node) ? -1 : trie.order[trie.first[node]!]!;
}

/** Whether no token ends at a node. */
function isEmpty(trie: TokenTrie, node: number): boolean {
  return trie.first[node + 1]! <= trie.first[node]!;
}

/** Whether the tokens are the text, and nothing in it was read as a special token. */
function spells(trie: TokenTrie, tokens: readonly number[], bytes: Uint8Array): boolean {
  let at = 0;
  for (const token of tokens) {
    const piece = pieceOf(trie.pieces, token);
    if (piece.length === 0) return false;
    for (const byte of piece) {
      if (bytes[at] !== byte) return false;
      at += 1;
    }
  }
  return at === bytes.length;
}

/** For vocabularies whose tokeniser adds to a text: the longest token, again and again. */
function longestFirst(trie: TokenTrie, bytes: Uint8Array): number[] {
  const tokens: number[] = [];
  for (let at = 0; at < bytes.length;) {
    let best = -1;
    let bestEnd = at;
    let node = 0;
    for (let to = at; to < bytes.length; to += 1) {
      node = childOf(trie, node, bytes[to]!);
      if (node === -1) break;
      if (isEmpty(trie, node)) continue;
      best = trie.order[trie.first[node]!]!;
      bestEnd = to + 1;
    }
    if (best === -1) break;
    tokens.push(best);
    at = bestEnd;
  }
  return tokens;
}

/**
 * The tokens up to the first border from which one token of the vocabulary could hold the rest of the
 * forced text and more: that choice is left to the model.
 */
function heal(masker: Masker, tokens: number[], bytes: Uint8Array, after: object): number[] {
  const { trie } = masker;
  const longest = trie.height[0]!;
  const free = !masker.isLast(after);
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    const rest = bytes.length - at;
    if (free && rest < longest) {
      const node = nodeOf(trie, bytes, at);
      if (node !== -1 && masker.leadsOn(after, node)) return tokens.slice(0, index);
    }
    at += pieceOf(trie.pieces, token).length;
  }
  return tokens;
}

function nodeOf(trie: TokenTrie, bytes: Uint8Array, from: number): number {
  let node = 0;
  for (let at = from; at < bytes.length && node !== -1; at += 1) {
    node = childOf(trie, node, bytes[at]!);
  }
  return node;
}
