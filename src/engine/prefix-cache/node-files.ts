/**
 * The files of the tree's nodes: which run is written when, and what a node gets back from its file.
 * Only `prefix-cache.ts` calls it. It changes a node's `file` and nothing else of the tree. Without a
 * disk it does nothing.
 */

import type { KvState, KvStates } from '../llama/decoder.ts';
import type { FoundRun, PrefixDisk, WriteContent } from './prefix-disk.ts';
import { pathTo, tokensTo } from './radix-tree.ts';
import type { RunNode } from './radix-tree.ts';
import type { RunFile } from './run-file.ts';

export class NodeFiles {
  readonly #states: KvStates;
  readonly #disk: PrefixDisk | null;

  constructor(states: KvStates, disk: PrefixDisk | null) {
    this.#states = states;
    this.#disk = disk;
  }

  get bytes(): number {
    return this.#disk?.bytes ?? 0;
  }

  get damaged(): number {
    return this.#disk?.damaged ?? 0;
  }

  /** Grows whenever a file is gone. */
  get removals(): number {
    return this.#disk?.removals ?? 0;
  }

  /** What earlier processes left, what begins earlier first. */
  takeFound(): FoundRun[] {
    return this.#disk?.takeFound() ?? [];
  }

  /** Gives a node a file. The files that lead to it are then as young, for the oldest go first. */
  give(node: RunNode, file: RunFile): void {
    node.file = file;
    for (const { file: above } of pathTo(node)) {
      if (above === null || above.usedAt >= file.usedAt) continue;
      above.usedAt = file.usedAt;
      above.touched = true;
    }
  }

  /**
   * The state of a node from its file, or null.
   * @param whole states of files that were read already, by which halves of a run share one reading
   */
  load({ start, tokens, file }: RunNode, whole: Map<RunFile, KvState>): KvState | null {
    if (file === null || this.#disk === null) return null;
    const state = whole.get(file) ?? this.#disk.read(file, this.#states);
    if (state === null) return null;
    whole.set(file, state);
    if (!this.#states.cuttable || state.length === tokens.length) return state;
    return this.#states.cut(state, start - file.start, start - file.start + tokens.length);
  }

  /** Writes a node's run when its turn comes; `first`: before all that waits. */
  write(node: RunNode, first: boolean): void {
    const prepare = (): WriteContent | null => this.#prepare(node);
    this.#disk?.queue({ prepare, done: (file) => this.#written(node, file) }, first);
  }

  touch({ file }: RunNode): void {
    if (file !== null) this.#disk?.touch(file);
  }

  discard({ file }: RunNode): void {
    if (file !== null) this.#disk?.discard(file);
  }

  async flush(): Promise<void> {
    await this.#disk?.flush();
  }

  /** null: it has left memory meanwhile, or is on the disk as a part of another run. */
  #prepare(node: RunNode): WriteContent | null {
    if (node.state === null || (node.file !== null && !node.file.gone)) return null;
    return {
      namespace: node.namespace,
      start: this.#states.cuttable ? node.start : 0,
      tokens: tokensTo(node),
      payload: this.#states.encode(node.state),
    };
  }

  /** The node may have been split while it was written; its file covers the upper halves too. */
  #written(node: RunNode, file: RunFile): void {
    this.give(node, file);
    if (!this.#states.cuttable) return;
    for (let at = node.parent; at !== null && at.parent !== null; at = at.parent) {
      if (at.start < file.start) return;
      if (at.file === null || at.file.gone) at.file = file;
    }
  }
}
