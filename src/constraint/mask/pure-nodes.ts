/**
 * The parts of a vocabulary's tree that consist of one class of characters: where a walk comes there with
 * a text that may go on with any of them, nothing below needs to be read. Pure.
 */

import type { CharacterClass } from '../machine.ts';
import type { Trie } from './token-trie.ts';
import { afterLead, afterMore, isLead } from './utf8-bytes.ts';

/**
 * By node: whether everything below it, read from there, is of the class. A character that is only begun
 * at a token's end is.
 */
export function findPureNodes(trie: Trie, { ascii, beyond }: CharacterClass): Uint8Array {
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
