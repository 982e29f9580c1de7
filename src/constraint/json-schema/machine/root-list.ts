/** Collects the nodes that judge an item or a member, each once, and who asked for them. */

import type { NodeId } from '../node.ts';

export class RootList {
  readonly ids: NodeId[] = [];
  /** For each of them, whether it must hold. */
  readonly needed: boolean[] = [];
  /** The node of the array or object is false where the root is. */
  readonly charges: { readonly node: number; readonly root: number }[] = [];
  readonly #numbers = new Map<NodeId, number>();

  charge(node: number, id: NodeId, needed: boolean): void {
    const root = this.add(id);
    this.charges.push({ node, root });
    if (needed) this.needed[root] = true;
  }

  add(id: NodeId): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.ids.length);
    this.ids.push(id);
    this.needed.push(false);
    return this.ids.length - 1;
  }
}
