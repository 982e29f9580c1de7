/**
 * The states that are in memory: their sums, and the order in which their nodes were last used. Only
 * `prefix-cache.ts` calls it. It changes a node's `state` and nothing else of the tree.
 */

import type { KvState } from '../llama/decoder.ts';
import { broken } from './broken.ts';
import type { RunNode } from './radix-tree.ts';

export class HeldStates {
  /**
   * Nodes with a state, the least recently used first. Whoever touches a node touches those above it
   * after it, so the first one has none below it: it is the leaf to evict, found without a search.
   */
  readonly #order = new Set<RunNode>();
  #bytes = 0;
  #tokens = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Cells of all states. */
  get tokens(): number {
    return this.#tokens;
  }

  get count(): number {
    return this.#order.size;
  }

  /** The node to evict next. */
  get oldest(): RunNode | undefined {
    const [first] = this.#order;
    return first;
  }

  /** Gives a node a state; one that it had is let go, and its place in the order stays. */
  hold(node: RunNode, state: KvState): void {
    this.#bytes += state.bytes - (node.state?.bytes ?? 0);
    this.#tokens += state.length - (node.state?.length ?? 0);
    node.state = state;
    this.#order.add(node);
  }

  release(node: RunNode): void {
    if (node.state === null) return;
    this.#bytes -= node.state.bytes;
    this.#tokens -= node.state.length;
    node.state = null;
    this.#order.delete(node);
  }

  /** Call for a node and then for each above it. */
  touch(node: RunNode): void {
    if (this.#order.delete(node)) this.#order.add(node);
  }

  /** @param held every node of the trees that has a state. Throws `internal` on a contradiction. */
  check(held: ReadonlySet<RunNode>): void {
    let bytes = 0;
    let tokens = 0;
    for (const { state } of held) {
      bytes += state?.bytes ?? 0;
      tokens += state?.length ?? 0;
    }
    if (bytes !== this.#bytes) throw broken(`${this.#bytes} bytes counted, ${bytes} held`);
    if (tokens !== this.#tokens) throw broken(`${this.#tokens} tokens counted, ${tokens} held`);
    const done = new Set<RunNode>();
    for (const node of this.#order) {
      if (!held.has(node)) throw broken('what is not in the tree is in the order of use');
      for (let at = node.parent; at !== null; at = at.parent) {
        if (done.has(at)) throw broken('a node would be evicted before one below it');
      }
      done.add(node);
    }
    if (done.size !== held.size) throw broken('a state is not in the order of use');
  }
}
