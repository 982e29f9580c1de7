/**
 * KV states of prompts' beginnings, in host memory under a radix tree of token runs for each namespace:
 * a run that prompts share is held once. Bounded by bytes, the least recently used leaf goes first; with
 * a disk, runs outlive that and a restart. The scheduler calls it between steps, on one thread. It knows
 * no decoder: states are opaque, and `KvStates` cuts and joins them.
 */

import type { KvState, KvStates } from '../llama/decoder.ts';
import { broken } from './broken.ts';
import { checkTrees } from './check-trees.ts';
import { HeldStates } from './held-states.ts';
import { NodeFiles } from './node-files.ts';
import type { PrefixDisk } from './prefix-disk.ts';
import * as tree from './radix-tree.ts';
import type { Place, RunNode } from './radix-tree.ts';
import { digestOf } from './run-file.ts';
import type { RunFile } from './run-file.ts';

export interface PrefixCacheOptions {
  readonly states: KvStates;
  /** Most bytes of states in memory; 0 = store nothing. */
  readonly maxBytes: number;
  readonly disk: PrefixDisk | null;
  /**
   * Fewer new tokens than this are not stored, default 16: they are computed in about the time that
   * saving a slot's state takes, and a tree of crumbs makes each later read join more parts.
   */
  readonly minTokens?: number;
}

export interface PrefixCacheStats {
  /** Of all states in memory. */
  readonly bytes: number;
  /** States in memory, and the tokens that they are of. */
  readonly nodes: number;
  readonly tokens: number;
  /** Reads that gave a state. */
  readonly hits: number;
  /** States that had to leave memory for others. */
  readonly evictions: number;
  /** Bytes of the folder, as of its last count. */
  readonly diskBytes: number;
  /** Files that were not as they were written, and are gone. */
  readonly damaged: number;
}

export class PrefixCache {
  readonly #states: KvStates;
  readonly #maxBytes: number;
  readonly #minTokens: number;
  readonly #files: NodeFiles;
  /** By the namespace's digest. */
  readonly #roots = new Map<string, RunNode>();
  readonly #held = new HeldStates();
  #hits = 0;
  #evictions = 0;
  /** `PrefixDisk.removals` up to which nodes without a file were looked for. */
  #sweptRemovals = 0;

  constructor(options: PrefixCacheOptions) {
    this.#states = options.states;
    this.#maxBytes = options.maxBytes;
    this.#minTokens = Math.max(1, options.minTokens ?? 16);
    this.#files = new NodeFiles(options.states, options.maxBytes > 0 ? options.disk : null);
    for (const { file, tokens } of this.#files.takeFound()) this.#adopt(file, tokens);
  }

  get stats(): PrefixCacheStats {
    return {
      bytes: this.#held.bytes,
      nodes: this.#held.count,
      tokens: this.#held.tokens,
      hits: this.#hits,
      evictions: this.#evictions,
      diskBytes: this.#files.bytes,
      damaged: this.#files.damaged,
    };
  }

  /**
   * Tokens of the longest stored prefix of `tokens` in this namespace, at most `limit`; 0 = none. It
   * copies nothing and counts as no use. Other namespaces change neither its answer nor its time.
   */
  match(namespace: string, tokens: ArrayLike<number>, limit: number): number {
    const root = this.#roots.get(digestOf(namespace));
    return root === undefined ? 0 : this.#stored(this.#find(root, tokens, limit));
  }

  /**
   * The state of the first `length` tokens, not to be written to; `length` is what `match` gave. null:
   * it is not there (any more), or its file was damaged; `match` then gives what is left.
   */
  read(namespace: string, tokens: ArrayLike<number>, length: number): KvState | null {
    const root = this.#roots.get(digestOf(namespace));
    if (root === undefined || length <= 0) return null;
    const place = this.#find(root, tokens, length);
    if (this.#stored(place) !== length) return null;
    const path = this.#states.cuttable ? tree.pathTo(place.node) : [place.node];
    const states = this.#gather(path);
    if (states === null) return null;
    const last = path.length - 1;
    const parts = states.map((state, index) =>
      index === last && this.#states.cuttable && place.within < place.node.tokens.length
        ? this.#states.cut(state, 0, place.within)
        : state,
    );
    this.#keep(path, states);
    this.#touch(place.node);
    this.#evict();
    this.#hits += 1;
    return parts.length === 1 ? parts[0]! : this.#states.join(parts);
  }

  /**
   * Stores what is not stored yet of the first `length` tokens, and evicts what must go for it.
   * @param state asked for only when there is something to store: the cells from a position on (0 where
   *   states cannot be cut) to `length`. What it throws is thrown on, with nothing changed.
   * @returns tokens newly stored; 0 also where they are too few, or their path is larger than `maxBytes`
   */
  insert(
    namespace: string,
    tokens: ArrayLike<number>,
    length: number,
    state: (from: number) => KvState,
  ): number {
    if (this.#maxBytes <= 0) return 0;
    if (length > tokens.length) throw broken(`${length} of ${tokens.length} tokens`);
    this.#sweep();
    const digest = digestOf(namespace);
    const root = this.#roots.get(digest) ?? tree.createRoot(digest);
    const place = this.#find(root, tokens, length);
    const stored = this.#stored(place);
    const from = this.#states.cuttable ? stored : 0;
    const part = length - stored < this.#minTokens ? null : state(from);
    if (part !== null && part.length !== length - from) {
      throw broken(`a state of ${part.length} cells for ${length - from} tokens`);
    }
    if (part === null || this.#pathBytes(place) + part.bytes > this.#maxBytes) {
      this.#touch(this.#deepestUsed(place));
      return 0;
    }
    this.#roots.set(digest, root);
    const parent = this.#cutOpen(place);
    const node = tree.endOf(parent) < length ? tree.addChild(parent, tokens, length) : parent;
    this.#held.hold(node, part);
    this.#touch(node);
    this.#files.write(node, false);
    this.#evict();
    return node.state === null ? 0 : length - stored;
  }

  /** Ends when everything that is to outlive a restart is on the disk. */
  async flush(): Promise<void> {
    await this.#files.flush();
  }

  /** Throws `internal` where the trees, the order of use or the sums contradict each other. */
  checkIntegrity(): void {
    const stale = this.#files.removals !== this.#sweptRemovals;
    this.#held.check(checkTrees(this.#roots, { cuttable: this.#states.cuttable, stale }));
    const { bytes } = this.#held;
    if (bytes > this.#maxBytes) throw broken(`${bytes} bytes of at most ${this.#maxBytes}`);
  }

  #find(root: RunNode, tokens: ArrayLike<number>, limit: number): Place {
    // States of whole prefixes are of use without those above them.
    return tree.findPlace(root, tokens, limit, this.#states.cuttable ? tree.holds : () => true);
  }

  /** Tokens of a place's path that have a state to go on from. */
  #stored(place: Place): number {
    if (this.#states.cuttable) return place.depth;
    let node = this.#deepestUsed(place);
    while (node.parent !== null && !tree.holds(node)) node = node.parent;
    return tree.endOf(node);
  }

  /** The last node of a place's path whose state, or a part of it, is of use for the place. */
  #deepestUsed({ node, within }: Place): RunNode {
    return this.#states.cuttable || within === node.tokens.length ? node : (node.parent ?? node);
  }

  /** The states of nodes, from their files where need be; null, and one node less, where that fails. */
  #gather(path: readonly RunNode[]): KvState[] | null {
    const states: KvState[] = [];
    const whole = new Map<RunFile, KvState>();
    for (const node of path) {
      const state = node.state ?? this.#files.load(node, whole);
      if (state === null) {
        this.#drop(node);
        return null;
      }
      states.push(state);
    }
    return states;
  }

  /** Keeps in memory what came from files, unless the path alone is too large for it. */
  #keep(path: readonly RunNode[], states: readonly KvState[]): void {
    const bytes = states.reduce((sum, state) => sum + state.bytes, 0);
    if (bytes > this.#maxBytes) return;
    path.forEach((node, index) => {
      if (node.state === null) this.#held.hold(node, states[index]!);
    });
  }

  /** Bytes in memory that must stay there for a new node at this place. */
  #pathBytes({ node, within }: Place): number {
    if (!this.#states.cuttable) return 0;
    const bytes = tree.pathTo(node).reduce((sum, one) => sum + (one.state?.bytes ?? 0), 0);
    const over = node.state === null ? 0 : 1 - within / node.tokens.length;
    return bytes - over * (node.state?.bytes ?? 0);
  }

  /** The node that ends at this place, by a split where there is none. */
  #cutOpen({ node, within }: Place): RunNode {
    if (within === node.tokens.length) return node;
    const { state, file } = node;
    if (!this.#states.cuttable) return tree.splitNode(node, within);
    if (state === null) return Object.assign(tree.splitNode(node, within), { file });
    const first = this.#states.cut(state, 0, within);
    const rest = this.#states.cut(state, within, state.length);
    const upper = Object.assign(tree.splitNode(node, within), { file });
    this.#held.hold(upper, first);
    this.#held.hold(node, rest);
    // Before whatever waits below it: who opens the folder later needs the beginning first.
    this.#files.write(upper, true);
    return upper;
  }

  #touch(node: RunNode): void {
    for (let at: RunNode | null = node; at !== null; at = at.parent) {
      this.#files.touch(at);
      this.#held.touch(at);
    }
  }

  #evict(): void {
    while (this.#held.bytes > this.#maxBytes) {
      const { oldest } = this.#held;
      if (oldest === undefined) throw broken('bytes without a node');
      this.#evictions += 1;
      this.#held.release(oldest);
      this.#settle(oldest);
    }
  }

  /** Takes away a node whose state cannot be had. */
  #drop(node: RunNode): void {
    this.#files.discard(node);
    this.#held.release(node);
    this.#settle(node);
  }

  /** Removes a node that is of no use any more, and then those above it that are of none. */
  #settle(node: RunNode): void {
    let at = node;
    while (!tree.holds(at) && (this.#states.cuttable || at.children.size === 0)) {
      const { parent } = at;
      if (parent === null) break;
      parent.children.delete(at.tokens[0]!);
      for (const one of tree.subtree(at)) {
        this.#held.release(one);
        this.#files.discard(one);
      }
      at = parent;
    }
    if (at.parent === null && at.children.size === 0) this.#roots.delete(at.namespace);
  }

  /** Removes nodes that were in files only, after files went. */
  #sweep(): void {
    while (this.#files.removals !== this.#sweptRemovals) {
      this.#sweptRemovals = this.#files.removals;
      const nodes = [...this.#roots.values()].flatMap((root) => [...tree.subtree(root)]);
      for (const node of nodes.toReversed()) if (node.parent !== null) this.#settle(node);
    }
  }

  /** A run that an earlier process left: a node without a state in memory. */
  #adopt(file: RunFile, tokens: Int32Array): void {
    const root = this.#roots.get(file.namespace) ?? tree.createRoot(file.namespace);
    const place = this.#find(root, tokens, file.end);
    // Without what comes before it, it is of no use; it grows old in the folder.
    if (place.depth < file.start) return;
    const isNew = this.#states.cuttable ? place.depth < file.end : this.#stored(place) < file.end;
    if (!isNew) return;
    this.#roots.set(file.namespace, root);
    const parent = this.#cutOpen(place);
    const node = tree.endOf(parent) < file.end ? tree.addChild(parent, tokens, file.end) : parent;
    this.#files.give(node, file);
  }
}
